// SPDX-License-Identifier: Apache-2.0
// What two modules do differently, apart from names and metadata.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope {

struct ModuleDiff {
  // Of an opcode that the one has more often than the other.
  struct Count {
    std::string opcode;
    int64_t before = 0, after = 0;
  };
  // An instruction that only one of them has.
  struct Line {
    bool removed = false;  // else added
    std::string instruction;
    std::string text;  // with names that do not depend on the compiler's numbering
  };
  // A computation of the one and its equal in the other.
  struct Section {
    std::string before, after;
    std::vector<Line> lines;
  };
  std::vector<Count> counts;
  std::vector<Section> sections;  // with a difference
  bool empty() const { return counts.empty() && sections.empty(); }
};

// Modules that differ in numbering alone are equal. Computations by their place from the entry: names are the
// compiler's. Error: cancelled.
Result<ModuleDiff> diff_modules(const Program& before, const Program& after,
                                const std::stop_token& stop = {});
// Whether two modules that nobody partitioned yet become the same program for each device, names, metadata
// and frontend attributes aside. False where one cannot be partitioned, or is too big to try. Error:
// cancelled.
Result<bool> equal_once_partitioned(const Program& before, const Program& after,
                                    const std::stop_token& stop = {});
// As `hlo diff` prints it; "" when nothing differs.
std::string diff_text(const ModuleDiff& diff);

}  // namespace shardscope
