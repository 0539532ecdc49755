// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace shardscope {

// What a process may take of this machine's memory, in bytes, and who says so.
struct MemoryHere {
  int64_t total = 0;      // of the machine
  int64_t available = 0;  // of the machine, without paging anything out
  // The tightest limit of the control groups that the process is in, and what these groups hold by now.
  std::optional<int64_t> group_limit, group_used;
  // Limits of the process (ulimit -v, ulimit -d) and what it has of each by now.
  std::optional<int64_t> address_limit, data_limit;
  int64_t address_used = 0, data_used = 0;

  int64_t usable() const;  // the least of what these leave, at least 0
};

// `root`: where /proc and /sys are, for tests; limits of the process are always its own.
MemoryHere memory_here(const std::string& root = "");

}  // namespace shardscope
