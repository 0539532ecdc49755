// SPDX-License-Identifier: Apache-2.0
// A module as far as it goes: texts end in the middle, and some operations nobody here can compute.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline session {

struct ModulePart {
  Program program;                // its root: the values that nothing else reads
  int64_t instructions = 0;       // of the entry that are in it
  int64_t of = 0;                 // that the entry has
  std::vector<std::string> ends;  // those values
};
// The entry without `stopped` and all that reads them; none: nothing is left to compute.
std::optional<ModulePart> part_without(const Program& module, const std::set<std::string>& stopped);

// The entry's instructions that an instruction is a part of: itself, or the calls that reach it.
std::set<std::string> entry_instructions_of(const Program& module, const std::string& instruction);

// "as far as y, n (5 of 11 instructions; why it ends there)".
std::string words(const ModulePart& part, const std::string& why);

}  // namespace shardscope::inline session
