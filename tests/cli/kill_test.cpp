// SPDX-License-Identifier: Apache-2.0
// Whatever ends a sweep, its workspace opens and holds whole runs only.
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <signal.h>
#include <unistd.h>

#include "engine/trace/workspace.h"
#include "tests/cli/process.h"

namespace shardscope::kill_test {
namespace {

#ifdef SHARDSCOPE_NIGHTLY
constexpr int kRounds = 1000;
#else
constexpr int kRounds = 25;
#endif

const std::vector<std::string> kSweep = {"sweep", "--mesh", "row=2,col=4", "--m",     "256", "--k",
                                         "512",   "--n",    "512",         "--quiet", "--db"};

// Every run after run `seen` loads and its time is whole; its numbers, which come later, are there and right
// or not at all. Gives the newest run's number.
int64_t check_new_runs(const std::string& db, int64_t seen) {
  const auto workspace = Workspace::open(db);
  EXPECT_TRUE(workspace.ok()) << workspace.error().text();
  if (!workspace.ok()) return seen;
  const auto rows = (*workspace)->runs();
  EXPECT_TRUE(rows.ok());
  int64_t newest = 0;
  for (const RunSummary& row : *rows) {
    newest = std::max(newest, row.id);
    if (row.id <= seen) continue;
    const auto run = (*workspace)->load(row.id);
    EXPECT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(static_cast<int64_t>((*run)->timeline.events.size()), (*run)->timeline.event_count);
    EXPECT_EQ((*run)->numerics.checked, (*run)->numerics.allclose);
  }
  return newest;
}

std::vector<std::string> sweep_into(const std::string& db) {
  std::vector<std::string> words = kSweep;
  words.push_back(db);
  return words;
}

// How long a whole sweep takes here and now, so that signals fall all over it on any machine.
int64_t sweep_microseconds(const std::string& db) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(wait_for(start_program(sweep_into(db))), 0);
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

void end_sweeps_with(int signal_number, const std::set<int>& codes) {
  std::mt19937 random(7);
  const TemporaryFolder folder;
  const int64_t whole = sweep_microseconds(folder.file("timed.shardscope"));
  const std::string db = folder.file("w.shardscope");
  int64_t before = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int process = start_program(sweep_into(db));
    usleep(static_cast<useconds_t>(random() % (whole + whole / 4)));
    kill(process, signal_number);
    const int code = wait_for(process);
    EXPECT_TRUE(codes.count(code)) << code;
    const int64_t newest = check_new_runs(db, before);
    EXPECT_GE(newest, before) << "finished runs were lost";
    before = newest;
  }
  EXPECT_GT(before, 0) << "no round got far enough to prove anything";
}

TEST(Kill, KillNineLeavesWholeRunsOnly) {
  end_sweeps_with(SIGKILL, {0, 128 + SIGKILL});
}

// A signal before the handler stands ends the process the ordinary way.
TEST(Kill, CancelLeavesWholeRunsOnly) {
  end_sweeps_with(SIGINT, {0, 130, 128 + SIGINT});
}

}  // namespace
}  // namespace shardscope::kill_test
