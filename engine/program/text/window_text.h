// SPDX-License-Identifier: Apache-2.0
// What is said dimension by dimension: padding=0_1x2_2, window={size=3x3 stride=2x1}.
#pragma once

#include <string>
#include <vector>

#include "engine/program/ir/attributes.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {

// At the cursor, behind '='.
Result<Padding> read_padding(HloLexer& lexer);
Result<std::vector<WindowDim>> read_window_dims(HloLexer& lexer);

std::string padding_text(const Padding& padding);
std::string window_text(const std::vector<WindowDim>& window);

}  // namespace shardscope::inline program
