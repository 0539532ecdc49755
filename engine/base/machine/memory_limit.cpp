// SPDX-License-Identifier: Apache-2.0
#include "engine/base/machine/memory_limit.h"

#include "engine/base/machine/memory_here.h"
#include "engine/base/units.h"

namespace shardscope {

int64_t available_memory() {
  return memory_here().usable();
}

Result<void> require_memory(double bytes, const std::string& what, const std::string& fix,
                            const std::string& where) {
  const double there = 0.9 * static_cast<double>(available_memory());
  if (bytes <= there) return {};
  return too_big(what + " needs " + format_bytes(bytes) + ", this process can have " + format_bytes(there),
                 where, fix);
}

}  // namespace shardscope
