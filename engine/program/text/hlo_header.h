// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope {

// Reads what stands between "HloModule" and the first computation: name ":"? ("," key ("=" value)?)*, then
// the tables of source locations.
Result<void> read_hlo_header(HloLexer& lexer, Program& program);

}  // namespace shardscope
