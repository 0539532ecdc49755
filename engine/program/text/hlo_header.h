// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {

inline constexpr std::string_view kModuleWord = "HloModule ";
// Where the modules of a text begin: lines that begin with it.
std::vector<size_t> module_starts(std::string_view text);

// Reads what stands between "HloModule" and the first computation: name ":"? ("," key ("=" value)?)*, then
// the tables of source locations. Whether the header says how many devices there are.
Result<bool> read_hlo_header(HloLexer& lexer, Program& program);

}  // namespace shardscope::inline program
