// SPDX-License-Identifier: Apache-2.0
// The Events dock: rows by filter, one selection with the timeline.
#include <QAbstractItemModelTester>

#include "app/window/runs/events_table.h"
#include "tests/app/window_fixture.h"

namespace shardscope::events_test {
namespace {

class EventsTest : public WindowTest {
 protected:
  EventsTable& table() { return *window->docks().widget<EventsTable>("events"); }
};

TEST_F(EventsTest, EveryEventIsARowAndWordsNarrowThem) {
  QAbstractItemModelTester promises(table().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  runAll();
  showRunOf("wang.os");
  window->showPanel("events");
  settle();
  const auto& events = clock().shown()->run->timeline.events;
  ASSERT_EQ(table().model()->rowCount(), std::ssize(events));
  table().filter()->setText("(0,0) compute");
  const auto there = std::count_if(events.begin(), events.end(), [](const Event& e) {
    return e.device == 0 && e.kind == EventKind::compute;
  });
  EXPECT_EQ(table().model()->rowCount(), there);
  EXPECT_TRUE(table().summary().startsWith(QString("%L1 of ").arg(static_cast<qint64>(there))));
  table().filter()->setText("no such thing");
  EXPECT_EQ(table().model()->rowCount(), 0);
}

TEST_F(EventsTest, ARowSelectsItsEventAndASelectedEventItsRow) {
  runAll();
  showRunOf("wang.os");
  window->showPanel("events");
  settle();
  table().view()->selectRow(3);
  EXPECT_EQ(clock().selection().selected.event, table().model()->number(3));
  ItemId item = clock().selection().selected;
  item.event = table().model()->number(1);
  clock().select(item);
  EXPECT_EQ(table().view()->currentIndex().row(), 1);
}

}  // namespace
}  // namespace shardscope::events_test
