// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/program/text/module_choice.h"

namespace shardscope::inline program {

// The modules of a text, each with its aliases: one printed behind the other, as print(lowered.as_text())
// writes them. A module begins at the beginning of its line. At least one, which is all of the text where it
// has no module, or one.
std::vector<OneModule> mlir_modules(std::string_view text);

}  // namespace shardscope::inline program
