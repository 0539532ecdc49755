// SPDX-License-Identifier: Apache-2.0
// One player while a lesson plays: tool bar, keys and status bar are of the picture that its step shows.
#include <QTest>

#include "app/window/chip/move_list.h"
#include "app/window/shell/sentence_line.h"
#include "app/window/widgets/step_bar.h"
#include "tests/app/lesson_fixture.h"
#include "tests/app/transport_bar.h"

namespace shardscope::lesson_moments_test {
namespace {

class LessonMomentsTest : public LessonTest {
 protected:
  void SetUp() override {
    LessonTest::SetUp();
    preferences.setReduceMotion(true);
  }
  void TearDown() override { preferences.setReduceMotion(false); }
  StepBar& bar() { return transport_bar(*window); }
  void trigger(const char* id) {
    window->action(id)->trigger();
    settle(2);
  }
};

TEST_F(LessonMomentsTest, TheToolBarStepsTheLessonsPictureAndNoOther) {
  runAll();
  showRunOf("wang.os");
  clock().setBeat(1);
  const int stood = clock().beat();
  play("1_ring");
  Clock& own = player().clock();
  const int beats = own.beatCount();
  ASSERT_GT(beats, 1);
  trigger("step.first");
  EXPECT_EQ(own.beat(), 0);
  EXPECT_TRUE(bar().text().startsWith(QString("before the first of %1 steps").arg(beats)))
      << bar().text().toStdString();
  trigger("step.next");
  EXPECT_EQ(own.beat(), 1);
  trigger("step.last");
  EXPECT_EQ(own.beat(), beats);
  EXPECT_TRUE(bar().text().startsWith(QString("step %1 of %1").arg(beats))) << bar().text().toStdString();
  EXPECT_EQ(bar().slider()->maximum(), beats);
  bar().slider()->setValue(1);
  EXPECT_EQ(own.beat(), 1);
  EXPECT_FALSE(bar().who().contains("wang"));
  auto* sentence = static_cast<SentenceLine*>(window->findChild<QLabel*>("sentence"));
  EXPECT_FALSE(sentence->said().contains("w0")) << sentence->said().toStdString();
  window->docks().setPage("explore");
  EXPECT_EQ(clock().beat(), stood) << "its own run stands where it stood";
  EXPECT_TRUE(bar().who().contains("wang")) << bar().who().toStdString();
}

TEST_F(LessonMomentsTest, AKernelsStepsAreCountedFromOneToTheLast) {
  play("6_race");
  int step = 0;
  while (player().shown()->kernel == nullptr && step < player().stepCount()) {
    player().goTo(++step);
    ready();
  }
  const auto last = static_cast<int>(player().kernelSteps().last());
  ASSERT_GT(last, 1);
  trigger("step.last");
  EXPECT_EQ(lesson_moments(window->context()).at(), last);
  EXPECT_EQ(bar().slider()->value(), last);
  trigger("step.first");
  EXPECT_TRUE(bar().text().startsWith("before the first ")) << bar().text().toStdString();
  trigger("step.next");
  EXPECT_TRUE(bar().text().startsWith("step 1")) << bar().text().toStdString();
}

// The race theatre: the reader is the schedule.
TEST_F(LessonMomentsTest, TheClassChoosesWhatHappensNextUntilTheKernelBreaks) {
  play("6_race");
  const auto& steps = player().lesson().steps;
  const auto theatre = std::ranges::find_if(steps, chooses_schedule);
  ASSERT_NE(theatre, steps.end());
  player().goTo(static_cast<int>(theatre - steps.begin()));
  ready();
  MoveList* moves = panel().findChild<MoveList*>();
  ASSERT_TRUE(moves != nullptr && moves->isVisible());
  const int64_t begun = player().shown()->begun;
  const kernels::ShortestSchedule broken = *player().shown()->kernel->shortest;
  EXPECT_EQ(player().shown()->expected, false);
  EXPECT_FALSE(moves->backButton()->isEnabled()) << "nothing was chosen";
  for (size_t k = static_cast<size_t>(begun); k < broken.choices.size(); ++k) {
    const auto next = player().shown()->kernel->replay->next_moves(static_cast<int64_t>(k));
    const auto at = std::ranges::find(next, broken.choices[k], &kernels::KernelReplay::NextMove::action);
    ASSERT_NE(at, next.end());
    Q_EMIT moves->chosen(static_cast<int>(at - next.begin()));
    ready();
    ASSERT_EQ(player().shown()->kernel->replay->steps(), static_cast<int64_t>(k) + 1);
  }
  EXPECT_EQ(player().shown()->expected, true);
  ASSERT_TRUE(wait_for([&] { return moves->said().startsWith("It is broken"); }))
      << moves->said().toStdString();
  ASSERT_TRUE(moves->backButton()->isEnabled());
  moves->backButton()->click();
  ready();
  EXPECT_EQ(player().shown()->expected, false);
  moves->beginButton()->click();
  ready();
  EXPECT_EQ(player().shown()->kernel->replay->steps(), begun);
  player().next();
  ready();
  EXPECT_FALSE(moves->isVisible());
}

TEST_F(LessonMomentsTest, KeysOfThePageMoveItsPictureAndPlayItAgain) {
  play("1_ring");
  for (int step = 0; lesson_moments(window->context()).at() < 1; ++step) {
    ASSERT_LT(step, player().stepCount());
    player().goTo(step);
    ready();
  }
  const int shown = lesson_moments(window->context()).at();
  panel().setFocus();
  QTest::keyClick(&panel(), Qt::Key_Left);
  EXPECT_EQ(lesson_moments(window->context()).at(), shown - 1);
  QTest::keyClick(&panel(), Qt::Key_Right);
  EXPECT_EQ(lesson_moments(window->context()).at(), shown);
  QTest::keyClick(&panel(), Qt::Key_Minus);
  EXPECT_LT(lesson_moments(window->context()).speed(), 1);
  QTest::keyClick(&panel(), Qt::Key_Plus);
  lesson_moments(window->context()).goTo(0);
  QTest::keyClick(&panel(), Qt::Key_R);
  EXPECT_TRUE(wait_for([&] { return lesson_moments(window->context()).at() == shown; }, 5000));
}

}  // namespace
}  // namespace shardscope::lesson_moments_test
