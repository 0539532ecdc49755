// SPDX-License-Identifier: Apache-2.0
// Memory that a limit of the process keeps from it is refused as memory that is not there.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

#include "tests/cli/process.h"

namespace shardscope::memory_test {
namespace {

// As run_program, in a shell that limits its addresses.
ProcessOutcome run_within(int64_t kib, const std::string& words) {
  const TemporaryFolder folder;
  const std::string line = "ulimit -v " + std::to_string(kib) + " && exec '" SHARDSCOPE_PROGRAM "' " + words +
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

}  // namespace
}  // namespace shardscope::memory_test
