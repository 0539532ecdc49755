// SPDX-License-Identifier: Apache-2.0
// Memory that a limit of the process keeps from it is refused as memory that is not there.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "tests/cli/process.h"

namespace shardscope::memory_test {
namespace {

// A limit against hanging, of processor time: what is done ends long before.
constexpr int kSecondsAtMost = 60;

// As run_program, in a shell that limits its addresses and its processor time.
ProcessOutcome run_within(int64_t kib, const std::string& words) {
  const TemporaryFolder folder;
  const std::string line = "ulimit -v " + std::to_string(kib) + " && ulimit -t " +
                           std::to_string(kSecondsAtMost) + " && exec '" SHARDSCOPE_PROGRAM "' " + words +
                           " > '" + folder.file("out") + "' 2> '" + folder.file("err") + "'";
  ProcessOutcome outcome;
  const int status = std::system(line.c_str());
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_text(folder.file("out"));
  outcome.err = read_text(folder.file("err"));
  return outcome;
}

TEST(Memory, OfTheProcesssOwnLimitIsKnown) {
  const std::string run = "run --strategy wang.os --mesh row=2,col=4 --m 20000 --k 20000 --n 20000 --quiet";
  const ProcessOutcome outcome = run_within(3'000'000, run);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("this process can have"), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

// What no machine has is refused before it is spent, what only looks big is done.
ProcessOutcome run_small(const std::string& words) {
  return run_within(4'000'000, words);
}

void expect_done_or_refused(const ProcessOutcome& outcome, const std::string& what) {
  EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 2)
      << what << ": " << outcome.exit_code << " " << outcome.err;
  if (outcome.exit_code == 0) return;
  EXPECT_TRUE(outcome.err.starts_with("error: ")) << what << ": " << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << what << ": " << outcome.err;
}

const std::vector<std::string> kOnModules = {"parse",
                                             "print",
                                             "propagate --devices 4",
                                             "partition --devices 4",
                                             "report --devices 4",
                                             "run --devices 4 --check off",
                                             "run",
                                             "code"};

void try_on(const std::string& module) {
  const TemporaryFolder folder;
  write_text(folder.file("m.hlo"), module);
  for (const std::string& command : kOnModules) {
    const size_t blank = std::min(command.find(' '), command.size());
    const std::string words =
        "hlo " + command.substr(0, blank) + " '" + folder.file("m.hlo") + "'" + command.substr(blank);
    expect_done_or_refused(run_small(words), "hlo " + command);
  }
}

TEST(Budgets, ALongContractionIsPlannedAndTimed) {
  for (const char* strategy : {"wang.os", "collective.os", "summa.os", "cannon.os", "pipelined.os"})
    for (const char* k : {"4294967296", "1099511627776"})
      expect_done_or_refused(run_small(std::string("run --strategy ") + strategy +
                                       " --mesh row=2,col=2 --m 4 --n 4 --numerics off --k " + k),
                             std::string(strategy) + " k=" + k);
}

// Each of forty computations calls the one before twice.
TEST(Budgets, CallsThatDoubleAreNotExpanded) {
  std::string module = "HloModule m\nc0 { p = f32[8] parameter(0)\n ROOT r = f32[8] add(p, p)\n}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = ", to_apply=c" + std::to_string(i - 1) + "\n";
    module += "c" + std::to_string(i) + " { p = f32[8] parameter(0)\n a = f32[8] call(p)" + before +
              " b = f32[8] call(a)" + before + " ROOT r = f32[8] add(a, b)\n}\n";
  }
  try_on(module + "ENTRY main { x = f32[8] parameter(0)\n ROOT y = f32[8] call(x), to_apply=c39\n}\n");
}

TEST(Budgets, AMillionParametersAreRead) {
  std::string module = "HloModule m\nENTRY main {\n";
  for (int i = 0; i < 1'000'000; ++i)
    module += " p" + std::to_string(i) + " = f32[8] parameter(" + std::to_string(i) + ")\n";
  try_on(module + " ROOT r = f32[8] add(p0, p1)\n}\n");
}

TEST(Budgets, ALoopWithoutAnEndIsNotRun) {
  try_on(
      "HloModule m\ncond { s = s32[] parameter(0)\n ROOT t = pred[] constant(true) }\n"
      "body { s = s32[] parameter(0)\n ROOT n = s32[] add(s, s) }\n"
      "ENTRY main { p = s32[] parameter(0)\n ROOT w = s32[] while(p), condition=cond, body=body }\n");
}

}  // namespace
}  // namespace shardscope::memory_test
