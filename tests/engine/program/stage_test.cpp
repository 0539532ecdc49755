// SPDX-License-Identifier: Apache-2.0
// Stages of a module: each names the one before, and instructions are followed from any to any.
#include "engine/program/stages/stage.h"

#include <gtest/gtest.h>
#include <thread>

namespace shardscope::stage_test {
namespace {

using Names = std::vector<std::string>;

Program program_of(const std::string& lines) {
  auto program = parse_program("HloModule m\nENTRY e {\n" + lines + "}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}

const std::string kParameter = "p = f32[8] parameter(0)\n";

// p, its negation; then p, a copy, its negation; then all that twice.
StagePtr three_stages() {
  const StagePtr module = read_stage(program_of(kParameter + "ROOT n = f32[8] negate(p)\n"));
  const StagePtr longer = shared_stage(
      ModuleStage{StageKind::propagated,
                  SharedProgram(program_of(kParameter + "c = f32[8] copy(p)\nROOT n = f32[8] negate(c)\n")),
                  module, StageLinks({{0, 0}, {1, 1}, {2, 1}})});
  return shared_stage(ModuleStage{
      StageKind::partitioned,
      SharedProgram(program_of(kParameter + "c.1 = f32[8] copy(p)\nc.2 = f32[8] copy(c.1)\nROOT n.1 "
                                            "= f32[8] negate(c.2)\n")),
      longer, StageLinks({{0, 0}, {1, 1}, {2, 1}, {3, 2}, {3, 2}, {3, 1}})});
}

TEST(Stages, AnInstructionIsFollowedOverAnyNumberOfThem) {
  const StagePtr last = three_stages();
  const ModuleStage& module = first_stage(*last);
  EXPECT_EQ(made_in(*last, module, "n"), (Names{"c.1", "c.2", "n.1"}));
  EXPECT_EQ(sources_in(module, *last, "n.1"), Names{"n"});
  EXPECT_EQ(sources_in(*last->before, *last, "n.1"), (Names{"n", "c"}));
  EXPECT_EQ(sources_in(module, module, "n"), Names{"n"});
  EXPECT_TRUE(made_in(*last, module, "nothing").empty());
}

TEST(Stages, AStageIsFoundByItsKind) {
  const StagePtr last = three_stages();
  EXPECT_EQ(stage_of(last, StageKind::partitioned), last);
  EXPECT_EQ(stage_of(last, StageKind::propagated), last->before);
  EXPECT_EQ(stage_of(last, StageKind::module), first_stage(last));
  EXPECT_EQ(stage_of(last, StageKind::timed), nullptr);
}

TEST(Stages, AnotherProgramKeepsTheLinksOfItsNames) {
  ModuleStage changed = *three_stages();
  change_program(program_of("q = f32[8] parameter(0)\nROOT n.1 = f32[8] negate(q)\n"), changed);
  EXPECT_EQ(sources_in(*changed.before, changed, "n.1"), (Names{"n", "c"}));
  EXPECT_TRUE(sources_in(*changed.before, changed, "q").empty());
}

TEST(Stages, InstructionsAreFoundByManyThreadsAtOnce) {
  const SharedProgram program(program_of(kParameter + "ROOT n = f32[8] negate(p)\n"));
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([copy = program] { EXPECT_EQ(copy.number_of("n"), std::optional<int32_t>(1)); });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(program.find("nothing"), nullptr);
}

}  // namespace
}  // namespace shardscope::stage_test
