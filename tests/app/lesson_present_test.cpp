// SPDX-License-Identifier: Apache-2.0
// A lesson before a class: its steps over the whole screen, an answer only after the class has had its say.
#include <QTest>

#include "app/report/lesson/presented_pictures.h"
#include "app/window/present/presenter_window.h"
#include "tests/app/lesson_fixture.h"

namespace shardscope::lesson_present_test {
namespace {

class LessonPresentTest : public LessonTest {
 protected:
  void TearDown() override {
    if (talk != nullptr) talk->close();
    preferences.setReduceMotion(false);
    settle(5);
  }
  void presentFrom(const char* command, const QString& lesson) {
    preferences.setReduceMotion(true);
    play(lesson);
    ASSERT_EQ(window->docks().page(), "lesson");
    window->action(command)->trigger();
    for (Presentation* each : window->findChildren<Presentation*>(Qt::FindDirectChildrenOnly))
      if (each->isVisible()) talk = each;
    ASSERT_NE(talk, nullptr);
    ready();
  }
  void press(Qt::Key key) {
    QTest::keyClick(talk, key);
    ready();
  }
  QString said() { return talk->talk().said(); }
  QPointer<Presentation> talk;
};

TEST_F(LessonPresentTest, GoesThroughTheStepsAndAnswersWhenItIsAskedTo) {
  presentFrom("present.first", "1_ring");
  EXPECT_TRUE(talk->place().startsWith("step 1 of 17")) << talk->place().toStdString();
  EXPECT_TRUE(said().startsWith("Four chips stand in a ring."));
  EXPECT_TRUE(talk->subject().startsWith(QString::fromStdString(player().lesson().title)));
  EXPECT_TRUE(talk->subject().contains("collective.all_gather")) << talk->subject().toStdString();
  press(Qt::Key_PageDown);
  EXPECT_EQ(player().step(), 1);
  EXPECT_TRUE(said().endsWith("(a0 · a1 · a2 · a3)")) << said().toStdString();
  press(Qt::Key_PageDown);
  EXPECT_EQ(player().step(), 1) << "first the answer";
  EXPECT_TRUE(said().contains("Answer: a1. The chip before it")) << said().toStdString();
  press(Qt::Key_PageUp);
  EXPECT_FALSE(said().contains("Answer"));
  press(Qt::Key_PageDown), press(Qt::Key_PageDown);
  EXPECT_EQ(player().step(), 2);
  press(Qt::Key_Escape);
  EXPECT_TRUE(talk == nullptr || !talk->isVisible());
  EXPECT_EQ(player().step(), 2) << "the page is where the talk was";
}

TEST_F(LessonPresentTest, TheSpeakerHasNotesAnswerAndPlannedTime) {
  presentFrom("present.first", "1_ring");
  talk->openPresenter();
  const PresenterWindow& speaker = *talk->presenter();
  EXPECT_TRUE(speaker.note().startsWith("Let the class propose."));
  EXPECT_TRUE(speaker.clockText().contains(" of 17:00"));
  EXPECT_TRUE(speaker.next().startsWith("Every chip sends its block"));
  press(Qt::Key_PageDown);
  EXPECT_EQ(speaker.answer(), "a1") << "the class does not see it yet";
}

TEST_F(LessonPresentTest, FromHereItBeginsAtTheStepThatIsOpenAndShowsAKernelToo) {
  play("6_race");
  player().goTo(12);
  ready();
  preferences.setReduceMotion(true);
  window->action("present.here")->trigger();
  for (Presentation* each : window->findChildren<Presentation*>(Qt::FindDirectChildrenOnly))
    if (each->isVisible()) talk = each;
  ASSERT_NE(talk, nullptr);
  EXPECT_TRUE(talk->place().startsWith("step 13 of 18"));
  EXPECT_TRUE(talk->subject().contains("ag.ring.one_semaphore"));
}

TEST_F(LessonPresentTest, ItsPicturesAreReadFromTheLastRow) {
  presentFrom("present.first", "1_ring");
  for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
    talk->showNormal();
    talk->resize(size);
    settle(20);
    const RunCanvas* canvas = talk->canvas();
    ASSERT_NE(canvas, nullptr);
    ASSERT_FALSE(canvas->scene().texts().empty());
    for (const TextItem& text : canvas->scene().texts())
      EXPECT_GE(text.px, kLeastPresented * static_cast<float>(size.height()) - 0.5F) << text.text;
    if (const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES"); !folder.isEmpty())
      talk->grab().save(QString("%1/lesson_%2.png").arg(folder).arg(size.height()));
  }
}

// The window shares the room as `lesson check` does: what is proved there holds here.
TEST_F(LessonPresentTest, EachStepIsSeenWholeOnASmallWall) {
  presentFrom("present.first", "1_ring");
  talk->showNormal();
  talk->resize(1280, 720);
  settle(20);
  for (int step = 0; step < player().stepCount(); ++step) {
    player().goTo(step);
    ready();
    settle(5);
    for (const RunCanvas* canvas : talk->findChildren<RunCanvas*>()) {
      if (!canvas->isVisibleTo(talk)) continue;
      for (const std::string& fault : unseen(canvas->view().id, canvas->scene(), canvas->canvas()))
        ADD_FAILURE() << "step " << step + 1 << ": " << fault;
    }
  }
}

}  // namespace
}  // namespace shardscope::lesson_present_test
