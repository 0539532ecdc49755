// SPDX-License-Identifier: Apache-2.0
// Answers as people type them, and what beside a question says its answer.
#include "engine/lesson/typed_number.h"

#include <gtest/gtest.h>

#include "engine/lesson/given_away.h"
#include "engine/lesson/question.h"

namespace shardscope::typed_number_test {
namespace {

Question asks(std::string text, Quantity answer, double tolerance = 0) {
  Question out;
  out.text = std::move(text);
  out.answer = answer;
  out.tolerance = tolerance;
  out.because = "so it is";
  return out;
}
bool right(const Question& question, std::string_view given) {
  const auto judged = judge(question, given);
  return judged.ok() && judged->right;
}

TEST(TypedAnswers, AreUnderstoodInEveryForm) {
  const Question steps = asks("How many steps are there?", {4});
  for (const char* form : {"4", "four", "Four", " 4 ", "4 steps", "four steps", "4.0", "4,0"})
    EXPECT_TRUE(right(steps, form)) << form;
  const Question share = asks("What share?", {0.86, {}, Written::percent}, 0.02);
  for (const char* form : {"86", "86 %", "86%", "0.86", "0,86", "86 percent", "85,9 %"})
    EXPECT_TRUE(right(share, form)) << form;
  const Question size = asks("How large?", {22.5 * 1024 * 1024, kBytes}, 0.02);
  for (const char* form : {"22.5 mib", "22,5 MiB", "22.5MiB", "23.6 mb", "23,592,960 B", "23592960 bytes"})
    EXPECT_TRUE(right(size, form)) << form;
  const Question time = asks("How long?", {1.68e-3, kSeconds}, 0.02);
  for (const char* form : {"1.68 ms", "1,68ms", "1680 us", "1 680 µs", "1.68e-3 s", "1680 microseconds"})
    EXPECT_TRUE(right(time, form)) << form;
  const Question many = asks("How many elements?", {18094}, 0.01);
  for (const char* form : {"18,094", "18 094", "18'094", "18094", "1.81e4"})
    EXPECT_TRUE(right(many, form)) << form;
}

TEST(TypedAnswers, ThatAreWrongSayWhichWayAndThoseThatAreNoneAreNotCounted) {
  const Question steps = asks("How many steps are there?", {3});
  EXPECT_EQ(judge(steps, "5")->reason, "It is less than that.");
  EXPECT_EQ(judge(steps, "two")->reason, "It is more than that.");
  for (const char* form : {"", "many", "3 MiB", "3 %x", "steps"})
    EXPECT_FALSE(judge(steps, form).ok()) << form;
  const Question size = asks("How large?", {1024, kBytes});
  EXPECT_FALSE(judge(size, "1024").ok()) << "its unit is missing";
  EXPECT_FALSE(judge(size, "1 us").ok());
}

TEST(TypedAnswers, TheQuestionSaysWhatItWants) {
  EXPECT_EQ(wanted_words(asks("How many?", {3})), "A number, such as 5, exactly.");
  EXPECT_EQ(wanted_words(asks("How many?", {5})), "A number, such as 9, exactly.") << "never the answer";
  EXPECT_EQ(wanted_words(asks("How long?", {1, kSeconds}, 0.05)),
            "A time with its unit, such as 10 µs; to within 5 %.");
}

TEST(GivenAway, TheValueInAnyUnitAndACountBesideWhatIsCounted) {
  const Question steps = asks("How many steps are there until all have all?", {3});
  EXPECT_EQ(covered(steps, "step 0 of 3 · 1.2 ms"), "step 0 of ? · 1.2 ms");
  EXPECT_EQ(covered(steps, "after three steps"), "after ? steps");
  EXPECT_FALSE(gives_away(steps, "chip (3) has a3, 3 chips"));
  const Question size = asks("How large is the peak?", {11.5 * 1024, kBytes}, 0.1);
  EXPECT_EQ(covered(size, "peak 11.5 KiB"), "peak ? KiB");
  EXPECT_EQ(covered(size, "11,776 B of 16.0 GiB"), "? B of 16.0 GiB");
  const Question share = asks("What share?", {0.86, {}, Written::percent}, 0.1);
  EXPECT_TRUE(gives_away(share, "compute 86 %"));
  Question fault = asks("", {});
  fault.choices = {{"yes", true, ""}, {"no", false, "look"}};
  fault.hide = {"one semaphore"};
  EXPECT_EQ(covered(fault, "All-gather: One semaphore for all"), "All-gather: … for all");
  fault.hide = {"One semaphore for all: the shard can pass"};
  EXPECT_EQ(covered(fault, "the shard can"), "…") << "a line of it";
}

}  // namespace
}  // namespace shardscope::typed_number_test
