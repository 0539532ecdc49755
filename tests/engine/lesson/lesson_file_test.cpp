// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/lesson_file.h"

#include <gtest/gtest.h>

namespace shardscope::lesson_file_test {
namespace {

constexpr const char* kFile = R"lesson(title = "T"
minutes = 5
for = "all"

[experiments.ring]
preset = "teaching"
runs = ["gather = wang.os", "psum"]

[experiments.own]
title = "Own"
hardware = "tpu-v4"

[experiments.own.mesh]
axes = [ { name = "x", size = 4, wrap = true } ]

[experiments.own.problem]
m = 8
k = 8
n = 8

[[experiments.own.run]]
strategy = "psum"

[[step]]
say = "One {runs.psum.total}"
experiment = "ring"
run = "psum"
beat = 3
show = ["ring", "grid"]

[[step]]
ask = "Which?"
answer = "story.beat[1].arrives(device=2)"
choices = "blocks"
because = "so"
beat = "story.beats"

[[step.wrong]]
answer = "a3"
because = "that is another"

[[step]]
try = "Change it"
expect = "mesh.x == 6"
change = ["mesh"]
experiment = "own"
)lesson";

std::string error_of(std::string text) {
  const auto file = parse_lesson(text, "l.toml");
  return file.ok() ? "" : file.error().text();
}
std::string with(std::string_view from, std::string_view to) {
  std::string text = kFile;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(LessonFile, ReadsBackWhatItWrites) {
  const LessonFile file = parse_lesson(kFile, "l.toml").value();
  const std::string written = lesson_toml(file.lesson);
  const LessonFile again = parse_lesson(written, "l.toml").value();
  EXPECT_EQ(again.lesson, file.lesson);
  EXPECT_EQ(lesson_toml(again.lesson), written);
  EXPECT_EQ(file.lesson.steps[1].wrong.size(), 1U);
  EXPECT_EQ(file.line_of(1, "answer"), 33);
}

TEST(LessonFile, KeepsTheChoicesOfAStepThatAsksNothing) {
  const std::string text = with("[[step]]\n", "[[step]]\nchoices = \"yes/no\"\n");
  const Lesson lesson = parse_lesson(text, "l.toml")->lesson;
  EXPECT_EQ(lesson.steps[0].choices, Choices::yes_no);
  EXPECT_EQ(parse_lesson(lesson_toml(lesson), "l.toml")->lesson, lesson);
}

TEST(LessonFile, AStepShowsWhatTheOneBeforeShows) {
  const Lesson lesson = parse_lesson(kFile, "l.toml")->lesson;
  EXPECT_EQ(view_of(lesson, 1).run, "psum");
  EXPECT_EQ(view_of(lesson, 1).beat, "story.beats");
  EXPECT_EQ(view_of(lesson, 1).show, (std::vector<std::string>{"ring", "grid"}));
  EXPECT_EQ(view_of(lesson, 2).experiment, 1);
  EXPECT_EQ(view_of(lesson, 2).run, "");
  EXPECT_EQ(view_of(lesson, 2).beat, "");
}

TEST(LessonFile, RefusesWhatMakesNoSense) {
  EXPECT_NE(error_of(with("say = \"One {runs.psum.total}\"", "")).find("the step says nothing"),
            std::string::npos);
  EXPECT_NE(error_of(with("answer = \"story", "anwser = \"story")).find("a question without its answer"),
            std::string::npos);
  EXPECT_NE(error_of(with("because = \"so\"", "becuase = \"so\"")).find("unknown key 'becuase'"),
            std::string::npos);
  EXPECT_NE(error_of(with("experiment = \"own\"", "experiment = \"owm\"")).find("no experiment 'owm'"),
            std::string::npos);
  EXPECT_NE(error_of(with("choices = \"blocks\"", "choices = \"cubes\"")).find("got 'cubes'; l.toml:34:"),
            std::string::npos);
  EXPECT_NE(error_of(with("[\"ring\", \"grid\"]", "[\"a\", \"b\", \"c\"]")).find("one or two"),
            std::string::npos);
  EXPECT_NE(error_of("title = \"T\"").find("without steps"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::lesson_file_test
