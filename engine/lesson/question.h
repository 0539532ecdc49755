// SPDX-License-Identifier: Apache-2.0
// A question of a lesson with what is right, what else there is to choose, and which mistake each of that is:
// computed from the run, so that another mesh makes another answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/facts.h"
#include "engine/lesson/lesson.h"

namespace shardscope {

struct Choice {
  std::string text;
  bool right = false;
  std::string reason;  // why it is wrong; empty of the right one
};
// Known wrong numbers.
struct Mistake {
  Quantity answer;
  std::string reason;
};
struct Question {
  std::string text;  // with its numbers
  std::vector<Choice>
      choices;      // in an order that does not give the answer away; empty: a number is asked for
  Quantity answer;  // of a number
  double tolerance = 0;
  std::vector<Mistake> mistakes;
  std::string because;
  std::string right_words() const;
};
// Errors: an expression without a value, an answer that is none of the choices.
Result<Question> make_question(const LessonStep& step, FactRuns& runs, const ShownMoment& moment);

struct Judgement {
  bool right = false;
  std::string reason;  // of a wrong one; of the right one why it is right
};
// What was typed or chosen. Error: it is no number, or of another unit.
Result<Judgement> judge(const Question& question, std::string_view given);

}  // namespace shardscope
