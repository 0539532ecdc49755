// SPDX-License-Identifier: Apache-2.0
// `shardscope … | head -1`: whoever reads no further is no error, of any command.
#include <gtest/gtest.h>
#include <set>

#include "tests/cli/every_command.h"
#include "tests/cli/process.h"

namespace shardscope::closed_pipe_test {
namespace {

TEST(ClosedPipe, EndsEveryCommandQuietly) {
  const TemporaryFolder folder;
  const std::string db = folder.file("runs.shardscope");
  make_runs(db);
  std::set<std::string> left = listed_commands();
  EXPECT_GT(left.size(), 10U);
  left.erase("render");  // writes into files alone
  left.erase("serve");   // says nothing unasked
  for (const Words& words : commands_that_print(db)) {
    left.erase(words.front());
    const ProcessOutcome outcome = run_into_closed_pipe(words);
    EXPECT_EQ(outcome.exit_code, 0) << words.front() << " " << words.back() << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << words.front();
    EXPECT_FALSE(outcome.out.empty()) << words.front();
  }
  EXPECT_TRUE(left.empty()) << "not tried: " << *left.begin();
}

}  // namespace
}  // namespace shardscope::closed_pipe_test
