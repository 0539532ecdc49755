// SPDX-License-Identifier: Apache-2.0
// Lessons as a class plays them: what each step shows, and how it follows what the class changes. The texts
// of all built-in lessons, with their numbers, are a file: SHARDSCOPE_UPDATE=1 writes it anew.
#include "engine/session/lessons/played_lesson.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/session/lessons/lesson_presets.h"

namespace shardscope::played_lesson_test {
namespace {

PlayedLesson ring() {
  return {find_lesson("1_ring")->lesson, {}};
}

std::string things_text(const ShownStep& step) {
  std::string out;
  for (const StoryThing& thing : step.pointed) out += " [" + thing_words(*step.shown.story, thing) + "]";
  return out;
}

std::string question_text(const Question& question) {
  std::string out;
  for (const Choice& choice : question.choices)
    out += fmt::format("  {} {}{}\n", choice.right ? "*" : "-", choice.text,
                       choice.right ? "" : ": " + choice.reason);
  if (question.choices.empty()) out += fmt::format("  = {}\n", question.right_words());
  for (const Mistake& mistake : question.mistakes)
    out += fmt::format("  - {}: {}\n", words_of(mistake.answer), mistake.reason);
  return out + (question.because.empty() ? "" : "  because " + question.because + "\n");
}

std::string step_text(const ShownStep& step) {
  std::string views;
  for (const std::string& view : step.views) views += " " + view;
  std::string out = fmt::format("\n{}.{} · {} {}→{}{}\n", step.step + 1, views, step.shown.name, step.before,
                                step.beat, things_text(step));
  for (const std::string* text : {&step.say, &step.attempt, &step.ask, &step.note})
    if (!text->empty()) out += *text + "\n";
  if (step.question) out += question_text(*step.question);
  if (step.expected) out += fmt::format("  expected: {}\n", *step.expected ? "yes" : "no");
  for (const StepFault& fault : step.faults) out += fmt::format("  ! {}\n", fault.error.text());
  return out;
}

std::string lesson_text(const LessonPreset& preset) {
  const PlayedLesson played{find_lesson(preset.name)->lesson, {}};
  LessonRuns runs({});
  std::string out = "# " + preset.title + "\n";
  for (size_t k = 0; k < played.lesson.steps.size(); ++k) out += step_text(*play_step(played, k, runs));
  return out;
}

TEST(PlayedLesson, BuiltInTextsHaveTheirNumbers) {
  for (const LessonPreset& preset : lesson_presets()) {
    const std::string text = lesson_text(preset);
    const std::string path =
        SHARDSCOPE_SOURCE_DIR "/tests/engine/session/golden/" + preset.name + ".lesson.txt";
    if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) std::ofstream(path) << text;
    std::ostringstream expected;
    expected << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, expected.str()) << "SHARDSCOPE_UPDATE=1 accepts the new texts of " << path;
  }
}

TEST(PlayedLesson, AStepGoesOnFromWhereTheOneBeforeLeft) {
  const PlayedLesson lesson = ring();
  LessonRuns runs({});
  const auto moment = [&](size_t step) {
    const ShownStep shown = *play_step(lesson, step, runs);
    return std::pair(shown.before, shown.beat);
  };
  EXPECT_EQ(moment(0), std::pair(0, 0));
  EXPECT_EQ(moment(1), std::pair(0, 0)) << "a question shows what was seen so far";
  EXPECT_EQ(moment(2), std::pair(0, 1));
  EXPECT_EQ(moment(5), std::pair(2, 3)) << "to the end";
  EXPECT_EQ(moment(9), std::pair(0, 1)) << "another run: from the beat before";
}

TEST(PlayedLesson, AnswersFollowTheChangedMesh) {
  PlayedLesson lesson = ring();
  LessonRuns runs({});
  EXPECT_EQ(play_step(lesson, 4, runs)->question->right_words(), "3");
  EXPECT_FALSE(*play_step(lesson, 6, runs)->expected);
  Experiment six = *experiment_at(lesson, 6);
  six.mesh = *Mesh::parse("x=6");
  lesson.changed[0] = six;
  EXPECT_EQ(*experiment_at(lesson, 6), six);
  EXPECT_EQ(play_step(lesson, 4, runs)->question->right_words(), "5");
  EXPECT_TRUE(*play_step(lesson, 6, runs)->expected);
  EXPECT_EQ(play_step(lesson, 6, runs)->shown.run->mesh.device_count(), 6);
  lesson.changed.clear();
  EXPECT_EQ(play_step(lesson, 4, runs)->question->right_words(), "3") << "Reset";
  EXPECT_EQ(runs.kept(), 2U) << "what is the same is not made twice";
}

TEST(PlayedLesson, RunsKeepTheirNamesWhenTheirStrategyIsChanged) {
  PlayedLesson lesson{find_lesson("3_overlap")->lesson, {}};
  Experiment changed = *experiment_at(lesson, 0);
  ASSERT_FALSE(changed.runs.empty());
  for (RunRequest& run : changed.runs)
    if (run.strategy == "wang.os") run.strategy = "meshslice.os";
  lesson.changed[0] = changed;
  LessonRuns runs({});
  LessonExperiment now = as_changed(lesson)->experiments[0];
  FactRuns& facts = **runs.of(now);
  EXPECT_EQ(facts.find("wang", false).value()->run->strategy, "meshslice.os");
  EXPECT_EQ(facts.find("slices", false).value()->run->strategy, "meshslice.os");
  EXPECT_EQ(facts.find("gather", false).value()->run->strategy, "collective.os");
}

TEST(PlayedLesson, AClassThatChangesMuchForgetsTheOldest) {
  LessonRuns runs({});
  LessonExperiment experiment = ring().lesson.experiments[0];
  for (int64_t size = 2; size < 40; ++size) {
    experiment.own->mesh = *Mesh::parse(fmt::format("x={}", size));
    ASSERT_TRUE(runs.of(experiment).ok());
  }
  EXPECT_LE(runs.kept(), 12U);
}

TEST(PlayedLesson, ImpossibleChangesAreSaidInTheStep) {
  PlayedLesson lesson = ring();
  Experiment bad = *experiment_at(lesson, 0);
  bad.problem.m = 7;  // four chips cannot share seven rows
  lesson.changed[0] = bad;
  LessonRuns runs({});
  const ShownStep step = *play_step(lesson, 0, runs);
  ASSERT_FALSE(step.faults.empty());
  EXPECT_EQ(step.shown.run, nullptr);
}

TEST(PlayedLesson, Stops) {
  std::stop_source stop;
  stop.request_stop();
  LessonRuns runs(stop.get_token());
  const auto step = play_step(ring(), 0, runs);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace shardscope::played_lesson_test
