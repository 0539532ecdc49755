// SPDX-License-Identifier: Apache-2.0
// Every step of every lesson as a class sees it on a wall of 1280x720: all of it is to be seen, in letters
// that can be read. With SHARDSCOPE_PICTURES=folder the walls are kept to be looked at.
#include <QGuiApplication>
#include <QImage>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/report/lesson/presented_step.h"
#include "engine/session/lessons/lesson_presets.h"
#include "views/draw/gui/painter.h"

namespace shardscope::wall_test {
namespace {

void keep_pictures(const LessonFile& file, const std::string& name, LessonRuns& runs) {
  const char* folder = std::getenv("SHARDSCOPE_PICTURES");
  if (folder == nullptr) return;
  PlayedLesson played;
  played.lesson = file.lesson;
  for (size_t k = 0; k < file.lesson.steps.size(); ++k) {
    const ShownStep step = *play_step(played, k, runs);
    const PresentedLayout layout = *presented_layout(file.lesson, step);
    for (const bool end : {false, true}) {
      if (!end && step.before == step.beat) continue;
      const PresentedMoment at{end ? 1 : 0.5, end ? Answered::yes : Answered::no};
      to_image(presented_frame(file.lesson, step, layout, at)->scene)
          .save(
              QString::fromStdString(fmt::format("{}/{}_{:02}{}.png", folder, name, k + 1, end ? "" : "h")));
    }
  }
}

class Wall : public ::testing::TestWithParam<std::string> {};

TEST_P(Wall, EveryStepIsSeenWhole) {
  const LessonFile file = *find_lesson(GetParam());
  LessonRuns runs{std::stop_token()};
  const auto errors = check_presented(file, runs);
  ASSERT_TRUE(errors.ok()) << errors.error().text();
  std::string all;
  for (const LessonError& error : *errors) all += fmt::format("line {}: {}\n", error.line, error.message);
  EXPECT_EQ(all, "");
  keep_pictures(file, GetParam(), runs);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const LessonPreset& preset : lesson_presets()) out.push_back(preset.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Lessons, Wall, ::testing::ValuesIn(names()),
                         [](const auto& of) { return "of_" + of.param; });

}  // namespace
}  // namespace shardscope::wall_test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const QGuiApplication app(argc, argv);
  return RUN_ALL_TESTS();
}
