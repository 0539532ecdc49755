// SPDX-License-Identifier: Apache-2.0
// What must hold of every story, of every strategy on many meshes by every algorithm that is legal.
#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "engine/numerics/check/numerics.h"
#include "engine/story/checks/invariants.h"
#include "tests/engine/story/told.h"

namespace shardscope::story_test {
namespace {

class EveryRun : public ::testing::TestWithParam<std::string> {};

bool has_right_numbers(const Program& program) {
  DataRequest request;
  const std::vector<int64_t>& lhs = program.inputs[0].dims;
  request.problem = {lhs[0], lhs[1], program.inputs[1].dims[1]};
  const auto data = make_problem_data(request, Workers(1), {});
  EXPECT_TRUE(data.ok()) << data.error().text();
  const auto done = run_numerics(program, **data, {}, Workers(1), {});
  EXPECT_TRUE(done.ok()) << done.error().text();
  return done->report.allclose;
}

// The rows that a router sends to an expert, or what an expert makes of its own, are not followed.
bool is_routed(const Told& told) {
  return told.name.starts_with("moe.");
}

TEST_P(EveryRun, TellsWhatCanHaveHappened) {
  int runs = 0;
  for_each_run(GetParam(), [&](const Told& told) {
    ++runs;
    if (told.kind == StrategyKind::broken) return;
    EXPECT_EQ(first_broken(told.story), "") << told.name;
    const std::vector<StoryNote>& unknown = told.story.unknown();
    if (is_routed(told) && told.program.mesh.device_count() > 1) {
      EXPECT_FALSE(unknown.empty()) << told.name;
    } else if (told.kind == StrategyKind::matmul) {
      EXPECT_TRUE(unknown.empty()) << told.name << ": " << unknown.front().text;
    }
  });
  EXPECT_GE(runs, 20);
}

INSTANTIATE_TEST_SUITE_P(Meshes, EveryRun, ::testing::ValuesIn(meshes_to_try()), [](const auto& mesh) {
  std::string name;
  for (const char c : mesh.param) name += c == '=' || c == ',' ? '_' : c;
  return name;
});

// A strategy that is wrong on purpose may be right on a small mesh.
TEST(BrokenStrategy, BreaksWhatMustHoldExactlyWhereItsNumbersAreWrong) {
  int right = 0;
  int wrong = 0;
  for (const Strategy& strategy : strategies()) {
    if (strategy.kind != StrategyKind::broken) continue;
    for (const char* mesh : {"row=1,col=1", "row=2,col=2", "row=3,col=3", "row=4,col=4"}) {
      const ToldPtr run = told_strategy(strategy.id, mesh);
      ASSERT_NE(run, nullptr);
      const bool as_it_should = has_right_numbers(run->program);
      EXPECT_EQ(first_broken(run->story).empty(), as_it_should) << run->name << first_broken(run->story);
      ++(as_it_should ? right : wrong);
    }
  }
  EXPECT_GE(right, 1);
  EXPECT_GE(wrong, 1);
}

TEST(BrokenStrategy, SaysWhichProductIsWrong) {
  const ToldPtr run = told_strategy("pallas.fused_as_written", "row=3,col=3");
  ASSERT_NE(run, nullptr);
  EXPECT_NE(first_broken(run->story), "");
  ASSERT_FALSE(run->story.unknown().empty());
  const StoryNote& first = run->story.unknown().front();
  EXPECT_TRUE(first.wrong);
  EXPECT_EQ(first.text, "dot.1: it multiplies what does not belong together, other k on either side");
}

}  // namespace
}  // namespace shardscope::story_test
