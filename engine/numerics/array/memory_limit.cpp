// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/memory_limit.h"

#include <fstream>
#include <unistd.h>

#include "engine/base/units.h"

namespace shardscope {

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    int64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return static_cast<int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

Result<void> require_memory(double bytes, const std::string& what, const std::string& fix) {
  const double there = 0.9 * static_cast<double>(available_memory());
  if (bytes <= there) return {};
  return too_big(what + " needs " + format_bytes(bytes) + ", this machine has " + format_bytes(there), "",
                 fix);
}

}  // namespace shardscope
