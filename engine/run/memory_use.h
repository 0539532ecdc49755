// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope::inline run {

// An array that has its place in memory when most is needed, named as the module's text names it.
struct MemoryOwner {
  int64_t bytes = 0;
  std::string kind;                       // argument, result, temporary
  std::string name, display_name, shape;  // of the instruction that makes it
  std::string op_name;                    // what the user calls it; "": the module does not say
  std::string source_line;
  bool operator==(const MemoryOwner&) const = default;
};

// What a module needs of a device's memory when it is compiled: arguments, results and the largest sum of
// temporaries; results that take the place of arguments (`aliased`) are in both.
struct MemoryUse {
  int64_t arguments = 0, results = 0, temporaries = 0, aliased = 0;
  int64_t bytes() const { return arguments + results + temporaries - aliased; }
  MemoryOwner moment;               // what runs then; no bytes
  std::vector<MemoryOwner> owners;  // then, the largest first
  int64_t between = 0;              // of no array: gaps between buffers, tables of tuples
  bool complete = true;             // false: too long a module, counted up to where it was looked at
  bool operator==(const MemoryUse&) const = default;
};

}  // namespace shardscope::inline run
