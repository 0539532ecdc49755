// SPDX-License-Identifier: Apache-2.0
// Profiles of real runs in a workspace.
#include "engine/trace/measured_record.h"

#include <gtest/gtest.h>

#include "engine/trace/sql/database.h"
#include "engine/trace/workspace.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::measured_record_test {
namespace {

MeasuredTrace small_trace() {
  MeasuredTrace t;
  t.format = "kineto";
  t.source = "a.json, b.json";
  t.title = "a.json and 1 more";
  t.devices = 2;
  t.event_count = 2;
  t.device_time_s = 7e-6;
  t.matched_share = 5.0 / 7;
  t.device_names = {"rank 0 GPU 0", "rank 1 GPU 0"};
  t.lanes = {"stream 7"};
  MeasuredOperation reduce;
  reduce.op = "allreduce";
  reduce.kind = MeasuredKind::collective;
  reduce.opcode = "all-reduce";
  reduce.bytes = 1 << 20;
  reduce.group = 2;
  reduce.matched = true;
  reduce.count = 1;
  reduce.total_s = reduce.mean_s = reduce.p50_s = reduce.p95_s = 4e-6;
  reduce.wait_s = 1e-6;
  MeasuredOperation strange;
  strange.op = "my_kernel";
  strange.count = 1;
  strange.total_s = strange.mean_s = strange.p50_s = strange.p95_s = 2e-6;
  t.operations = {reduce, strange};
  t.events = {{0, 5'000'000, 1'000'000, 0, 0, 0}, {1'000'000, 3'000'000, 0, 1, 0, 1}};
  t.steps = {{0, 9'000'000}};
  t.unmatched = unmatched_of(t.operations);
  t.notes = {"two events of a negative duration are left out"};
  return t;
}

TEST(MeasuredRecord, ATraceComesBackAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.shardscope");
  EXPECT_EQ(*record_measured(path, small_trace()), 1);
  EXPECT_EQ(*record_measured(path, small_trace()), 2);
  MeasuredTrace back = load_measured(path, 2).value();
  EXPECT_EQ(back.id, 2);
  EXPECT_FALSE(back.created.empty());
  back.id = 0;
  back.created = "";
  EXPECT_EQ(back, small_trace());
  const auto list = list_measured(path).value();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].title, "a.json and 1 more");
  EXPECT_NE(load_measured(path, 7).error().text().find("there are 1, 2"), std::string::npos);
}

TEST(MeasuredRecord, AStoppedOneLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.shardscope");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(record_measured(path, small_trace(), stop.get_token()).error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(list_measured(path)->empty());
}

TEST(MeasuredRecord, EventsAreRowsForAnybodysSql) {
  const TemporaryFolder folder;
  const std::string path = folder.file("w.shardscope");
  ASSERT_TRUE(record_measured(path, small_trace()).ok());
  const auto workspace = *Workspace::open(path, true);
  const QueryResult rows = *workspace->query(
      "SELECT device, lane, op, kind, duration_s FROM measured_device_event WHERE trace = 1", 10);
  ASSERT_EQ(rows.rows.size(), 2U);
  EXPECT_EQ(rows.rows[0], (std::vector<std::string>{"0", "stream 7", "allreduce", "collective", "5.0e-06"}));
}

TEST(MeasuredRecord, DamagedRowsAreAnErrorAndNoTrace) {
  for (const char* damage :
       {"UPDATE measured_event SET device = 2", "UPDATE measured_event SET operation = -1",
        "UPDATE measured_event SET end = start - 1", "UPDATE measured_event SET wait = 9000000",
        "UPDATE measured_event SET start = 9e18, end = 9e18", "UPDATE measured_operation SET kind = 'x'",
        "UPDATE measured_trace SET device_names = '[1'", "DELETE FROM measured_event WHERE number = 0"}) {
    const TemporaryFolder folder;
    const std::string path = folder.file("w.shardscope");
    ASSERT_TRUE(record_measured(path, small_trace()).ok());
    ASSERT_TRUE(Database::open(path, SQLITE_OPEN_READWRITE)->execute(damage).ok()) << damage;
    const auto outcome = load_measured(path, 1);
    ASSERT_FALSE(outcome.ok()) << damage;
    EXPECT_EQ(outcome.error().kind, ErrorKind::io) << damage;
  }
}

}  // namespace
}  // namespace shardscope::measured_record_test
