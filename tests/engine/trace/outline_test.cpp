// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <gtest/gtest.h>
#include <stop_token>

#include "engine/run/equal_devices.h"
#include "engine/strategies/strategy.h"
#include "engine/trace/workspace.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::outline_test {
namespace {

struct Recorded {
  RunPtr run;
  std::shared_ptr<Workspace> workspace = Workspace::in_memory().value();
  explicit Recorded(const std::string& strategy, const std::string& mesh) : run(sample_run(strategy, mesh)) {
    EXPECT_EQ(workspace->record(run).value(), 1);
    EXPECT_TRUE(workspace->wait().ok());
  }
};

TEST(Outlines, AreRunsWithoutTheirEventsAndTheirMemory) {
  const Recorded recorded("wang.os", "row=2,col=4");
  const auto outline = recorded.workspace->outline(1);
  ASSERT_TRUE(outline.ok()) << outline.error().text();
  EXPECT_TRUE((*outline)->timeline.events.empty());
  EXPECT_TRUE((*outline)->timeline.memory.empty());
  const RunPtr whole = recorded.workspace->load(1).value();
  ASSERT_FALSE(whole->timeline.events.empty());
  auto filled = std::make_shared<shardscope::Run>(**outline);
  filled->timeline.events = whole->timeline.events;
  filled->timeline.critical_path = whole->timeline.critical_path;
  filled->timeline.memory = whole->timeline.memory;
  filled->timeline.buffers = whole->timeline.buffers;
  filled->timeline.contents = whole->timeline.contents;
  expect_equal_runs(*filled, *recorded.run);
  EXPECT_EQ(filled->timeline.schedules.size(), whole->timeline.schedules.size());
  EXPECT_EQ(recorded.workspace->outline(7).error().what, "there is no run 7");
}

TEST(Outlines, RowsSayHowManyEventsWereKept) {
  const Recorded recorded("wang.os", "row=2,col=4");
  EXPECT_EQ(recorded.workspace->runs().value().front().events, std::ssize(recorded.run->timeline.events));
  EXPECT_EQ(recorded.workspace->trace(1).value()->events_kept(), std::ssize(recorded.run->timeline.events));
  auto totals = std::make_shared<shardscope::Run>(*recorded.run);
  totals->timeline.events.clear();
  totals->timeline.critical_path.events.clear();
  const int64_t id = recorded.workspace->record(totals).value();
  ASSERT_TRUE(recorded.workspace->wait().ok());
  EXPECT_EQ(recorded.workspace->runs().value().back().events, 0);
  EXPECT_EQ(recorded.workspace->trace(id).value()->events_kept(), 0);
}

// What a record keeps once for several devices is the same on them, and what it keeps apart may be, too: the
// rows of a picture from the record are those of one from the events.
TEST(Outlines, DevicesAreAlikeAsTheirEventsAre) {
  for (const char* strategy : {"cannon.os", "fox", "wang.os", "summa.os", "collective.os"}) {
    const Recorded recorded(strategy, "row=4,col=4");
    const EqualDevices by_events = equal_devices(*recorded.run, *memory_trace(recorded.run));
    const auto trace = recorded.workspace->trace(1).value();
    const EqualDevices stored = equal_devices(*recorded.workspace->outline(1).value(), *trace);
    EXPECT_EQ(stored.like, by_events.like) << strategy;
    EXPECT_EQ(stored.used, by_events.used) << strategy;
    const std::vector<int32_t> known = trace->known_alike();
    ASSERT_EQ(known.size(), by_events.like.size());
    for (size_t d = 0; d < known.size(); ++d) {
      EXPECT_LE(known[d], static_cast<int32_t>(d));
      EXPECT_EQ(by_events.like[static_cast<size_t>(known[d])], by_events.like[d]) << strategy << " " << d;
    }
    // It says so when it cannot know.
    EXPECT_EQ(stored.exact, known == stored.like) << strategy;
  }
}

// Nothing is known of devices of which only totals were kept, though their events, none, are kept as one.
TEST(Outlines, TotalsTellDevicesApartWhereThereAreNoEvents) {
  auto run = sample_run("wang.os", "row=2,col=2");
  run->timeline.events.clear();
  run->timeline.critical_path.events.clear();
  run->timeline.totals[2].bytes_sent += 1;
  const auto workspace = Workspace::in_memory().value();
  ASSERT_TRUE(workspace->record(run).ok());
  ASSERT_TRUE(workspace->wait().ok());
  const EqualDevices stored = equal_devices(*workspace->outline(1).value(), *workspace->trace(1).value());
  EXPECT_EQ(stored.like, equal_devices(*run, *memory_trace(run)).like);
  EXPECT_EQ(stored.like[2], 2);
  EXPECT_FALSE(stored.exact);
}

TEST(Loading, TellsHowFarItIsAndStops) {
  auto run = sample_run("wang.os", "row=2,col=4");
  // Long enough for several reports.
  const std::vector<Event> events = run->timeline.events;
  while (run->timeline.events.size() < 300'000) {
    const Picoseconds later = run->timeline.total;
    for (Event event : events) {
      event.start += later, event.end += later, event.cause = -1;
      run->timeline.total = std::max(run->timeline.total, event.end);
      run->timeline.events.push_back(event);
    }
  }
  run->timeline.event_count = std::ssize(run->timeline.events);
  const auto workspace = Workspace::in_memory().value();
  ASSERT_TRUE(workspace->record(run).ok());
  ASSERT_TRUE(workspace->wait().ok());
  std::vector<double> told;
  const auto loaded = workspace->load(1, {{}, [&](double fraction) { told.push_back(fraction); }});
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ((*loaded)->timeline.events.size(), run->timeline.events.size());
  EXPECT_GE(told.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GT(told.front(), 0);
  EXPECT_LE(told.back(), 1);
  std::stop_source stop;
  const auto stopped = workspace->load(1, {stop.get_token(), [&](double) { stop.request_stop(); }});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace shardscope::outline_test
