// SPDX-License-Identifier: Apache-2.0
// Modules side by side, each with its neighbour's instructions in the same rows: stages of a compiler, a
// module before and after an edit, two users' versions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/stages/strip.h"

namespace shardscope::inline program {

struct ModuleColumn {
  std::string name;
  SharedProgram program;
  std::vector<std::string> said{};  // how it came about: sentences
};
struct ModuleColumns {
  std::vector<ModuleColumn> modules;
  std::vector<ModuleMatching> between;  // of each and the next one
};

// Matched by what they compute. Error: cancelled.
Result<ModuleColumns> columns_of(std::vector<ModuleColumn> modules, const std::stop_token& stop = {});
// The stages of a strip, matched by what each is there for where one was made from the one beside it.
Result<ModuleColumns> columns_of(const StageStrip& strip, const std::stop_token& stop = {});

// A line of a module: an instruction by its number, or the head of a computation.
struct ColumnCell {
  int32_t instruction = -1;  // -1: a head, or nothing
  int32_t computation = -1;  // -1: nothing stands there
  int32_t group = -1;        // the same for all that belong together, over all modules; of a head none
  bool empty() const { return computation < 0; }
  bool operator==(const ColumnCell&) const = default;
};
using ColumnRow = std::vector<ColumnCell>;  // a cell for each module

// All lines of all modules, the entries first. Counterparts stand in one row as far as their order allows.
// Error: cancelled.
Result<std::vector<ColumnRow>> aligned_rows(const ModuleColumns& columns, const std::stop_token& stop = {});

// An instruction that a module and the next one do not have alike: with a counterpart it changed, else one of
// them has it alone.
struct DifferentLine {
  ColumnCell before{}, after{};  // empty: it has none
};
// Of `module` and the next one, in the order of the rows.
std::vector<DifferentLine> different_lines(const ModuleColumns& columns, size_t module,
                                           const std::vector<ColumnRow>& rows);
// How often each of the modules has it, of operations that they do not have equally often.
std::map<std::string, std::vector<int64_t>> other_counts(std::span<const ModuleColumn> modules);
// Whether all modules have that line alike.
bool same_in_all(const ModuleColumns& columns, const ColumnRow& row);
std::string cell_text(const ModuleColumns& columns, size_t module, const ColumnCell& cell);

}  // namespace shardscope::inline program
