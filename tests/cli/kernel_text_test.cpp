// SPDX-License-Identifier: Apache-2.0
// kernel print, run FILE, shrink, --schedules all, code and read: texts of kernels on the command line.
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace shardscope::kernel_text_test {
namespace {

using nlohmann::json;

ProcessOutcome kernel(std::vector<std::string> words) {
  words.insert(words.begin(), "kernel");
  return run_program(words);
}

json answer(std::vector<std::string> words, int exit_code) {
  words.emplace_back("--json");
  const ProcessOutcome outcome = kernel(words);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return json::parse(outcome.out);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(CliKernelText, APrintedKernelRunsAsItsIdDoes) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.kernel");
  for (const char* id : {"ag.ring.one_semaphore", "matmul.tiled", "ag_matmul.fused_seed"}) {
    ASSERT_EQ(kernel({"print", id, "-o", file}).exit_code, 0);
    EXPECT_EQ(kernel({"print", file}).out, kernel({"print", id}).out);
    const ProcessOutcome by_id = kernel({"run", id, "--schedules", "40", "--json"});
    const ProcessOutcome by_file = kernel({"run", file, "--schedules", "40", "--json"});
    EXPECT_EQ(by_file.exit_code, by_id.exit_code) << by_file.err;
    EXPECT_EQ(by_file.out, by_id.out) << id;
  }
}

TEST(CliKernelText, AnErrorNamesFileLineAndColumn) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.kernel");
  write_text(file, replaced(kernel({"print", "permute"}).out, "hop.wait()", "hop.wiat()"));
  const ProcessOutcome outcome = kernel({"run", file});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "error: a copy has no wiat(); " + file + ":20:1\n");
  EXPECT_EQ(kernel({"run", folder.file("none.kernel")}).exit_code, 4);
}

TEST(CliKernelText, ShrinkKeepsWhatTheFailureNeeds) {
  const json shrunk = answer({"shrink", "ag.ring.one_semaphore", "--ring", "4", "--seed", "5"}, 3);
  EXPECT_EQ(shrunk["kernel"], "ag.ring.one_semaphore");
  EXPECT_EQ(shrunk["seed"], 5);
  EXPECT_LT(shrunk["steps_after"], shrunk["steps_before"]);
  EXPECT_EQ(shrunk["schedule"].size(), shrunk["steps_after"]);
  EXPECT_TRUE(shrunk["finding"].contains("message"));
  const json clean = answer({"shrink", "ag.ring", "--seed", "5"}, 0);
  EXPECT_TRUE(clean["finding"].is_null());
  EXPECT_TRUE(clean["steps_after"].is_null());
  EXPECT_EQ(kernel({"replay", "ag.ring", "--shortest"}).exit_code, 2);
}

TEST(CliKernelText, AllSchedulesOfASmallRingAreAProof) {
  const json all =
      answer({"run", "ar.two_slot", "--ring", "3", "--rows", "2", "--cols", "2", "--schedules", "all"}, 0);
  EXPECT_EQ(all["all_schedules"], true);
  EXPECT_GT(all["schedules"], 1);
  EXPECT_EQ(all["correct_runs"], all["schedules"]);
  EXPECT_NE(kernel({"run", "permute", "--ring", "3", "--schedules", "all"}).out.find("no schedule of the "),
            std::string::npos);
  EXPECT_EQ(answer({"run", "permute", "--schedules", "3"}, 0)["all_schedules"], false);
  EXPECT_EQ(kernel({"run", "permute", "--schedules", "all", "--policy", "random"}).exit_code, 2);
  EXPECT_EQ(kernel({"run", "permute", "--schedules", "some"}).exit_code, 2);
}

TEST(CliKernelText, WhatIsWrittenInPallasIsReadAgain) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py"), file = folder.file("k.kernel");
  for (const char* id : {"ag.ring", "ar.two_slot.no_capacity", "rs.bidi", "matmul.tiled", "slow_ag_gemm_ar",
                         "ag_matmul.fused"}) {
    ASSERT_EQ(kernel({"code", id, "-o", python}).exit_code, 0) << id;
    const ProcessOutcome read = kernel({"read", python, "-o", file});
    ASSERT_EQ(read.exit_code, 0) << id << " " << read.err;
    const json before = json::parse(kernel({"run", id, "--schedules", "40", "--json"}).out);
    const ProcessOutcome again = kernel({"run", file, "--schedules", "40", "--json"});
    ASSERT_FALSE(again.out.empty()) << id << " " << again.err;
    const json after = json::parse(again.out);
    for (const char* key :
         {"correct_runs", "wrong_runs", "time_s", "vmem_peak_bytes", "max_dma_in_flight", "flops"})
      EXPECT_EQ(after[key], before[key]) << id << " " << key;
  }
}

TEST(CliKernelText, WhatIsOutsideOfTheSubsetIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py");
  write_text(python, "MESH = {\"x\": 2}\n\ndef kernel(x, out):\n    while True:\n        pass\n");
  const ProcessOutcome outcome = kernel({"read", python});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "error: 'while True:' is outside of what is read; " + python + ":4:5\n");
  write_text(python, "def kernel(x:\n");
  EXPECT_NE(kernel({"read", python}).err.find(python + ":1:"), std::string::npos);
  EXPECT_EQ(kernel({"read", folder.file("none.py")}).exit_code, 4);
}

// Arguments by name stand in any order, and nobody evaluated a block that never runs.
TEST(CliKernelText, WhatPallasCannotSayIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.kernel"), head = "kernel a\naxes x\n\nb = barrier_semaphore()\n";
  write_text(file,
             head + "semaphore_signal(b, device_id=neighbour(\"x\", 1), inc=2)\nsemaphore_wait(b, 2)\n");
  EXPECT_NE(kernel({"code", file})
                .out.find("pl.semaphore_signal(b, device_id=neighbour(\"x\", 1), inc=2, "
                          "device_id_type=LOGICAL)\n"),
            std::string::npos);
  write_text(file, head + "when 1 == 2:\n    with b as a:\n        c = 1\n");
  EXPECT_EQ(kernel({"code", file}).err, "error: a block has buffers in vmem; " + file + ":6:10\n");
  write_text(file, head + "when 1 == 2:\n    for i in emit_pipeline(2):\n        a = block_in(b)\n");
  EXPECT_EQ(kernel({"code", file}).err,
            "error: expected a buffer, a shape and an index; " + file + ":7:13\n");
}

// Nothing of the file is run.
TEST(CliKernelText, ReadingRunsNothing) {
  const TemporaryFolder folder;
  const std::string python = folder.file("k.py"), touched = folder.file("touched");
  write_text(python,
             "open('" + touched + "', 'w')\n\ndef kernel(x, out):\n    open('" + touched + "', 'w')\n");
  EXPECT_EQ(kernel({"read", python}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(touched));
}

}  // namespace
}  // namespace shardscope::kernel_text_test
