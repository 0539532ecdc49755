// SPDX-License-Identifier: Apache-2.0
// One moment for all views: beats in time order, causes that lead on in time, playing, scrubbing, sentences.
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include "app/window/document/run_player.h"
#include "app/window/runs/events_table.h"
#include "app/window/runs/plane_canvas.h"
#include "app/window/widgets/step_bar.h"
#include "tests/app/transport_bar.h"
#include "tests/app/window_fixture.h"

namespace shardscope::clock_test {
namespace {

TEST(RunPlayer, StepsGoFromEndToEndAndThoseTogetherAreOne) {
  RunPlayer player;
  player.setEnds({0, 10, 30, 30, 100});
  EXPECT_EQ(player.time(), 0);
  std::vector<Picoseconds> seen;
  for (int i = 0; i < 4; ++i) {
    player.stepBy(1);
    seen.push_back(player.time());
  }
  EXPECT_EQ(seen, (std::vector<Picoseconds>{10, 30, 100, 100}));
  player.setTime(31);
  player.stepBy(-1);
  EXPECT_EQ(player.time(), 30);
  player.setTime(29);
  player.stepBy(1);
  EXPECT_EQ(player.time(), 30);
}

TEST(RunPlayer, ScrubbingStaysBetweenTheFirstAndTheLastEnd) {
  RunPlayer player;
  player.setEnds({0, 10, 100});
  player.setTime(55);
  EXPECT_EQ(player.time(), 55);
  player.setTime(-3);
  EXPECT_EQ(player.time(), 0);
  player.setTime(1000);
  EXPECT_EQ(player.time(), 100);
}

// Half of a run of two beats, one ten times as long as the other: by beats the first one, in proportion to
// time a part of the second.
TEST(RunPlayer, PlaysABeatASecondOrInProportionToTime) {
  for (const RunPlayer::Pace pace : {RunPlayer::Pace::beats, RunPlayer::Pace::time}) {
    RunPlayer player;
    player.setSpeed(4);
    player.setPace(pace);
    player.setEnds({0, 10'000, 110'000});
    std::vector<Picoseconds> seen;
    QObject::connect(&player, &RunPlayer::changed, &player, [&] { seen.push_back(player.time()); });
    player.play(true);
    ASSERT_TRUE(wait_for([&] { return !player.playing(); }));
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_EQ(player.time(), 110'000);
    const auto early = std::count_if(seen.begin(), seen.end(), [](Picoseconds t) { return t <= 10'000; });
    const double share = static_cast<double>(early) / static_cast<double>(seen.size());
    EXPECT_NEAR(share, pace == RunPlayer::Pace::beats ? 0.5 : 0.09, 0.2);
  }
}

TEST(RunPlayer, PausingAndChangingThePaceKeepTheMoment) {
  RunPlayer player;
  player.setEnds({0, 10'000, 110'000});
  player.setTime(60'000);
  player.setPace(RunPlayer::Pace::time);
  EXPECT_EQ(player.time(), 60'000);
  player.play(true);
  ASSERT_TRUE(wait_for([&] { return player.time() > 60'000; }));
  EXPECT_LT(player.time(), 90'000) << "it goes on from there";
  player.play(false);
  const Picoseconds paused = player.time();
  EXPECT_LT(paused, 110'000);
  player.setPace(RunPlayer::Pace::beats);
  EXPECT_EQ(player.time(), paused);
}

class ClockTest : public WindowTest {
 protected:
  void show(const std::string& strategy) {
    runAll();
    showRunOf(strategy);
  }
  const std::vector<Event>& events() { return clock().shown()->run->timeline.events; }
};

TEST_F(ClockTest, WhoHoldsWhatIsFoundOnceForAMomentAndAllItsPictures) {
  show("wang.os");
  auto* grid = static_cast<PlaneCanvas*>(window->showPanel("grid").widget);
  const auto held = [&]() -> const HeldNow& {
    return held_now(clock().shown()->input(), clock().selection().time);
  };
  clock().setBeat(2);
  const auto holdings = [&] { return holdings_text(*clock().story(), 3, clock().selection().time); };
  const std::string& second = held().holdings(3);
  EXPECT_EQ(second, holdings());
  ItemId device;
  device.kind = ItemId::Kind::device;
  device.device = 1;
  clock().hover(device);
  const Scene whole = grid->scene();
  QTest::keyClick(grid, Qt::Key_Down);
  EXPECT_NE(grid->scene(), whole);
  EXPECT_EQ(&held().holdings(3), &second) << "it is the same one still";
  clock().setBeat(3);
  EXPECT_FALSE(grid->scene().order().empty());
  EXPECT_EQ(held().holdings(3), holdings());
  // Another showing of the run has another story, and what was held of the old one goes with it.
  const ShownRunPtr again = with_story(shardscope::show(clock().shown()->run), {});
  clock().showRun(again);
  EXPECT_TRUE(held().tells(*again->story, clock().selection().time));
}

TEST_F(ClockTest, ARunIsShownBeforeItsStoryIsToldAndTheMomentStays) {
  show("wang.os");
  const ShownRunPtr told = clock().shown();
  const ShownRunPtr untold = shardscope::show(told->run);
  clock().showRun(untold);
  auto* line = window->findChild<QLabel*>("sentence");
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->accessibleName().toStdString(), why_untold(untold->input()));
  EXPECT_TRUE(line->accessibleName().startsWith("Preparing the story"));
  const Picoseconds moment = told->story->moment_of(3);
  clock().player().setTime(moment);
  clock().tell(with_story(untold, {}));
  EXPECT_EQ(clock().selection().time, moment);
  EXPECT_EQ(clock().beat(), told->story->beat_at(moment));
  EXPECT_EQ(line->accessibleName().toStdString(),
            sentence_now(told->input(), clock().selection(), preferences.sentences()));
}

TEST_F(ClockTest, ANewerChoiceLeavesTheOlderStoryUntold) {
  show("wang.os");
  std::stop_source stop;
  stop.request_stop();
  const ShownRunPtr cancelled = with_story(shardscope::show(clock().shown()->run), stop.get_token());
  EXPECT_EQ(cancelled->story, nullptr);
  const auto& rows = window->bench().runs().rows();
  ASSERT_GT(rows.size(), 1U);
  for (const RunSummary& row : rows) window->bench().presenter().show(row.id);
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  EXPECT_EQ(clock().shown()->run->id, rows.back().id);
  EXPECT_NE(clock().shown()->story, nullptr);
}

TEST_F(ClockTest, SelectingAnEventGoesInsideIt) {
  show("meshslice.ls");
  for (size_t i = 0; i < events().size(); i += 7) {
    select(static_cast<int32_t>(i));
    EXPECT_LE(events()[i].start, clock().selection().time);
    EXPECT_GE(events()[i].end, clock().selection().time);
  }
}

TEST_F(ClockTest, AlongCausesTimeNeverRunsBackwards) {
  show("meshslice.ls");
  window->timeline()->setFocus();
  for (int32_t first = 0; first < std::ssize(events()); first += 11) {
    select(first);
    Picoseconds before = clock().selection().time;
    for (int moves = 0; moves < 40; ++moves) {
      const int32_t number = clock().selection().selected.event;
      QTest::keyClick(window->timeline(), Qt::Key_BracketRight);
      if (clock().selection().selected.event == number) break;
      ASSERT_GT(clock().selection().time, before) << number;
      before = clock().selection().time;
    }
    for (int moves = 0; moves < 40; ++moves) {
      const int32_t number = clock().selection().selected.event;
      QTest::keyClick(window->timeline(), Qt::Key_BracketLeft);
      if (clock().selection().selected.event == number) break;
      ASSERT_LT(clock().selection().time, before) << number;
      before = clock().selection().time;
    }
  }
}

TEST_F(ClockTest, ToolbarRulerSentenceAndTableCountTheSameBeats) {
  show("wang.os");
  const Story& story = *clock().story();
  StepBar* bar = &transport_bar(*window);
  clock().setBeat(0);
  EXPECT_TRUE(bar->text().startsWith("before the first of ")) << bar->text().toStdString();
  while (clock().beat() < clock().beatCount()) {
    clock().player().stepBy(1);
    const CurrentBeats told = current_beats(story, clock().selection());
    const std::string name = beat_name(story, told.first, told.last);
    EXPECT_TRUE(bar->text().toStdString().starts_with(name)) << bar->text().toStdString();
    Narrator narrator(clock(), preferences);
    EXPECT_TRUE(narrator.sentence().toStdString().starts_with(name + ": "));
    bool drawn = false;
    for (const AccessibleItem& item : window->timeline()->scene().accessible())
      drawn = drawn || (item.name.starts_with("now ") && item.name.find(name + ": ") != std::string::npos);
    EXPECT_TRUE(drawn) << name;
  }
  window->showPanel("events");
  settle();
  EventsModel& model = *window->docks().widget<EventsTable>("events")->model();
  for (int row = 0; row < model.rowCount(); ++row) {
    EXPECT_EQ(model.index(row, EventsModel::beat).data().toInt(), story.beat_of(model.number(row)));
    EXPECT_FALSE(model.index(row, EventsModel::operation).data().toString().contains("block "));
  }
}

TEST_F(ClockTest, DraggingOnTheRulerMovesTheMomentAndKeepsTheSelection) {
  show("wang.os");
  select(3);
  TimelineCanvas* timeline = window->timeline();
  const TimeAxis axis = timeline->axis();
  const auto at = [&](double part) { return QPoint(static_cast<int>(axis.left + axis.width * part), 8); };
  const TimeRange visible = axis.range;
  QTest::mousePress(timeline, Qt::LeftButton, Qt::NoModifier, at(0.25));
  EXPECT_NEAR(static_cast<double>(clock().selection().time), static_cast<double>(visible.length()) * 0.25,
              static_cast<double>(visible.length()) * 0.01);
  QTest::mouseMove(timeline, at(0.75));
  QTest::mouseRelease(timeline, Qt::LeftButton, Qt::NoModifier, at(0.75));
  EXPECT_NEAR(static_cast<double>(clock().selection().time), static_cast<double>(visible.length()) * 0.75,
              static_cast<double>(visible.length()) * 0.01);
  EXPECT_EQ(timeline->axis().range, visible) << "it does not zoom";
  EXPECT_EQ(clock().selection().selected.event, 3);
  QTest::mouseClick(timeline, Qt::LeftButton, Qt::NoModifier, at(0.5));
  EXPECT_EQ(clock().selection().selected.event, 3);
}

TEST_F(ClockTest, AClickOnABeatGoesToItsEnd) {
  show("wang.os");
  clock().setBeat(0);
  ItemId item;
  item.kind = ItemId::Kind::step;
  item.index = 3;
  clock().select(item);
  EXPECT_EQ(clock().selection().time, clock().story()->moment_of(3));
}

TEST_F(ClockTest, ThePaceIsASwitchThatIsRemembered) {
  QAction* action = window->action("step.in_time");
  ASSERT_FALSE(action->isChecked());
  action->trigger();
  EXPECT_TRUE(action->isChecked());
  EXPECT_EQ(clock().player().pace(), RunPlayer::Pace::time);
  EXPECT_TRUE(Preferences().playsInTime());
  action->trigger();
  EXPECT_EQ(clock().player().pace(), RunPlayer::Pace::beats);
  EXPECT_FALSE(Preferences().playsInTime());
}

TEST_F(ClockTest, SentencesHaveThreeLevelsInMenuStatusBarAndPresentation) {
  show("wang.os");
  clock().setBeat(2);
  auto* line = window->findChild<QLabel*>("sentence");
  ASSERT_NE(line, nullptr);
  Presentation* shown = presentation();
  for (const SentenceLevel level : sentence_levels()) {
    window->action(QString("sentences.") + name(level))->trigger();
    const std::string told = sentence_now(clock().shown()->input(), clock().selection(), level);
    EXPECT_EQ(line->accessibleName().toStdString(), told);
    EXPECT_EQ(shown->talk().said().toStdString(), told);
  }
  QTest::keyClick(shown, Qt::Key_1);
  EXPECT_EQ(preferences.sentences(), SentenceLevel::idea);
  QTest::keyClick(shown, Qt::Key_2);
  EXPECT_EQ(shown->talk().said().toStdString(),
            sentence_now(clock().shown()->input(), clock().selection(), SentenceLevel::moves));
  QTest::keyClick(shown, Qt::Key_1);
  shown->close();
}

}  // namespace
}  // namespace shardscope::clock_test
