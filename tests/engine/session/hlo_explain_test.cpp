// SPDX-License-Identifier: Apache-2.0
// What there is to say of a module before it runs: links, times, reasons, typed shardings.
#include "engine/session/hlo_explain.h"

#include <algorithm>
#include <gtest/gtest.h>

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
  EXPECT_NE(why(sum).find("of y goes from"), std::string::npos) << why(sum);
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
      if (!m.partitioned) continue;
      EXPECT_FALSE(m.partitioned->made_for.empty()) << p.name;
      for (const MadeFor& link : m.partitioned->made_for)
        EXPECT_NE(m.find(link.source), nullptr) << p.name << ": " << link.name << " for " << link.source;
      for (const CollectiveOrigin& c : m.partitioned->collectives)
        EXPECT_FALSE(m.sources_of(c.name).empty()) << p.name << ": " << c.name;
    }
  }
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
      "replica_groups=[1,4]<=[4], to_apply=add\n}\n");
  EXPECT_FALSE(m.partitioned);
  ASSERT_EQ(m.collectives.size(), 1u);
  EXPECT_EQ(m.collectives[0].origin.bytes_sent, 1.5 * 8 * 8 * 4);  // ring: 2 · 3/4
  EXPECT_EQ(m.made_for("r"), Names{"r"});
  EXPECT_NE(why(m.collectives[0]).find("came with the module"), std::string::npos);
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
