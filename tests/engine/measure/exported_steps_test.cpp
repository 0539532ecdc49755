// SPDX-License-Identifier: Apache-2.0
// The steps of a loop, written as a Chrome trace and read again as a profile.
#include <gtest/gtest.h>

#include "engine/trace/workspace.h"
#include "tests/engine/measure/profile_files.h"
#include "tests/engine/trace/sample_run.h"

namespace shardscope::exported_steps_test {
namespace {

TEST(ExportedSteps, AreTheStepsOfTheProfile) {
  const auto run = stepped_run(5);
  const auto trace = import_text(chrome_trace(*run).value());
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(trace->devices, run->timeline.devices);
  ASSERT_EQ(trace->steps.size(), 5U);
  for (size_t k = 0; k < 5; ++k) EXPECT_EQ(trace->steps[k], run->steps->steps[k].simulated);
  EXPECT_EQ(trace->event_count, static_cast<int64_t>(5 * run->timeline.events.size()));
}

}  // namespace
}  // namespace shardscope::exported_steps_test
