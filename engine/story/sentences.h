// SPDX-License-Identifier: Apache-2.0
// A beat in words, on three levels: what happens in general, who sends what to whom and which product adds
// which terms, and the line of the program. Made of the Story alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/story/story.h"

namespace shardscope::inline story {

enum class SentenceLevel { idea, moves, program };
const char* name(SentenceLevel level);
std::vector<SentenceLevel> sentence_levels();

struct Sentences {
  std::string idea;  // "All-gather of X along col, step 2 of 3: each chip passes on what it received last; …"
  std::string moves;  // "(0,0) sends a3.1/2 to (0,1); 7 more do the same along col, 8 send the other half …"
  std::string program;  // "%all-gather.1 = f32[512,1024] all-gather(…)"; of beat 0 the parameters' lines
  const std::string& at(SentenceLevel level) const;
};

// Of what is the same the sentence says how many, never "likewise" of what differs: alike are transfers of
// one array, axis and direction; where devices differ it says the least and the most.
Sentences sentences(const Story& story, int32_t beat);

}  // namespace shardscope::inline story
