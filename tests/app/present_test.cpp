// SPDX-License-Identifier: Apache-2.0
// Presenting: any dock over the whole screen, stepped by the keys of a clicker, left by Esc whatever has the
// focus; what the speaker reads stands in a window of its own.
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QTest>

#include "app/window/present/presenter_window.h"
#include "app/window/runs/timeline_canvas.h"
#include "app/window/settings/view_keys.h"
#include "tests/app/window_fixture.h"

namespace shardscope::present_test {
namespace {

class PresentTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    preferences.setReduceMotion(true);
    runAll();
    showRunOf("wang.os");
    clock().setBeat(0);
  }
  void TearDown() override {
    for (Presentation* each : open()) each->close();
    preferences.setReduceMotion(false);
    preferences.overrideLook(false, 1.0);
    clock().player().setSpeed(1);
    settle(5);
  }
  QList<Presentation*> open() const {
    QList<Presentation*> out;
    for (Presentation* each : window->findChildren<Presentation*>(Qt::FindDirectChildrenOnly)) {
      if (each->isVisible()) out << each;
    }
    return out;
  }
  Presentation* opened(const char* command, const QString& dock = "timeline") {
    const DockArea::Made* made = window->docks().go(dock);
    made->widget->setFocus();
    window->action(command)->trigger();
    return open().isEmpty() ? nullptr : open().front();
  }
  Presentation* shown(int width, int height, const QString& dock = "ring") {
    Presentation* made = presentation(dock);
    made->resize(width, height);
    made->show();
    settle(5);
    return made;
  }
  // Where the clock stands after so many steps: beats that end together are one.
  int stop(int steps) {
    std::vector<Picoseconds> ends;
    for (const Beat& beat : clock().story()->beats()) {
      if (ends.empty() || beat.end != ends.back()) ends.push_back(beat.end);
    }
    const auto at = std::min<size_t>(static_cast<size_t>(steps), ends.size() - 1);
    return clock().story()->beat_at(ends[at]);
  }
  static void pressEsc(QObject* at) {
    QKeyEvent event(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
    QCoreApplication::sendEvent(at, &event);
  }
};

TEST_F(PresentTest, TheKeysStepFromBeforeToAfter) {
  Presentation* talk = opened("present.first");
  ASSERT_NE(talk, nullptr);
  EXPECT_EQ(clock().beat(), 0) << "the first frame is before";
  EXPECT_TRUE(talk->isFullScreen());
  const auto pressed_once = [&](int key, int beat) {
    QTest::keyClick(talk, static_cast<Qt::Key>(key));
    EXPECT_EQ(clock().beat(), beat) << key;
  };
  pressed_once(Qt::Key_PageDown, stop(1));
  pressed_once(Qt::Key_Right, stop(2));
  pressed_once(Qt::Key_Space, stop(3));
  pressed_once(Qt::Key_Down, stop(4));
  pressed_once(Qt::Key_PageUp, stop(3));
  pressed_once(Qt::Key_Left, stop(2));
  pressed_once(Qt::Key_End, clock().beatCount());
  pressed_once(Qt::Key_PageDown, clock().beatCount());
  pressed_once(Qt::Key_Home, 0);
  EXPECT_NE(talk->talk().said(), talk->talk().next());
}

TEST_F(PresentTest, FromHereBeginsAtTheMomentThatIsShown) {
  clock().setBeat(3);
  ASSERT_NE(opened("present.here"), nullptr);
  EXPECT_EQ(clock().beat(), 3);
}

// Nothing of the step is skipped: it begins with the state before and ends, once, at the state after.
TEST_F(PresentTest, AStepIsPlayedUnlessMotionIsReduced) {
  preferences.setReduceMotion(false);
  clock().player().setSpeed(4);
  Presentation* talk = shown(800, 500);
  clock().setBeat(stop(1));
  const Picoseconds before = clock().selection().time, after = clock().story()->moment_of(stop(2));
  std::vector<Picoseconds> seen;
  QObject::connect(&clock(), &Clock::changed, talk, [&] { seen.push_back(clock().selection().time); });
  QTest::keyClick(talk, Qt::Key_PageDown);
  EXPECT_EQ(clock().selection().time, before) << "its first frame";
  ASSERT_TRUE(wait_for([&] { return !clock().player().playing(); }));
  EXPECT_EQ(clock().selection().time, after);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](Picoseconds t) { return t > before && t < after; }));
  // Pressed again on the way, each press is one step.
  QTest::keyClick(talk, Qt::Key_PageDown);
  QTest::keyClick(talk, Qt::Key_PageDown);
  QTest::keyClick(talk, Qt::Key_PageDown);
  ASSERT_TRUE(wait_for([&] { return !clock().player().playing(); }));
  EXPECT_EQ(clock().beat(), stop(5));
  preferences.setReduceMotion(true);
  QTest::keyClick(talk, Qt::Key_PageDown);
  EXPECT_FALSE(clock().player().playing()) << "0 ms";
  EXPECT_EQ(clock().beat(), stop(6));
}

TEST_F(PresentTest, EveryKeyOfTheTableDoesSomething) {
  for (const KeyRow& row : view_keys()) {
    if (row.focus != "present") continue;
    EXPECT_TRUE(Presentation::deeds().contains(row.id.section('.', 2))) << row.id.toStdString();
  }
  Presentation* talk = shown(1280, 720);
  QTest::keyClick(talk, Qt::Key_B);
  EXPECT_TRUE(talk->blank());
  QTest::keyClick(talk, Qt::Key_PageDown);
  EXPECT_FALSE(talk->blank()) << "the picture first";
  EXPECT_EQ(clock().beat(), 0);
  QTest::keyClick(talk, Qt::Key_Plus);
  EXPECT_EQ(clock().player().speed(), 2);
  EXPECT_TRUE(talk->place().endsWith("2×"));
  QTest::keyClick(talk, Qt::Key_Minus);
  QTest::keyClick(talk, Qt::Key_Minus);
  EXPECT_EQ(clock().player().speed(), 0.5);
  QTest::keyClick(talk, Qt::Key_N);
  EXPECT_TRUE(talk->notes().contains(talk->talk().note()));
  QTest::keyClick(talk, Qt::Key_N);
  EXPECT_EQ(talk->notes(), "");
  const QString before = talk->stage().shown().front();
  QTest::keyClick(talk, Qt::Key_Tab);
  EXPECT_NE(talk->stage().shown().front(), before);
  QTest::keyClick(talk, Qt::Key_P);
  EXPECT_TRUE(clock().player().playing());
  QTest::keyClick(talk, Qt::Key_F11);
  EXPECT_TRUE(open().isEmpty());
}

TEST_F(PresentTest, AKeyOfTheViewIsHeardByItOnce) {
  Presentation* talk = shown(1280, 720, "timeline");
  auto* timeline = dynamic_cast<TimelineCanvas*>(talk->stage().canvas());
  ASSERT_NE(timeline, nullptr);
  timeline->setFocus();
  const TimeRange all = timeline->axis().range;
  QTest::keyClick(timeline, Qt::Key_W);
  const TimeRange near = timeline->axis().range;
  EXPECT_LT(near.length(), all.length());
  QTest::keyClick(timeline, Qt::Key_D);
  EXPECT_GT(timeline->axis().range.start, near.start);
  QTest::keyClick(timeline, Qt::Key_A);
  EXPECT_NEAR(double(timeline->axis().range.start), double(near.start), 2) << "there and back, rounded twice";
}

TEST_F(PresentTest, TheSpotlightDimsWhatDoesNotChange) {
  Presentation* talk = shown(1280, 720);
  const auto veiled = [&] { return talk->stage().canvas()->scene().rects().size(); };
  QTest::keyClick(talk, Qt::Key_PageDown);
  const size_t without = veiled();
  QTest::keyClick(talk, Qt::Key_S);
  EXPECT_GT(veiled(), without);
  QTest::keyClick(talk, Qt::Key_S);
  EXPECT_EQ(veiled(), without);
}

TEST_F(PresentTest, EveryDockIsPresentedAndGivenBack) {
  for (const Dock& dock : shardscope::docks()) {
    const DockArea::Made& made = *window->docks().make(dock.id);
    const std::string id = made.row->id.toStdString();
    QWidget* held = made.dock->widget();
    Presentation* talk = shown(1280, 720, made.row->id);
    ASSERT_EQ(talk->stage().shown(), QStringList{made.row->id}) << id;
    const bool view = qobject_cast<RunCanvas*>(made.widget) != nullptr;
    EXPECT_EQ(view, !talk->isAncestorOf(made.widget)) << id << " is drawn anew, or lent";
    EXPECT_TRUE(view || made.widget->isVisibleTo(talk)) << id;
    pressEsc(talk);
    EXPECT_TRUE(open().isEmpty()) << id;
    EXPECT_EQ(made.dock->widget(), held) << id;
    EXPECT_TRUE(made.dock->isAncestorOf(made.widget)) << id;
    settle(5);
  }
}

TEST_F(PresentTest, EscLeavesWhateverHasTheFocus) {
  const auto presented = [&] {
    Presentation* talk = shown(1280, 720, "experiment");
    talk->activateWindow();
    return talk;
  };
  Presentation* talk = presented();
  auto* field = talk->findChild<QLineEdit*>();
  ASSERT_NE(field, nullptr);
  field->setFocus();
  pressEsc(field);
  EXPECT_TRUE(open().isEmpty()) << "a field";
  settle(5);
  talk = presented();
  auto* list = talk->findChild<QComboBox*>();
  ASSERT_NE(list, nullptr);
  list->showPopup();
  pressEsc(list->view());
  EXPECT_TRUE(open().isEmpty()) << "a list that is open";
  settle(5);
  talk = presented();
  talk->openPresenter();
  pressEsc(talk->presenter());
  EXPECT_TRUE(open().isEmpty()) << "the speaker's window";
  settle(5);
  presented();
  pressEsc(window->runsTable()->view());
  EXPECT_TRUE(open().isEmpty()) << "the main window";
  settle(5);
  clock().setBeat(2);
  const ItemId item{ItemId::Kind::device, 1};
  clock().select(item);
  pressEsc(window->timeline());
  EXPECT_NE(clock().selection().selected, item) << "without a presentation Esc is the view's again";
}

TEST_F(PresentTest, AWindowThatGoesTakesWhatIsLentAlong) {
  shown(1280, 720, "runs");
  window.reset();
  SetUp();
  EXPECT_TRUE(open().isEmpty());
}

TEST_F(PresentTest, TheSpeakerReadsWhatComes) {
  Presentation* talk = shown(1280, 720);
  QTest::keyClick(talk, Qt::Key_N, Qt::ShiftModifier);
  PresenterWindow* speaker = talk->presenter();
  ASSERT_NE(speaker, nullptr);
  const QString next = speaker->next();
  EXPECT_FALSE(speaker->note().isEmpty());
  EXPECT_GT(speaker->nextPicture().texts().size(), 5U);
  QTest::keyClick(speaker, Qt::Key_PageDown);
  EXPECT_EQ(clock().beat(), stop(1)) << "its keys are the presentation's";
  EXPECT_EQ(speaker->said(), next);
  QTest::keyClick(speaker, Qt::Key_End);
  EXPECT_EQ(speaker->next(), "This is the last step.");
  EXPECT_EQ(talk_time(3.1, 0), "3:06");
  EXPECT_EQ(talk_time(3.1, 20), "3:06 of 20:00");
  EXPECT_EQ(talk_time(21.5, 20), "21:30 of 20:00: 1:30 over");
}

// Of the fonts that are really there.
TEST_F(PresentTest, BandsAreLargeAndNameTheRun) {
  for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
    Presentation* talk = shown(size.width(), size.height());
    const auto texts = [&](const Scene& scene) {
      std::string all;
      for (const TextItem& text : scene.texts()) {
        EXPECT_GE(text.px, kPresentedText * static_cast<float>(size.height()) - 0.01F) << text.text;
        all += text.text + " ";
      }
      return all;
    };
    const std::string head = texts(talk->head());
    for (const char* part : {"wang.os", "row=2,col=4", "tpu-v5e", "Ring"})
      EXPECT_NE(head.find(part), std::string::npos) << head;
    EXPECT_EQ(texts(talk->foot()), talk->talk().said().toStdString() + " ");
    EXPECT_GE(talk->stage().height(), size.height() / 2);
    talk->close();
    settle(5);
  }
}

// With SHARDSCOPE_PICTURES=folder they are kept to be looked at.
TEST_F(PresentTest, EveryViewIsDrawn) {
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  for (const char* preset : {"teaching", "all_4x4"}) {
    if (folder.isEmpty() && preset == std::string("all_4x4")) continue;
    WindowTest::open(preset);
    runAll();
    clock().setBeat(clock().beatCount() / 2);
    for (const bool dark : {false, true}) {
      preferences.overrideLook(dark, {});
      for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
        for (const RunView& view : run_views()) {
          Presentation* talk = shown(size.width(), size.height(), view.id);
          const QImage image = talk->grab().toImage();
          EXPECT_EQ(image.size(), size);
          if (!folder.isEmpty())
            image.save(QString("%1/present_%2_%3_%4%5.png")
                           .arg(folder, preset, view.id)
                           .arg(size.height())
                           .arg(dark ? "_dark" : ""));
          talk->close();
          settle(5);
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardscope::present_test
