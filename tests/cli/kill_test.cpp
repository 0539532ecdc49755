// SPDX-License-Identifier: Apache-2.0
// Whatever ends a sweep, its workspace opens and holds whole runs only.
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <signal.h>
#include <unistd.h>

#include "engine/trace/workspace.h"
#include "tests/cli/process.h"

namespace shardscope {
namespace {

#ifdef SHARDSCOPE_NIGHTLY
constexpr int kRounds = 1000;
#else
constexpr int kRounds = 50;
#endif

const std::vector<std::string> kSweep = {"sweep", "--mesh", "row=2,col=4", "--m",     "256", "--k",
                                         "512",   "--n",    "512",         "--quiet", "--db"};

// Every finished run loads and is complete.
int64_t whole_runs(const std::string& db) {
  const auto workspace = Workspace::open(db);
  EXPECT_TRUE(workspace.ok()) << workspace.error().text();
  if (!workspace.ok()) return -1;
  const auto rows = (*workspace)->runs();
  EXPECT_TRUE(rows.ok());
  for (const RunRow& row : *rows) {
    const auto run = (*workspace)->load(row.id);
    EXPECT_TRUE(run.ok()) << run.error().text();
    EXPECT_EQ(static_cast<int64_t>((*run)->timeline.events.size()), (*run)->timeline.event_count);
    EXPECT_TRUE((*run)->numerics.checked);
  }
  return static_cast<int64_t>(rows->size());
}

void end_sweeps_with(int signal_number, const std::set<int>& codes) {
  std::mt19937 random(7);
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope");
  int64_t before = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::string> words = kSweep;
    words.push_back(db);
    const int process = start_program(words);
    usleep(random() % 400'000);
    kill(process, signal_number);
    const int code = wait_for(process);
    EXPECT_TRUE(codes.count(code)) << code;
    const int64_t now = whole_runs(db);
    EXPECT_GE(now, before) << "finished runs were lost";
    before = now;
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
}  // namespace shardscope
