// SPDX-License-Identifier: Apache-2.0
// What stands beside a question that waits for its answer: nothing of it may say the answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/question.h"

namespace shardscope::inline lesson {

// The text with "…" for what is hidden; a text that is a part of a hidden sentence is "…" as a whole.
std::string covered(const std::vector<std::string>& hide, std::string_view text);
// And with "?" for each number that is the answer: its value in any unit, a small count where it counts what
// is asked.
std::string covered(const Question& question, std::string_view text);

inline bool gives_away(const Question& question, std::string_view text) {
  return covered(question, text) != text;
}

}  // namespace shardscope::inline lesson
