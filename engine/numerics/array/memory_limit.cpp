// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/units.h"

namespace shardscope {
namespace {

int64_t left_of_machine() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    int64_t kib = 0;
    if (word == "MemAvailable:" && file >> kib) return kib * 1024;
  }
  return static_cast<int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

// The first number of a file; none when it is not there or says "max".
std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

// What the groups that this process is in, each within the one above it, may still take (cgroups 2, then 1).
int64_t left_of_groups(int64_t least) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const bool second = line.starts_with("0::");
    const size_t memory = line.find(":memory:");
    if (!second && memory == std::string::npos) continue;
    const std::string root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const char* const most = second ? "/memory.max" : "/memory.limit_in_bytes";
    const char* const used = second ? "/memory.current" : "/memory.usage_in_bytes";
    std::string group = second ? line.substr(3) : line.substr(memory + 8);
    while (true) {
      const auto limit = number_in(root + group + most), taken = number_in(root + group + used);
      if (limit && taken) least = std::min(least, std::max<int64_t>(0, *limit - *taken));
      if (group.empty() || group == "/") break;
      group.resize(group.rfind('/'));
    }
  }
  return least;
}

// Field `place` of /proc/self/statm, in bytes: 0 all addresses, 5 data.
int64_t taken_pages(int place) {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  for (int i = 0; i <= place; ++i) file >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// What ulimit -v and -d leave.
int64_t left_of_limits(int64_t least) {
  for (const auto& [limit, place] : {std::pair{RLIMIT_AS, 0}, std::pair{RLIMIT_DATA, 5}}) {
    rlimit found{};
    if (getrlimit(limit, &found) != 0 || found.rlim_cur == RLIM_INFINITY) continue;
    const auto most = static_cast<int64_t>(std::min<rlim_t>(found.rlim_cur, INT64_MAX));
    least = std::min(least, std::max<int64_t>(0, most - taken_pages(place)));
  }
  return least;
}

}  // namespace

int64_t available_memory() {
  return left_of_limits(left_of_groups(left_of_machine()));
}

Result<void> require_memory(double bytes, const std::string& what, const std::string& fix) {
  const double there = 0.9 * static_cast<double>(available_memory());
  if (bytes <= there) return {};
  return too_big(what + " needs " + format_bytes(bytes) + ", this process can have " + format_bytes(there),
                 "", fix);
}

}  // namespace shardscope
