// SPDX-License-Identifier: Apache-2.0
// Words for what is in a story, shared by sentences of all levels, lessons and pictures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/story/beat_facts.h"

namespace shardscope::inline story {

std::string place_word(const Story& story, int32_t device);                 // "(0,1)"
std::string number_word(int64_t number);                                    // "four", "17"
std::string list_words(const std::vector<std::string>& items);              // "a, b and c"
std::string span_words(const Span& span);                                   // "2", "1–3"
std::string counted_span(const Span& span, std::string_view noun);          // "1 block", "1–3 blocks"
std::string terms_words(const Span& counts, int64_t terms, int64_t parts);  // "1–2 of 4", "12 of 32 terms"
const Instruction& instruction_of(const Story& story, const Beat& beat);
std::string instruction_name(const Story& story, int32_t instruction);  // "dot.3"
std::string verb_of(Opcode opcode, bool one);                           // "multiplies", "multiply"
// "reduce-scatter half", "all-gather half"; of other collectives empty.
std::string phase_of(const Story& story, int32_t beat, const std::vector<int32_t>& execution);
bool beat_adds(const Story& story, const Beat& beat);

// What can be pointed at: a device, a block, or a whole array (block -1).
struct StoryThing {
  int32_t device = -1;
  int32_t array = -1;
  int64_t block = -1;
  bool operator==(const StoryThing&) const = default;
};
// "device (0,1)", "a3", "X". None: the story has no such thing.
std::optional<StoryThing> find_thing(const Story& story, std::string_view words);
std::string thing_words(const Story& story, const StoryThing& thing);

std::string idea_of(const Story& story, int32_t beat);
std::string moves_of(const Story& story, int32_t beat);
std::string idea_before(const Story& story);
std::string moves_before(const Story& story);

}  // namespace shardscope::inline story
