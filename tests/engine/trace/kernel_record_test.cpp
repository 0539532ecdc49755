// SPDX-License-Identifier: Apache-2.0
// A kernel's run in a workspace.
#include "engine/trace/kernel_record.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/trace/workspace.h"

namespace shardscope::kernel_record_test {
namespace {

TEST(KernelRecord, ARunAndItsFindingsAreRowsForAnybodysSql) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("kernel_record_" + std::to_string(getpid()) + ".shardscope"))
          .string();
  KernelRun run;
  run.layout.kernel = "ag.ring";
  run.schedules = 300;
  run.correct_runs = 290;
  run.wrong_runs = 10;
  KernelFindingCount count;
  count.finding.kind = FindingKind::shared_receive;
  count.finding.devices = {1, 2};
  count.finding.first.line = 24;
  count.runs = 12;
  run.findings.push_back(count);
  EXPECT_EQ(*record_kernel_run(path, run, std::nullopt, 0), 1);
  EXPECT_EQ(*record_kernel_run(path, run, std::nullopt, 0), 2);
  {
    const auto workspace = *Workspace::open(path, true);
    const QueryResult rows = *workspace->query(
        "SELECT kernel, wrong_runs, kind, kernel_finding.devices, first_line FROM kernel_run JOIN "
        "kernel_finding ON id = "
        "run",
        10);
    ASSERT_EQ(rows.rows.size(), 2U);
    EXPECT_EQ(rows.rows[0], (std::vector<std::string>{"ag.ring", "10", "shared_receive", "[1,2]", "24"}));
  }
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(path + ending);
}

}  // namespace
}  // namespace shardscope::kernel_record_test
