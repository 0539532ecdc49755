// SPDX-License-Identifier: Apache-2.0
// Four ways for two arrays to lie on a=4, b=2, and what the planner makes of other ones.
#include "tests/engine/strategies/planned.h"

namespace shardscope::pjit_test {
namespace {

using testing::count;

const MatmulProblem kCase{4, 16, 4, ElementType::f16, ElementType::f32};

Program planned(std::string_view id, const StrategyOptions& options = {},
                const MatmulProblem& problem = kCase) {
  auto program = testing::plan(id, testing::mesh_of("a=4,b=2"), problem, options);
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? *program : Program();
}

DotSize product(const Program& program) {
  for (const Instruction& i : program.entry_computation().instructions) {
    if (i.opcode == Opcode::dot) return dot_size(program.entry_computation(), i);
  }
  return {};
}

int64_t sent(const Program& program) {
  int64_t total = 0;
  for (const auto& [axis, elements] : testing::sent_by_axis(program)) total += elements;
  return total;
}

TEST(Pjit, InnerAxesMultiplyThenAllReduce) {
  const Program program = planned("pjit.inner");
  EXPECT_EQ(program.inputs[0].spec, P("", "a"));
  EXPECT_EQ(program.inputs[1].spec, P("a", ""));
  EXPECT_EQ(product(program).k, 4);
  EXPECT_EQ(count(program, Opcode::all_reduce), 1);
  EXPECT_EQ(count(program, Opcode::all_gather), 0);
  EXPECT_EQ(sent(program), 24);
  EXPECT_EQ(testing::flops_per_device(program), 128);
  EXPECT_EQ(program.output->spec, P("", ""));
}

TEST(Pjit, MismatchedAxesGatherBothAndReduceNothing) {
  const Program program = planned("pjit.mismatch");
  EXPECT_EQ(count(program, Opcode::all_gather), 2);
  EXPECT_EQ(count(program, Opcode::all_reduce), 0);
  EXPECT_EQ(product(program).k, 16);
  EXPECT_EQ(sent(program), 80);
  EXPECT_EQ(testing::flops_per_device(program), 512);
  EXPECT_EQ(program.output->spec, P("", ""));
}

TEST(Pjit, OuterAxesKeepTheRowsSplit) {
  const Program program = planned("pjit.outer");
  EXPECT_EQ(sent(program), 56);
  EXPECT_EQ(testing::flops_per_device(program), 256);
  EXPECT_EQ(product(program).m, 2);
  EXPECT_EQ(program.output->spec, P("b", ""));
}

TEST(Pjit, FullIsTheOutputStationaryProduct) {
  const Program program = planned("pjit.full");
  EXPECT_EQ(sent(program), 32);
  EXPECT_EQ(testing::flops_per_device(program), 64);
  EXPECT_EQ(product(program).m, 2);
  EXPECT_EQ(product(program).n, 1);
  EXPECT_EQ(program.output->spec, P("b", "a"));
}

StrategyOptions specs(std::optional<PartitionSpec> lhs, std::optional<PartitionSpec> rhs,
                      std::optional<PartitionSpec> out = {}) {
  StrategyOptions options;
  options.in_lhs = std::move(lhs);
  options.in_rhs = std::move(rhs);
  options.out = std::move(out);
  return options;
}

const MatmulProblem kRoom{16, 32, 64};

TEST(PjitReplans, NothingSplitNeedsNothing) {
  const Program program = planned("pjit.inner", specs(P("", ""), P("", "")), kRoom);
  EXPECT_EQ(sent(program), 0);
  EXPECT_EQ(testing::flops_per_device(program), 2.0 * 16 * 32 * 64);
}

TEST(PjitReplans, OneSideSplitOnTheContractionIsGathered) {
  const Program program = planned("pjit.inner", specs(P("", "a"), P("", "")), kRoom);
  EXPECT_EQ(testing::sent_by_axis(program), (std::map<std::string, double>{{"a", 3 * 16 * 8}}));
  EXPECT_EQ(program.output->spec, P("", ""));
}

TEST(PjitReplans, AnAxisOnBothFreeDimensionsIsGatheredOnTheSmallerArray) {
  const Program program = planned("pjit.inner", specs(P("a", ""), P("", "a")), kRoom);
  EXPECT_EQ(testing::sent_by_axis(program), (std::map<std::string, double>{{"a", 3 * 4 * 32}}));  // X
  EXPECT_EQ(program.output->spec, P("", "a"));
}

TEST(PjitReplans, AnAxisOnBothFreeDimensionsStaysWhereTheOutputWantsIt) {
  const Program program = planned("pjit.inner", specs(P("a", ""), P("", "a"), P("a", "")), kRoom);
  EXPECT_EQ(testing::sent_by_axis(program), (std::map<std::string, double>{{"a", 3 * 32 * 16}}));  // W
  EXPECT_EQ(count(program, Opcode::dynamic_slice), 0);
}

TEST(PjitReplans, TheCommonMajorAxisOfTheContractionStaysSplit) {
  const PartitionSpec both{{{}, {"a", "b"}}};
  const Program program = planned("pjit.inner", specs(both, P("a", "")), kRoom);
  EXPECT_EQ(product(program).k, 8);
  EXPECT_EQ(count(program, Opcode::all_gather), 1);  // b of X
  EXPECT_EQ(count(program, Opcode::all_reduce), 1);  // a
}

TEST(PjitReplans, PartialSumsAreScatteredWhereTheOutputIsSplit) {
  const Program program = planned("pjit.inner", specs({}, {}, P("a", "")), kRoom);
  EXPECT_EQ(count(program, Opcode::reduce_scatter), 1);
  EXPECT_EQ(count(program, Opcode::all_reduce), 0);
  EXPECT_EQ(sent(program), 3 * 16 * 64 / 4);
}

TEST(PjitReplans, TheOutputIsGatheredOrCutAsAsked) {
  const Program gathered = planned("pjit.full", specs({}, {}, P("", "")), kRoom);
  EXPECT_EQ(count(gathered, Opcode::all_gather), 4);
  EXPECT_EQ(gathered.output->spec, P("", ""));
  // b splits nothing of pjit.inner: rows of X are cut before the product, which halves it and sends nothing
  // more.
  const Program cut = planned("pjit.inner", specs({}, {}, P("b", "")), kRoom);
  EXPECT_EQ(testing::flops_per_device(cut), 2.0 * 16 * 32 * 64 / 8);
  EXPECT_EQ(count(cut, Opcode::dynamic_slice), 1);
  const Program swapped = planned("pjit.full", specs({}, {}, P("a", "b")), kRoom);
  EXPECT_EQ(swapped.output->spec, P("a", "b"));
}

// Every pair of specs that is legal is planned; the result is whole and no device does more than the whole
// product.
TEST(PjitReplans, EveryPairOfSpecs) {
  const std::vector<PartitionSpec> all = {
      P("", ""),   P("a", ""),         P("", "a"),         P("b", ""),         P("", "b"),        P("a", "b"),
      P("b", "a"), {{{"a", "b"}, {}}}, {{{"b", "a"}, {}}}, {{{}, {"a", "b"}}}, {{{}, {"b", "a"}}}};
  for (const PartitionSpec& lhs : all) {
    for (const PartitionSpec& rhs : all) {
      for (const PartitionSpec& out : all) {
        const auto program =
            testing::plan("pjit.inner", testing::mesh_of("a=4,b=2"), kRoom, specs(lhs, rhs, out));
        ASSERT_TRUE(program.ok()) << program.error().text();
        EXPECT_EQ(program->output->spec, out);
        EXPECT_LE(testing::flops_per_device(*program), kRoom.flops());
        EXPECT_GE(testing::flops_per_device(*program), kRoom.flops() / 8);
      }
    }
  }
}

TEST(PjitReplans, RefusesWhatCannotBe) {
  const auto refuse = [](const StrategyOptions& options) {
    return testing::refusal("pjit.inner", "a=4,b=2", 16, 32, 6, options);
  };
  EXPECT_EQ(refuse(specs({}, P("", "a"))), "pjit.inner: n must be divisible by a, got n=6, a=4");
  EXPECT_EQ(refuse(specs({}, {}, P("", "a"))), "pjit.inner: n must be divisible by a, got n=6, a=4");
  EXPECT_EQ(refuse(specs({}, {}, P("z", ""))), "pjit.inner: out-spec needs axes of the mesh, got 'z'");
  EXPECT_EQ(refuse(specs({}, {}, P("a", "a"))), "pjit.inner: out-spec needs each axis once, got P('a','a')");
  EXPECT_EQ(refuse(specs({}, {}, P("a", "", "b"))),
            "pjit.inner: out-spec needs at most 2 dimensions, got P('a',None,'b')");
  EXPECT_EQ(refuse(specs(P("q", ""), {})), "pjit.inner: needs a mesh axis for q, got a=4,b=2");
}

}  // namespace
}  // namespace shardscope::pjit_test
