// SPDX-License-Identifier: Apache-2.0
// What no schedule beats.
#include "engine/tune/bound.h"

#include <gtest/gtest.h>

#include "engine/session/session.h"

namespace shardscope::bound_test {
namespace {

// What a product reads and writes is in its bound.
TEST(Tune, TheBoundOfADotIsItsTime) {
  Experiment experiment;
  experiment.mesh = *Mesh::parse("row=1,col=1");
  for (const int64_t k : {64, 4096}) {  // the second reads more than it multiplies
    experiment.problem = {.m = k == 64 ? 4096 : 8, .k = k, .n = 4096};
    ExecutionOptions options;
    options.numerics = false;
    RunRequest request;
    request.strategy = "collective.os";
    const RunPtr run = *execute(experiment, request, options, {});
    EXPECT_EQ(least_cost(run->program, run->hardware).seconds, to_seconds(run->timeline.total)) << k;
  }
}

}  // namespace
}  // namespace shardscope::bound_test
