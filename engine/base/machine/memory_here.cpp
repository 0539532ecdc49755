// SPDX-License-Identifier: Apache-2.0
#include "engine/base/machine/memory_here.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/text.h"

namespace shardscope {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<int64_t> number_in(const std::string& path) {
  return parse_int(trim(text_of(path)));  // "max" is none
}

// "MemAvailable:   123 kB" of /proc/meminfo, in bytes.
std::optional<int64_t> kib_row(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    const auto words = split(trim(std::string_view(line).substr(key.size())), ' ');
    const auto kib = words.empty() ? std::nullopt : parse_int(words.front());
    if (kib) return *kib * 1024;
  }
  return std::nullopt;
}

// The file's share of the cache can be had back, so it is not in use.
int64_t used_by(const std::string& folder, const char* used_file, const char* cache_key) {
  const int64_t used = number_in(folder + "/" + used_file).value_or(0);
  int64_t cache = 0;
  for (const std::string& line : split(text_of(folder + "/memory.stat"), '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 2 && words[0] == cache_key) cache = parse_int(words[1]).value_or(0);
  }
  return std::max<int64_t>(used - cache, 0);
}

struct GroupFiles {
  const char *limit, *used, *cache;
};

// Limits of a group hold for the groups below it: all from `group` up to `mount` count.
void add_groups(const std::string& mount, fs::path group, const GroupFiles& files, MemoryHere& out) {
  for (;;) {
    const std::string folder = mount + (group == "/" ? "" : group.string());
    const auto limit = number_in(folder + "/" + files.limit);
    // A limit that no machine reaches is v1's way to say that there is none.
    if (limit && *limit < out.total) {
      const int64_t used = used_by(folder, files.used, files.cache);
      if (!out.group_limit || *limit - used < *out.group_limit - *out.group_used) {
        out.group_limit = limit;
        out.group_used = used;
      }
    }
    if (group == "/" || group.empty()) return;
    group = group.parent_path();
  }
}

// A line of /proc/self/cgroup is "0::/path" (v2) or "4:memory:/path" (v1). In a container the path may be the
// host's while the mount shows the group itself: its top counts too.
void read_groups(const std::string& root, MemoryHere& out) {
  for (const std::string& line : split(text_of(root + "/proc/self/cgroup"), '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kinds = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (kinds.empty())
      add_groups(root + "/sys/fs/cgroup", group, {"memory.max", "memory.current", "inactive_file"}, out);
    else if (("," + kinds + ",").find(",memory,") != std::string::npos)
      add_groups(root + "/sys/fs/cgroup/memory", group,
                 {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}, out);
  }
}

std::optional<int64_t> process_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

}  // namespace

int64_t MemoryHere::usable() const {
  int64_t least = available;
  if (group_limit) least = std::min(least, *group_limit - group_used.value_or(0));
  if (address_limit) least = std::min(least, *address_limit - address_used);
  if (data_limit) least = std::min(least, *data_limit - data_used);
  return std::max<int64_t>(least, 0);
}

MemoryHere memory_here(const std::string& root) {
  MemoryHere out;
  const std::string info = text_of(root + "/proc/meminfo");
  const auto page = static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  out.total = kib_row(info, "MemTotal:").value_or(static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * page);
  out.available =
      kib_row(info, "MemAvailable:").value_or(static_cast<int64_t>(sysconf(_SC_AVPHYS_PAGES)) * page);
  read_groups(root, out);
  out.address_limit = process_limit(RLIMIT_AS);
  out.data_limit = process_limit(RLIMIT_DATA);
  const auto sizes = split(text_of(root + "/proc/self/statm"), ' ');
  const auto pages = [&](size_t field) {
    return field < sizes.size() ? parse_int(trim(sizes[field])).value_or(0) * page : 0;
  };
  out.address_used = pages(0);
  out.data_used = pages(5);
  return out;
}

}  // namespace shardscope
