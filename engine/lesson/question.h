// SPDX-License-Identifier: Apache-2.0
// A question of a lesson with what is right, what else there is to choose, and which mistake each of that is:
// computed from the run, so that another mesh makes another answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lesson/facts.h"
#include "engine/lesson/lesson.h"

namespace shardscope::inline lesson {

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
  std::string hint;               // to who answers wrong and made no known mistake; empty: there is none
  std::vector<std::string> hide;  // texts beside it that would say the answer
  std::string right_words() const;
};
// Errors: an expression without a value, an answer that is none of the choices.
Result<Question> make_question(const LessonStep& step, FactRuns& runs, const ShownMoment& moment);

// What is to be written: "A time, such as 12 µs; to within 5 %." Empty where one chooses.
std::string wanted_words(const Question& question);

struct Judgement {
  bool right = false;
  std::string reason;  // of a wrong one, without the answer; of the right one why it is right
};
// What was typed or chosen. Error: it is no number, or of another unit.
Result<Judgement> judge(const Question& question, std::string_view given);

// Forms in which the right answer may be typed, and such as are wrong, or no answer at all: what judge() is
// held to.
struct AnswerForms {
  std::vector<std::string> right, wrong, refused;
};
AnswerForms answer_forms(const Question& question);

}  // namespace shardscope::inline lesson
