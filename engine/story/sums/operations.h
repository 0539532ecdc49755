// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/story/story.h"

namespace shardscope::inline story {

// The operations of a run that have events, each with the instructions that do it. Of layers that are alike
// the same operation is one, which says where it is: "all-gather of up over y in decoder/layer_0–31 ×32".
struct Operations {
  std::vector<std::string> keys;  // in the order in which the program has them
  // What a key is made of: "all-gather of up over y", "decoder/layer_0–31 ×32"; empty: it says no place.
  std::vector<std::string> names, places;
  std::vector<std::vector<int32_t>> instructions;
  std::vector<int32_t> of_instruction;  // place in `keys`, by Program::global_index; -1: it has no events
  bool operator==(const Operations&) const = default;
};
// `story`: which arrays travel; without one a collective's key has none.
Operations operations_of_events(const Run& run, const Story* story);

}  // namespace shardscope::inline story
