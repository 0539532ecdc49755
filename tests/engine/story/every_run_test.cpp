// SPDX-License-Identifier: Apache-2.0
#ifdef SHARDSCOPE_NIGHTLY  // issue 11: some strategies still break these
// What must hold of every story, of every strategy on many meshes by every algorithm that is legal.
#include <gtest/gtest.h>

#include "tests/engine/story/invariants.h"
#include "tests/engine/story/told.h"

namespace shardscope::story_test {
namespace {

class EveryRun : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryRun, TellsWhatCanHaveHappened) {
  int runs = 0;
  int unknown = 0;
  for_each_run(GetParam(), [&](const Told& told) {
    ++runs;
    unknown += told.story.unknown().empty() ? 0 : 1;
    if (told.kind == StrategyKind::broken) {
      EXPECT_NE(first_broken(told.story), "") << told.name;
      return;
    }
    EXPECT_EQ(first_broken(told.story), "") << told.name;
    // The rows that a router sends to an expert are not followed: the story says so.
    const bool routed = told.name.starts_with("moe.");
    if (told.kind == StrategyKind::matmul && !routed) {
      EXPECT_TRUE(told.story.unknown().empty()) << told.name << ": " << told.story.unknown().front().text;
    }
  });
  EXPECT_GE(runs, 20);
  RecordProperty("runs", runs);
  RecordProperty("unknown", unknown);
}

INSTANTIATE_TEST_SUITE_P(Meshes, EveryRun, ::testing::ValuesIn(meshes_to_try()), [](const auto& mesh) {
  std::string name;
  for (const char c : mesh.param) name += c == '=' || c == ',' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace shardscope::story_test
#endif
