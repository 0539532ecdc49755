// SPDX-License-Identifier: Apache-2.0
#include <QDropEvent>
#include <QMimeData>
#include <QTest>

#include "app/window/dialogs/key_overview.h"
#include "app/window/shell/command_palette.h"
#include "app/window/widgets/axis_drag.h"
#include "tests/app/window_fixture.h"

namespace shardscope::keys_test {
namespace {

class KeysTest : public TimelineTest {
 protected:
  // An event that something caused.
  int32_t effect() {
    const auto& events = clock().shown()->run->timeline.events;
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].cause >= 0) return static_cast<int32_t>(i);
    }
    return -1;
  }
};

TEST_F(KeysTest, SpacePlaysAndCommaAndPeriodStepFromTheRunsTable) {
  QTableView* table = window->runsTable()->view();
  table->setFocus();
  clock().setBeat(1);
  const int first = clock().beat();
  QTest::keyClick(table, Qt::Key_Period);
  EXPECT_GT(clock().beat(), first);
  QTest::keyClick(table, Qt::Key_Comma);
  EXPECT_EQ(clock().beat(), first);
  QTest::keyClick(table, Qt::Key_Space);
  EXPECT_TRUE(clock().player().playing());
  QTest::keyClick(table, Qt::Key_Space);
  EXPECT_FALSE(clock().player().playing());
}

TEST_F(KeysTest, PlainKeysTypedIntoAFieldStayThere) {
  QLineEdit* field = window->form()->sharding()->spec(0);
  field->setFocus();
  field->clear();
  QTest::keyClick(field, Qt::Key_Space);
  QTest::keyClick(field, Qt::Key_W);
  QTest::keyClick(field, Qt::Key_Slash);
  EXPECT_FALSE(clock().player().playing());
  EXPECT_EQ(field->text(), " w/");
}

TEST_F(KeysTest, WsZoomAndAdPan) {
  const TimeRange all = timeline->axis().range;
  QTest::keyClick(timeline, Qt::Key_W);
  QTest::keyClick(timeline, Qt::Key_W);
  const TimeRange near = timeline->axis().range;
  EXPECT_LT(near.length(), all.length());
  QTest::keyClick(timeline, Qt::Key_D);
  const TimeRange right = timeline->axis().range;
  EXPECT_GT(right.start, near.start);
  QTest::keyClick(timeline, Qt::Key_A);
  EXPECT_LT(timeline->axis().range.start, right.start);
  QTest::keyClick(timeline, Qt::Key_S);
  EXPECT_GT(timeline->axis().range.length(), near.length());
}

TEST_F(KeysTest, FFitsTheSelectionAndHomeFitsAll) {
  const TimeRange all = timeline->axis().range;
  select(effect());
  QTest::keyClick(timeline, Qt::Key_F);
  const Event& event =
      clock().shown()->run->timeline.events[static_cast<size_t>(clock().selection().selected.event)];
  EXPECT_LT(timeline->axis().range.length(), all.length());
  EXPECT_LE(timeline->axis().range.start, event.start);
  EXPECT_GE(timeline->axis().range.end, event.end);
  QTest::keyClick(timeline, Qt::Key_Home);
  EXPECT_EQ(timeline->axis().range, all);
}

TEST_F(KeysTest, BracketsGoToTheCauseAndToAnEffect) {
  const int32_t number = effect();
  ASSERT_GE(number, 0);
  const auto& events = clock().shown()->run->timeline.events;
  select(number);
  QTest::keyClick(timeline, Qt::Key_BracketLeft);
  const int32_t cause = clock().selection().selected.event;
  EXPECT_EQ(cause, events[static_cast<size_t>(number)].cause);
  QTest::keyClick(timeline, Qt::Key_BracketRight);
  EXPECT_EQ(events[static_cast<size_t>(clock().selection().selected.event)].cause, cause);
}

TEST_F(KeysTest, MMeasuresFromOneEventToAnother) {
  const int32_t last = static_cast<int32_t>(clock().shown()->run->timeline.events.size()) - 1;
  select(0);
  QTest::keyClick(timeline, Qt::Key_M);
  select(last);
  QTest::keyClick(timeline, Qt::Key_M);
  const auto& events = clock().shown()->run->timeline.events;
  ASSERT_TRUE(clock().selection().range);
  EXPECT_EQ(clock().selection().range->start, events[0].start);
  EXPECT_GE(clock().selection().range->end, events[static_cast<size_t>(last)].end);
}

TEST_F(KeysTest, DigitsSetAndReturnToBookmarks) {
  for (int digit = 1; digit <= 9; ++digit) {
    QTest::keyClick(timeline, Qt::Key_W);
    const TimelineViewport there = timeline->viewport();
    QTest::keyClick(timeline, Qt::Key_0 + digit, Qt::ControlModifier);
    QTest::keyClick(timeline, Qt::Key_Home);
    ASSERT_NE(timeline->viewport(), there);
    QTest::keyClick(timeline, Qt::Key_0 + digit);
    EXPECT_EQ(timeline->viewport(), there) << digit;
  }
}

TEST_F(KeysTest, AltLeftAndRightWalkThroughSelections) {
  select(0);
  const int32_t second = effect();
  select(second);
  QTest::keyClick(timeline, Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(clock().selection().selected.event, 0);
  QTest::keyClick(timeline, Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(clock().selection().selected.event, second);
  QTest::keyClick(timeline, Qt::Key_Escape);
  EXPECT_EQ(clock().selection().selected.kind, ItemId::Kind::none);
}

TEST_F(KeysTest, AKeyFindsDevicesAndInstructions) {
  QTest::keyClick(timeline, Qt::Key_G, Qt::ControlModifier);
  auto* palette = window->findChild<CommandPalette*>();
  ASSERT_NE(palette, nullptr);
  QTest::keyClicks(palette->input(), "device (1,2)");
  QTest::keyClick(palette->input(), Qt::Key_Return);
  EXPECT_EQ(clock().selection().selected.kind, ItemId::Kind::device);
  EXPECT_EQ(clock().selection().selected.device, 6);
}

TEST_F(KeysTest, SlashSearchesTheTimelineAndWalksTheHits) {
  QTest::keyClick(timeline, Qt::Key_Slash);
  settle();
  TimelineSearch& search = timeline->marks().search();
  ASSERT_TRUE(search.isVisible());
  QTest::keyClicks(search.field(), "(1,2) dot");
  const auto& events = clock().shown()->run->timeline.events;
  std::vector<int32_t> dots;
  for (int32_t e = 0; e < std::ssize(events); ++e) {
    const Event& event = events[static_cast<size_t>(e)];
    const Instruction& of = clock().shown()->run->program.by_global_index(event.instruction);
    if (event.device == 6 && of.name.find("dot") != std::string::npos) dots.push_back(e);
  }
  ASSERT_FALSE(dots.empty());
  EXPECT_EQ(search.found(), dots);
  const auto count = static_cast<int>(dots.size());
  for (int k = 0; k < count + 1; ++k) {
    QTest::keyClick(search.field(), Qt::Key_Return);
    const int at = search.at();
    EXPECT_EQ(search.count(), QString("%1 of %2").arg(at + 1).arg(count));
    EXPECT_EQ(clock().selection().selected.event, dots[static_cast<size_t>(at)]);
    const TimeRange seen = timeline->axis().range;
    EXPECT_LE(seen.start, events[static_cast<size_t>(dots[static_cast<size_t>(at)])].start);
    EXPECT_GE(seen.end, events[static_cast<size_t>(dots[static_cast<size_t>(at)])].end);
  }
  const int32_t here = clock().selection().selected.event;
  QTest::keyClick(search.field(), Qt::Key_Return);
  QTest::keyClick(search.field(), Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(clock().selection().selected.event, here);
  QTest::keyClick(search.field(), Qt::Key_Escape);
  EXPECT_FALSE(search.isVisible());
  EXPECT_TRUE(search.found().empty());
}

TEST_F(KeysTest, MeasuringSaysWhatItWaitsForAndEscEndsItAtAnyStage) {
  const auto hint = [&] {
    for (const AccessibleItem& item : timeline->scene().accessible())
      if (item.name.starts_with("measuring")) return item.name;
    return std::string();
  };
  EXPECT_EQ(hint(), "");
  QTest::keyClick(timeline, Qt::Key_M);
  EXPECT_EQ(hint(), "measuring: click the first point – Esc ends");
  QTest::keyClick(timeline, Qt::Key_Escape);
  EXPECT_EQ(hint(), "");
  select(0);
  QTest::keyClick(timeline, Qt::Key_M);
  EXPECT_TRUE(hint().starts_with("measuring from 0 s")) << hint();
  QTest::keyClick(timeline, Qt::Key_Escape);
  EXPECT_EQ(hint(), "");
  EXPECT_FALSE(clock().selection().range.has_value());
  EXPECT_EQ(clock().selection().selected.event, 0) << "what was selected stays";
}

TEST_F(KeysTest, QuestionMarkShowsTheKeysOfEveryAction) {
  QTest::keyClick(timeline, Qt::Key_Question, Qt::ShiftModifier);
  auto* overview = window->findChild<KeyOverview*>();
  ASSERT_NE(overview, nullptr);
  const QString all = overview->shown().join('\n');
  for (const QAction* action : window->findChildren<QAction*>()) {
    if (action->shortcut().isEmpty() || action->text().isEmpty()) continue;
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    EXPECT_TRUE(all.contains(key)) << key.toStdString();
  }
}

TEST_F(KeysTest, AxisDraggedOntoADimensionReplansThoseThatReadShardings) {
  DimensionSlot* slot = window->form()->sharding()->findChildren<DimensionSlot*>()[1];  // k of X
  QMimeData axis;
  axis.setData("application/x-shardscope-axis", "row");
  QDragEnterEvent enter({4, 4}, Qt::CopyAction, &axis, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(slot, &enter);
  ASSERT_TRUE(enter.isAccepted());
  QDropEvent drop({4, 4}, Qt::CopyAction, &axis, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(slot, &drop);
  const Experiment after = window->bench().document().experiment();
  ASSERT_FALSE(after.runs.empty());
  ASSERT_TRUE(after.runs[0].options.in_lhs);
  EXPECT_EQ(after.runs[0].options.in_lhs->dims[1].back(), "row");
  StrategyList* list = window->form()->strategies();
  ASSERT_TRUE(wait_for([&] { return list->reasonsKnown(); }));
  EXPECT_EQ(list->reason("wang.os"), "keeps its own shardings");
  EXPECT_NE(list->reason("pjit.inner"), "keeps its own shardings");
}

TEST_F(KeysTest, EveryNumberOfTheTableExplainsItself) {
  const RunsModel* model = window->runsTable()->model();
  for (int column : {RunsModel::time, RunsModel::exposed, RunsModel::sent, RunsModel::peak}) {
    const QModelIndex cell = model->index(0, column);
    const QString number = cell.data().toString().remove("≈ ");
    EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().contains(number)) << column;
  }
}

TEST_F(KeysTest, StrategyThatCannotRunStandsInTheTableWithItsReason) {
  Experiment e = window->bench().document().experiment();
  e.mesh = Mesh::parse("row=3,col=3").value();
  e.problem.m = e.problem.k = e.problem.n = 9;
  window->bench().document().change(e, "odd mesh");
  runAll();
  const RunsModel* model = window->runsTable()->model();
  ASSERT_FALSE(window->bench().runs().skipped().empty());
  const QModelIndex reason = model->index(model->rowCount() - 1, RunsModel::time);
  EXPECT_TRUE(reason.data().toString().startsWith("did not run: "));
}

}  // namespace
}  // namespace shardscope::keys_test
