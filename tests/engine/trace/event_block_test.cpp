// SPDX-License-Identifier: Apache-2.0
// Events by columns: packed and read again, and damaged.
#include "engine/trace/blocks/event_block.h"

#include <filesystem>
#include <limits>
#include <random>
#include <sqlite3.h>

#include "engine/trace/workspace.h"
#include "tests/engine/run/made_timeline.h"
#include "tests/engine/run/trace_conformance.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::event_block_test {
namespace {

void execute(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  EXPECT_GT(sqlite3_total_changes(db), 0) << sql;
  sqlite3_close(db);
}

std::vector<int64_t> read_again(const std::vector<int64_t>& values) {
  std::string packed;
  append_column(packed, values);
  append_column(packed, values);  // nothing of the first is written over
  end_columns(packed);
  std::string_view rest = packed;
  std::vector<int64_t> first(values.size()), second(values.size());
  EXPECT_TRUE(take_column(rest, first));
  EXPECT_TRUE(take_column(rest, second));
  EXPECT_EQ(rest.size(), 8U);
  EXPECT_EQ(first, second);
  return first;
}

TEST(PackedColumns, HoldNumbersOfEveryWidth) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
  std::vector<std::vector<int64_t>> cases = {{}, {7}, {-1, -1, -1}, {kLeast, kMost, 0}, {kLeast}, {kMost}};
  for (int bits = 0; bits < 63; ++bits)
    for (const int64_t base : {int64_t{0}, int64_t{-1000}, kLeast, kMost - (int64_t{1} << bits)})
      cases.push_back({base + (int64_t{1} << bits), base, base + 1});
  for (const std::vector<int64_t>& values : cases) EXPECT_EQ(read_again(values), values);
  std::string packed;
  append_column(packed, std::vector<int64_t>(1000, 5));
  EXPECT_LT(packed.size(), 10U) << "equal numbers take no room";
}

TEST(PackedColumns, ThatAreDamagedAreRefused) {
  std::vector<int64_t> values = {1, 300, 70'000};
  std::string packed;
  append_column(packed, values);
  end_columns(packed);
  for (size_t size = 0; size < packed.size(); ++size) {
    std::string_view cut = std::string_view(packed).substr(0, size);
    EXPECT_FALSE(take_column(cut, values)) << size;
  }
  packed[0] = 9;
  std::string_view wide = packed;
  EXPECT_FALSE(take_column(wide, values));
}

// Shared and not, overlapping and not, more than a block and less.
std::vector<RunPtr> runs_of_all_kinds() {
  std::vector<RunPtr> runs;
  for (const char* strategy : {"collective.os", "wang.os", "cannon.os"})
    runs.push_back(sample_run(strategy, "row=4,col=4"));
  for (const bool overlapping : {false, true}) {
    auto run = sample_run("psum", "row=2,col=2");
    run->timeline = made_timeline(3, 2, 3000, 11, overlapping);
    run->timeline.events[5].flops = 0.1;
    run->timeline.events[6].flops = -0.0;
    run->timeline.events[7].bytes = int64_t{1} << 50;
    run->timeline.contents.clear();
    runs.push_back(run);
  }
  return runs;
}

void expect_same_bins(const TraceSource& a, const TraceSource& b, const Timeline& timeline) {
  for (const TimeRange range : windows_of(timeline))
    for (const int pixels : {10, 500, 4000})
      for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane)
        EXPECT_EQ(a.bins(DeviceId(1), lane, range, pixels).value(),
                  b.bins(DeviceId(1), lane, range, pixels).value());
}

// And the rows, which are for anybody's SQL, say the same.
TEST(EventBlocks, AreAllThatARunIsLoadedAndDrawnFrom) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.db");
  const std::vector<RunPtr> runs = runs_of_all_kinds();
  {
    auto workspace = Workspace::open(path).value();
    for (const RunPtr& run : runs) ASSERT_TRUE(workspace->record(run).ok());
  }
  const auto workspace = Workspace::open(path, true).value();
  EXPECT_EQ(workspace->query("SELECT sum(count) - (SELECT count(*) FROM event) FROM event_block", 1)
                .value()
                .rows[0][0],
            "0");
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto id = static_cast<int64_t>(i + 1);
    const auto loaded = workspace->load(id).value();
    expect_equal_runs(*runs[i], *loaded);
    const auto trace = workspace->trace(id).value();
    expect_same_bins(*trace, *memory_trace(runs[i]), runs[i]->timeline);
    for (int32_t number = 0; number < trace->events_kept(); ++number)
      ASSERT_EQ(trace->event(number).value(), loaded->timeline.events[static_cast<size_t>(number)]);
  }
}

class DamagedBlocks : public testing::Test {
 protected:
  void SetUp() override {
    auto workspace = Workspace::open(sound_).value();
    ASSERT_TRUE(workspace->record(runs_of_all_kinds()[3]).ok());
    ASSERT_TRUE(workspace->wait().ok());
  }
  std::shared_ptr<Workspace> after(const std::string& sql) {
    std::filesystem::copy_file(sound_, damaged_, std::filesystem::copy_options::overwrite_existing);
    execute(damaged_, sql);
    return Workspace::open(damaged_, true).value();
  }
  // Whatever it answers, it ends.
  static void look(const Workspace& workspace) {
    const auto trace = workspace.trace(1);
    if (!trace.ok()) return;
    for (const TimeRange range : {TimeRange{0, (*trace)->total()}, TimeRange{1000, 2000}})
      for (const int pixels : {10, 100'000}) (void)(*trace)->bins(DeviceId(0), 1, range, pixels).ok();
  }
  TemporaryFolder folder_;
  std::string sound_ = folder_.file("sound.db"), damaged_ = folder_.file("damaged.db");
};

TEST_F(DamagedBlocks, AreRefused) {
  for (const char* sql : {
           "UPDATE event_block SET drawn = zeroblob(7)",
           "UPDATE event_block SET others = x''",
           "UPDATE event_block SET drawn = others",
           "UPDATE event_block SET count = count + 1",
           "UPDATE event_block SET count = 9223372036854775807",
           "UPDATE event_block SET count = 0",
           "UPDATE event_block SET count = -1",
           "UPDATE event_block SET drawn = CAST(x'FF' || substr(drawn, 2) AS BLOB)",
           "DELETE FROM event_block WHERE id = 1025",
           "DELETE FROM event_block WHERE id = 2049",
           "UPDATE event_block SET id = id + 1 WHERE id = 1025",
       }) {
    const auto workspace = after(sql);
    EXPECT_FALSE(workspace->load(1).ok()) << sql;
    look(*workspace);
  }
}

TEST_F(DamagedBlocks, NeverCrashTheReader) {
  std::mt19937 random(6);
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    std::string sql;
    for (const char* column : {"drawn", "others"})
      for (int i = 0; i < 4; ++i) {
        const std::string at = std::to_string(1 + random() % (round % 2 == 0 ? 12 : 9000));
        char byte[8];
        snprintf(byte, sizeof(byte), "%02x", static_cast<unsigned>(random() % 256));
        sql += std::string("UPDATE event_block SET ") + column + " = CAST(substr(" + column + ", 1, " + at +
               " - 1) || x'" + byte + "' || substr(" + column + ", " + at + " + 1) AS BLOB);";
      }
    const auto workspace = after(sql);
    refused += workspace->load(1).ok() ? 0 : 1;
    look(*workspace);
  }
  EXPECT_GT(refused, 20);
}

TEST_F(DamagedBlocks, GoWithTheirRun) {
  auto workspace = Workspace::open(sound_).value();
  ASSERT_TRUE(workspace->remove(1).ok());
  EXPECT_EQ(workspace->query("SELECT count(*) FROM event_block", 1).value().rows[0][0], "0");
}

}  // namespace
}  // namespace shardscope::event_block_test
