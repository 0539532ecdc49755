// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "app/window/text/indexed_text.h"
#include "engine/session/hlo_explain.h"

namespace shardscope::inline window {

// The sharding that a line writes for an instruction or, in StableHLO, for an argument; "" when none.
std::string sharding_in(std::string_view line, std::string_view instruction);

// A line of a module's text with another sharding.
struct ShardedLine {
  int line = 0;
  std::string text;
};
Error not_read();
// As typed, in any of the forms of typed_sharding; in HLO of any array, in StableHLO of the arguments: with
// the text's own mesh in Shardy's words, else as mhlo.sharding. Errors: not in the text, or what was typed
// makes no sense for the array.
Result<ShardedLine> line_with_sharding(const ExplainedModule& explained, const IndexedText& text,
                                       const std::string& instruction, const std::string& typed);

}  // namespace shardscope::inline window
