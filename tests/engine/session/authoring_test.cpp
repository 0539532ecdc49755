// SPDX-License-Identifier: Apache-2.0
// Edits of lessons: views of runs become steps that can be checked and read back, and no edit changes what
// another step shows.
#include "engine/session/lessons/authoring.h"

#include <gtest/gtest.h>

#include "engine/lesson/check_lesson.h"
#include "engine/session/lessons/lesson_presets.h"
#include "engine/session/lessons/played_lesson.h"

namespace shardscope::authoring_test {
namespace {

Lesson empty() {
  Lesson out;
  out.title = "Mine";
  out.steps.push_back({});
  out.steps.back().say = "What is this about?";
  return out;
}

// As the window would show it: its story told.
struct Told {
  RunPtr run;
  std::unique_ptr<Story> story;
  ViewOfRun at(int32_t beat, std::vector<std::string> show) const {
    return {*run, story.get(), beat, std::move(show), {}};
  }
};
Told told(const std::string& preset, size_t place) {
  const Experiment experiment = *find_experiment(preset);
  Told out;
  ExecutionOptions options;
  options.numerics = false;
  out.run = *execute(experiment, requests_of(experiment)[place], options, {});
  out.story = std::make_unique<Story>(*tell(out.run->program, out.run->timeline));
  return out;
}

LessonCheck check(const Lesson& lesson) {
  LessonRuns runs({});
  const LessonFile file = *parse_lesson(lesson_toml(lesson), "mine.lesson.toml");
  EXPECT_EQ(lesson_toml(file.lesson), lesson_toml(lesson)) << "read back, the same bytes";
  return *check_lesson(file, [&](const LessonExperiment& e) { return runs.of(e); },
                       {"ring", "grid", "timeline"}, {});
}

TEST(Authoring, AViewBecomesAStepOfItsPreset) {
  const Told run = told("teaching", 0);
  ViewOfRun view = run.at(1, {"ring", "grid"});
  view.pointed = StoryThing{1, -1, -1};
  const Lesson lesson = *with_view(empty(), 1, view);
  ASSERT_EQ(lesson.experiments.size(), 1U);
  EXPECT_EQ(lesson.experiments[0].preset, "teaching");
  EXPECT_FALSE(lesson.experiments[0].own);
  EXPECT_EQ(lesson.steps[1].beat, "1");
  EXPECT_EQ(lesson.steps[1].point_at, (std::vector<std::string>{"device (0,1)"}));
  const Lesson twice = *with_view(lesson, 2, told("teaching", 1).at(0, {"timeline"}));
  EXPECT_EQ(twice.experiments.size(), 1U) << "the same experiment, another run";
  EXPECT_NE(twice.steps[2].run, twice.steps[1].run);
  EXPECT_TRUE(check(twice).errors.empty()) << check(twice).errors[0].message;
}

TEST(Authoring, AnExperimentOfOnesOwnIsWrittenOut) {
  Experiment mine = *find_experiment("teaching");
  mine.problem.m *= 2;
  ExecutionOptions options;
  options.numerics = false;
  const RunPtr run = *execute(mine, mine.runs[0], options, {});
  const Story story = *tell(run->program, run->timeline);
  const Lesson lesson = *with_view(empty(), 1, {*run, &story, 0, {"ring"}, {}});
  ASSERT_TRUE(lesson.experiments[0].own);
  EXPECT_EQ(*lesson.experiments[0].own, mine);
  EXPECT_TRUE(check(lesson).errors.empty()) << check(lesson).errors[0].message;
}

TEST(Authoring, AQuestionHasAnAnswerAtOnce) {
  const Lesson lesson = *with_view(empty(), 1, told("teaching", 0).at(0, {"ring"}));
  LessonRuns runs({});
  const ShownStep shown = *play_step({lesson, {}}, 1, runs);
  const Lesson asked = with_step(lesson, 2, question_about(shown));
  const LessonCheck checked = check(asked);
  EXPECT_TRUE(checked.errors.empty()) << checked.errors[0].message;
  EXPECT_FALSE(checked.steps[2].answer.empty());
}

// What each step shows, by its text.
std::map<std::string, std::string> shown_by(const Lesson& lesson) {
  std::map<std::string, std::string> out;
  for (size_t k = 0; k < lesson.steps.size(); ++k) {
    const StepView view = view_of(lesson, k);
    std::string& text = out[lesson.steps[k].say + lesson.steps[k].ask + lesson.steps[k].attempt];
    text = std::to_string(view.experiment) + " " + view.run + " " + view.beat;
    for (const std::string& each : view.show) text += " " + each;
  }
  return out;
}

TEST(Authoring, NoEditChangesWhatOtherStepsShow) {
  for (const LessonPreset& preset : lesson_presets()) {
    const Lesson lesson = find_lesson(preset.name)->lesson;
    const auto before = shown_by(lesson);
    const size_t last = lesson.steps.size() - 1;
    for (size_t k = 1; k <= last; ++k) {
      for (const size_t to : {size_t{1}, last / 2, last})
        EXPECT_EQ(shown_by(with_step_moved(lesson, k, to)), before)
            << preset.name << " " << k << " to " << to;
      auto without = before;
      without.erase(lesson.steps[k].say + lesson.steps[k].ask + lesson.steps[k].attempt);
      EXPECT_EQ(shown_by(without_step(lesson, k)), without) << preset.name << " " << k;
    }
  }
}

TEST(Authoring, TheLastStepStays) {
  EXPECT_EQ(without_step(empty(), 0), empty());
  EXPECT_EQ(with_step_moved(empty(), 0, 7), empty());
}

}  // namespace
}  // namespace shardscope::authoring_test
