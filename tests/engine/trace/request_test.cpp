// SPDX-License-Identifier: Apache-2.0
// The record of what was asked: every row of the table of fields.
#include "engine/trace/workspace.h"
#include "tests/engine/request/every_field.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::request_test {
namespace {

TEST(RequestRecord, EveryFieldComesBackAndTheExperimentWithIt) {
  const auto workspace = Workspace::in_memory().value();
  for (const Field& field : fields()) {
    if (field.execution) continue;
    auto run = sample_run("collective.os", "row=2,col=2");
    run->experiment = plain_experiment();
    if (field.experiment) {
      ASSERT_TRUE(put(field, run->experiment, other_text(field)).ok()) << field.key;
    } else {
      ASSERT_TRUE(put(field, run->experiment.runs[1], other_text(field)).ok()) << field.key;
    }
    run->asked = run->experiment.runs[1];
    const int64_t id = workspace->record(run).value();
    ASSERT_TRUE(workspace->wait().ok());
    const RunPtr back = workspace->load(id).value();
    EXPECT_EQ(back->experiment, run->experiment) << field.key;
    EXPECT_EQ(back->asked, run->asked) << field.key;
    EXPECT_EQ(workspace->experiment().value(), run->experiment) << field.key;
  }
}

TEST(RequestRecord, ARunThatNoExperimentAskedForLeavesNone) {
  const auto workspace = Workspace::in_memory().value();
  auto run = sample_run("collective.os", "row=2,col=2");
  run->asked.strategy.clear();
  ASSERT_TRUE(workspace->record(run).ok());
  ASSERT_TRUE(workspace->wait().ok());
  EXPECT_EQ(workspace->experiment().value(), std::nullopt);
  EXPECT_EQ(workspace->runs().value().size(), 1U);
  expect_equal_runs(*run, *workspace->load(1).value());
}

}  // namespace
}  // namespace shardscope::request_test
