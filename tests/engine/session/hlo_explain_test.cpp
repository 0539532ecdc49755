// SPDX-License-Identifier: Apache-2.0
// What there is to say of a module before it runs: links, times, reasons, typed shardings.
#include "engine/session/hlo_explain.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/partition/entry/partitioned_cost.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_presets.h"

namespace shardscope::hlo_explain_test {
namespace {

using Names = std::vector<std::string>;

std::string preset(const std::string& name) {
  for (const HloPreset& p : hlo_presets())
    if (p.name == name) return p.text;
  ADD_FAILURE() << "no preset " << name;
  return "";
}

ExplainedModule explained(const std::string& text, ExplainOptions options = {}) {
  options.partition.propagate = true;
  auto out = explain_module(text, "m.hlo", options, {});
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : ExplainedModule{};
}

// Whose bytes are known: 2 · 3/4 of an array that four devices sum.
ExplainOptions as_rings() {
  ExplainOptions out;
  out.asked = {{"wrap", "all"}, {"collective", "ring"}};
  return out;
}

TEST(HloExplain, TheOneAllReduceOfAnMlpIsLinkedToItsProduct) {
  const ExplainedModule m = explained(preset("mlp"));
  ASSERT_EQ(m.collectives.size(), 1u);
  const ModuleCollective& sum = m.collectives[0];
  EXPECT_EQ(sum.opcode, "all-reduce");
  EXPECT_EQ(sum.groups, "[2,2]<=[4]");
  EXPECT_EQ(m.sources_of(sum.origin.name), Names{"y"});
  const Names made = m.made_for("y");
  EXPECT_EQ(std::ranges::count(made, sum.origin.name), 1);
  EXPECT_GT(made.size(), 1u);  // its product too
  ASSERT_TRUE(sum.time);
  EXPECT_LE(*sum.time, m.timed->timeline.total);
  EXPECT_EQ(m.bytes_sent(), sum.origin.bytes_sent);
  EXPECT_NE(why(sum).find("the result of y goes from"), std::string::npos) << why(sum);
  EXPECT_NE(why(sum).find("mlp.py:14"), std::string::npos) << why(sum);
}

// So that the sharding grid can show who holds which block.
TEST(HloExplain, ARunSaysWhichArraysItsShardsMakeUp) {
  const ExplainedModule mlp = explained(preset("mlp"));
  const Program& run = mlp.timed->program;
  ASSERT_EQ(run.inputs.size(), 3u);
  EXPECT_EQ(run.inputs[0].symbol, "x");
  EXPECT_EQ(run.inputs[1].spec.text(), "P(None,'y')");
  ASSERT_TRUE(run.output);
  EXPECT_EQ(run.output->dims, (std::vector<int64_t>{16, 32}));
  // An uneven array is no NamedSharding: then nothing is said.
  EXPECT_TRUE(
      explained("HloModule u\nENTRY e { p = f32[3] parameter(0), sharding={devices=[2]<=[2]}\n ROOT n = "
                "f32[3] negate(p)\n}\n")
          .timed->program.inputs.empty());
}

TEST(HloExplain, EveryInstructionMadeForTheModuleNamesOneOfIt) {
  for (const HloPreset& p : hlo_presets()) {
    for (const SpmdDialect dialect : {SpmdDialect::current, SpmdDialect::tpu2022}) {
      ExplainOptions options;
      options.partition.dialect = dialect;
      const ExplainedModule m = explained(p.text, options);
      const auto partitioned = m.partitioned();
      if (partitioned == nullptr) continue;
      for (const Instruction& i : partitioned->program->entry_computation().instructions)
        for (const std::string& source : m.sources_of(i.name))
          EXPECT_NE(m.find(source), nullptr) << p.name << ": " << i.name << " for " << source;
      for (const CollectiveOrigin& c : partitioned->collectives)
        EXPECT_FALSE(m.sources_of(c.name).empty()) << p.name << ": " << c.name;
    }
  }
}

std::vector<StageKind> kinds_of(const StagePtr& last) {
  std::vector<StageKind> out;
  for (const ModuleStage* stage = last.get(); stage != nullptr; stage = stage->before.get())
    out.push_back(stage->kind);
  std::ranges::reverse(out);
  return out;
}

// Between any two stages an instruction is there for another exactly where that one says so, too.
void expect_both_ways(const ModuleStage& later) {
  const int32_t count = later.program->instruction_count();
  for (const ModuleStage* earlier = later.before.get(); earlier != nullptr; earlier = earlier->before.get()) {
    for (int32_t made = 0; made < count; ++made)
      for (const int32_t source : sources_in(*earlier, later, made))
        EXPECT_EQ(std::ranges::count(made_in(later, *earlier, source), made), 1)
            << later.program.at(made).name << " for " << earlier->program.at(source).name;
  }
}

TEST(HloExplain, EachStageOfAModuleNamesTheOneBefore) {
  using enum StageKind;
  for (const HloPreset& p : hlo_presets()) {
    SCOPED_TRACE(p.name);
    const ExplainedModule m = explained(p.text);
    const bool came_partitioned = m.partitioned() == nullptr;
    const std::vector<StageKind> made_here = {module, propagated, partitioned, timed};
    const std::vector<StageKind> made_elsewhere = {module, timed};
    EXPECT_EQ(kinds_of(m.stages), came_partitioned ? made_elsewhere : made_here);
    for (const ModuleStage* stage = m.stages.get(); stage->before != nullptr; stage = stage->before.get())
      expect_both_ways(*stage);
  }
}

// What a strip of stages draws: a product from the text to each of its executions.
TEST(HloExplain, AnInstructionIsFollowedThroughAllStages) {
  const ExplainedModule m = explained(preset("mlp"));
  const ModuleStage& module = first_stage(*m.stages);
  const Names sums = made_in(*m.stages, module, "y");
  EXPECT_EQ(std::ranges::count_if(
                sums, [&](const std::string& name) { return m.collective_named(name).has_value(); }),
            1);
  for (const std::string& name : sums) EXPECT_EQ(sources_in(module, *m.stages, name), Names{"y"}) << name;
}

// The annotations of PyTorch/XLA stand in a computation that is called.
TEST(HloExplain, ACallStandsForWhatItCalls) {
  const ExplainedModule m = explained(preset("torch_matmul"));
  const Names of_call = m.made_for("call.19");
  EXPECT_FALSE(of_call.empty());
  for (const std::string& name : m.made_for("dot.18"))
    EXPECT_EQ(std::ranges::count(of_call, name), 1) << name;
  EXPECT_EQ(m.made_for("custom-call.16"), m.made_for("p1.7"));
  EXPECT_FALSE(m.made_for("p1.7").empty());
}

TEST(HloExplain, TextsThatAlreadyArePartitionedStandForThemselves) {
  const ExplainedModule m = explained(
      "HloModule m, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
      "add(a, b)\n}\nENTRY e { p = f32[8,8] parameter(0)\n ROOT r = f32[8,8] all-reduce(p), channel_id=1, "
      "replica_groups=[1,4]<=[4], to_apply=add\n}\n",
      as_rings());
  EXPECT_EQ(m.partitioned(), nullptr);
  ASSERT_EQ(m.collectives.size(), 1u);
  EXPECT_EQ(m.collectives[0].origin.bytes_sent, 1.5 * 8 * 8 * 4);  // ring: 2 · 3/4
  EXPECT_EQ(m.made_for("r"), Names{"r"});
  EXPECT_NE(why(m.collectives[0]).find("already in the module"), std::string::npos);
}

// As compiled.as_text() has them: the start of a gather, a reduce-scatter inside an asynchronous computation.
TEST(HloExplain, AsynchronousCollectivesSendWhatTheTimelineSends) {
  const ExplainedModule m = explained(preset("compiled_layer"));
  ASSERT_TRUE(m.timed);
  EXPECT_EQ(m.bytes_sent(), mean_per_device(m.timed->timeline).bytes_sent);
  EXPECT_EQ(m.bytes_sent(), 13.5 * 1024);
  ASSERT_EQ(m.collectives.size(), 3U);
  for (const ModuleCollective& c : m.collectives) EXPECT_GT(c.origin.bytes_sent, 0) << c.origin.name;
  // Without a time the figures are the same.
  ExplainOptions untimed;
  untimed.asked["hardware"] = "no-such-chip";
  EXPECT_EQ(explained(preset("compiled_layer"), untimed).bytes_sent(), 13.5 * 1024);
}

TEST(HloExplain, SeveralArraysInOneCollectiveAreOneRound) {
  const ExplainedModule m = explained(
      "HloModule m, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
      "add(a, b)\n}\nENTRY e { p = f32[8] parameter(0)\n q = f32[16] parameter(1)\n ROOT r = (f32[8], "
      "f32[16]) "
      "all-reduce(p, q), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=add\n}\n",
      as_rings());
  ASSERT_EQ(m.collectives.size(), 1U);
  EXPECT_EQ(m.collectives[0].rounds, 1);
  EXPECT_EQ(m.collectives[0].origin.bytes_sent, 1.5 * (8 + 16) * 4);
  EXPECT_EQ(m.bytes_sent(), mean_per_device(m.timed->timeline).bytes_sent);
}

// What a device holds of a module that came partitioned follows from its operations, or is its own.
TEST(HloExplain, WhatIsTheSameOnEveryDeviceIsKnownFromItsOperations) {
  const ExplainedModule m = explained(
      "HloModule m, num_partitions=4\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
      "add(a, b)\n}\nENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
      " w = f32[8] parameter(1), sharding={replicated}\n"
      " r = f32[8] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, to_apply=add\n"
      " h = f32[8] all-reduce(p), channel_id=3, replica_groups={{0,1},{2,3}}, to_apply=add\n"
      " t = f32[8] add(r, w)\n ROOT s = f32[2] reduce-scatter(t), channel_id=2, "
      "replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=add\n}\n");
  EXPECT_EQ(m.same, (std::set<std::string>{"w", "r", "t"}));
  EXPECT_TRUE(explained(preset("mlp")).same.empty());
}

const std::string kShapes[] = {
    // A loop whose state starts otherwise than it goes on.
    "HloModule loop\nbody { s = (s32[], f32[8,8]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
    " o = s32[] constant(1)\n n = s32[] add(i, o)\n x = f32[8,8] get-tuple-element(s), index=1\n"
    " y = f32[8,8] negate(x)\n ROOT t = (s32[], f32[8,8]) tuple(n, y) }\n"
    "cond { s.1 = (s32[], f32[8,8]) parameter(0)\n i.1 = s32[] get-tuple-element(s.1), index=0\n"
    " e = s32[] constant(3)\n ROOT p = pred[] compare(i.1, e), direction=LT }\n"
    "ENTRY m { x.2 = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}\n z = s32[] constant(0)\n"
    " w = (s32[], f32[8,8]) tuple(z, x.2)\n l = (s32[], f32[8,8]) while(w), condition=cond, body=body, "
    "sharding={{replicated}, {devices=[1,4]<=[4]}}\n"
    " ROOT r = f32[8,8] get-tuple-element(l), index=1, sharding={devices=[1,4]<=[4]} }\n",
    // Products whose operands, or results, no simple case fits.
    "HloModule dots\nENTRY m { a = f32[16,24] parameter(0), sharding={devices=[2,4]<=[8]}\n"
    " b = f32[24,32] parameter(1), sharding={devices=[4,2]<=[2,4]T(1,0)}\n"
    " ROOT y = f32[16,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[4,2]<=[8]} }\n",
    "HloModule dots\nENTRY m { a = f32[16,24] parameter(0), sharding={devices=[8,1]<=[8]}\n"
    " b = f32[24,32] parameter(1), sharding={devices=[1,8]<=[8]}\n"
    " ROOT y = f32[16,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[1,8]<=[8]} }\n",
    "HloModule batch\nENTRY m { a = f32[8,16,24] parameter(0), sharding={devices=[2,4,1]<=[8]}\n"
    " b = f32[8,24,32] parameter(1), sharding={devices=[4,1,2]<=[8]}\n"
    " ROOT y = f32[8,16,32] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
    "rhs_contracting_dims={1}, sharding={devices=[1,2,4]<=[8]} }\n",
    // Rows of neighbours, parts of reductions, tables, all to one and back.
    "HloModule rows\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
    "ENTRY m { x = f32[10,3] parameter(0), sharding={devices=[4,1]<=[4]}\n z = f32[] constant(0)\n"
    " c = f32[7,3] slice(x), slice={[2:9], [0:3]}, sharding={devices=[4,1]<=[4]}\n"
    " p = f32[13,3] pad(x, z), padding=1_2x0_0, sharding={devices=[4,1]<=[4]}\n"
    " b = f32[10,3] reverse(x), dimensions={0}, sharding={devices=[4,1]<=[4]}\n"
    " l = f32[17,3] concatenate(x, c), dimensions={0}, sharding={devices=[4,1]<=[4]}\n"
    " i = s32[2] parameter(1)\n g = f32[2,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n"
    " t = f32[3,10] transpose(x), dimensions={1,0}, sharding={devices=[1,2,2]<=[4] last_tile_dim_replicate}\n"
    " r = f32[3] reduce(x, z), dimensions={0}, to_apply=add\n"
    " f = f32[30] reshape(x), sharding={devices=[4]<=[4]}\n"
    " ROOT all = (f32[7,3], f32[13,3], f32[10,3], f32[17,3], f32[2,3], f32[3,10], f32[3], f32[30]) "
    "tuple(c, p, b, l, g, t, r, f) }\n"};

TEST(HloExplain, EveryCollectiveThatIsMadeHasARuleAndAnOperand) {
  std::vector<std::string> texts(std::begin(kShapes), std::end(kShapes));
  for (const HloPreset& p : hlo_presets()) texts.push_back(p.text);
  int64_t seen = 0;
  for (const std::string& text : texts) {
    for (const SpmdDialect dialect : {SpmdDialect::current, SpmdDialect::tpu2022}) {
      ExplainOptions options;
      options.partition.dialect = dialect;
      const ExplainedModule m = explained(text, options);
      if (m.partitioned() == nullptr) continue;
      for (const ModuleCollective& c : m.collectives) {
        ++seen;
        EXPECT_NE(c.origin.rule, "") << m.module().name << ": " << c.origin.name;
        EXPECT_NE(c.origin.operand, "") << m.module().name << ": " << c.origin.name << " " << c.origin.rule;
        EXPECT_NE(c.origin.operand, "both") << m.module().name << ": " << c.origin.name;
        EXPECT_EQ(why(c).find("already in the module"), std::string::npos) << why(c);
      }
    }
  }
  EXPECT_GE(seen, 40);
}

// Shardings that were spread once, and costs that were looked up, are those of doing all of it anew.
TEST(HloExplain, PartitioningWhatWasSpreadAlreadyMakesTheSame) {
  int64_t compared = 0;
  for (const HloPreset& p : hlo_presets()) {
    SCOPED_TRACE(p.name);
    const auto module = read_hlo_or_mlir(p.text, p.name);
    ASSERT_TRUE(module.ok());
    PartitionOptions options;
    options.propagate = true;
    const auto anew = partition(module->program, options);
    auto spread = propagate(module->program, {});
    if (!anew.ok() || !spread.ok()) continue;
    const auto again = partition(shared_stage(*std::move(spread)), options);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(print_program(*again->program), print_program(*anew->program));
    EXPECT_EQ(again->notes, anew->notes);
    EXPECT_EQ(again->links, anew->links);
    EXPECT_EQ(again->log.text(), anew->log.text());
    ASSERT_EQ(again->collectives.size(), anew->collectives.size());
    for (const Computation& c : anew->program->computations) {
      for (const Instruction& i : c.instructions) {
        const auto origin = std::ranges::find(again->collectives, i.name, &CollectiveOrigin::name);
        if (!is_collective(i.opcode) || origin == again->collectives.end()) continue;
        EXPECT_EQ(origin->bytes_sent, CollectiveBytes(*anew->program).of(c, i)) << i.name;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 12);
}

// The one that goes is named.
TEST(HloExplain, AProductsOperandThatMovesIsNamed) {
  const ExplainedModule m = explained(
      "HloModule m\nENTRY e { a = f32[16,24] parameter(0), sharding={devices=[1,4]<=[4]}\n"
      " b = f32[24,32] parameter(1), sharding={replicated}\n"
      " ROOT y = f32[16,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[4,1]<=[4]} }\n");
  ASSERT_FALSE(m.collectives.empty());
  EXPECT_NE(why(m.collectives[0]).find("lhs a of y goes from"), std::string::npos) << why(m.collectives[0]);
}

TEST(HloExplain, WhatCannotBePartitionedIsReadAndSaysWhy) {
  ExplainOptions three;
  three.partition.devices = 3;
  const ExplainedModule m = explained(
      "HloModule m\nENTRY e { p = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n ROOT r = f32[8] "
      "copy(p)\n}\n",
      three);
  ASSERT_TRUE(m.failure);
  EXPECT_EQ(m.program(), nullptr);
  EXPECT_NE(m.find("r"), nullptr);
  const auto bad = explain_module("HloModule m\nENTRY e {\n p = f32[8] parametre(\n", "m.hlo", {}, {});
  EXPECT_TRUE(!bad.ok() || bad->cut);
}

TEST(HloExplain, AnUnannotatedArraySaysWhereItsShardingComesFrom) {
  const ExplainedModule m = explained(preset("mlp"));
  ASSERT_TRUE(m.sharding_of("h"));
  EXPECT_EQ(m.sharding_of("h")->text(), "{devices=[2,2]<=[4]}");
  const Names reasons = m.reasons("h");
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_NE(reasons[0].find("because of"), std::string::npos) << reasons[0];
  EXPECT_TRUE(m.reasons("x").empty());
}

TEST(HloExplain, ShardingsAreTypedAsXlaOrAsJaxWritesThem) {
  const Mesh mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  const Shape shape = Shape::array(ElementType::f32, {8, 8});
  EXPECT_EQ(*typed_sharding("P('x', None)", mesh, shape), "{devices=[2,1,2]<=[4] last_tile_dim_replicate}");
  EXPECT_EQ(*typed_sharding(" {devices=[2,2]0,1,2,3} ", mesh, shape), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(*typed_sharding("  ", mesh, shape), "");
  EXPECT_FALSE(typed_sharding("P('q')", mesh, shape).ok());
  EXPECT_FALSE(typed_sharding("P('x',None,'y')", mesh, shape).ok());
  EXPECT_FALSE(typed_sharding("{devices=[2]<=[2]}", mesh, shape).ok());
  EXPECT_FALSE(typed_sharding("{devices=[2,", mesh, shape).ok());
}

}  // namespace
}  // namespace shardscope::hlo_explain_test
