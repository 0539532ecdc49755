// SPDX-License-Identifier: Apache-2.0
// A module reads the same wherever it is described: one name for an operation, a sharding as JAX writes it,
// one number for each word of a collective's bytes.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/base/read_file.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_explain.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/modules/alternatives.h"
#include "engine/story/sentences.h"

namespace shardscope::module_words_test {
namespace {

ExplainedModule explained(const std::string& text, const std::string& name) {
  ExplainOptions options;
  options.partition.propagate = true;
  auto out = explain_module(text, name, options, {});
  EXPECT_TRUE(out.ok()) << name << ": " << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : ExplainedModule{};
}

std::string language(const std::string& preset) {
  auto text = read_file(SHARDSCOPE_SOURCE_DIR "/presets/hlo/" + preset + ".mlir", 1 << 20);
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

constexpr const char* kStableHlo[] = {"mlp",          "attention_scores", "fsdp_gather", "jax_sharded_jit",
                                      "moe_dispatch", "torch_matmul"};

std::string sharded_product(const std::string& lhs, const std::string& rhs, const std::string& out) {
  return "module @m attributes {mhlo.num_partitions = 8 : i32} {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2, "
         "\"z\"=2]>\n  func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = "
         "#sdy.sharding<@mesh, " +
         lhs + ">}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, " + rhs +
         ">}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, " + out +
         ">}) {\n    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : "
         "(tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>\n    return %0 : tensor<16x8xf32>\n  "
         "}\n}\n";
}

// Whoever names an instruction of the module gives its display name; what user code calls it stands
// beside its name.
TEST(ModuleWords, AnOperationHasOneSpelling) {
  for (const std::string name : kStableHlo) {
    const ExplainedModule m = explained(language(name), name + ".mlir");
    for (const ModuleCollective& c : m.collectives) {
      EXPECT_EQ(c.origin.consumer, m.display_name(c.origin.instruction)) << name;
      EXPECT_NE(m.reason(c).find(c.origin.consumer), std::string::npos) << m.reason(c);
      if (c.display_name != c.origin.name) {
        EXPECT_EQ(c.display_name, m.display_name(c.origin.instruction)) << "of the user's own";
      }
    }
  }
  const ExplainedModule mlp = explained(language("mlp"), "mlp.mlir");
  ASSERT_EQ(mlp.collectives.size(), 1U);
  EXPECT_EQ(mlp.collectives[0].origin.consumer, "%3 (dot.5)");
  EXPECT_EQ(mlp.collectives[0].origin.op_name, "mlp/down");
}

// What runs is called as the user's text calls it, in sentences as in the table, and when it was recorded.
TEST(ModuleWords, ARunNamesOperationsAsTheUsersTextDoes) {
  const ExplainedModule m = explained(language("mlp"), "mlp.mlir");
  ASSERT_NE(m.timed, nullptr);
  const Program& program = m.timed->program;
  const auto names_of = [](const Program& of) {
    std::vector<std::string> out;
    for (const Instruction& i : of.entry_computation().instructions) out.push_back(display_name(i));
    return out;
  };
  const std::vector<std::string> names = names_of(program);
  EXPECT_EQ(std::ranges::count(names, m.display_name("dot.5")), 1);
  EXPECT_EQ(m.display_name("dot.1"), "%0 (dot.1)");
  const auto story = tell(program, m.timed->timeline);
  ASSERT_TRUE(story.ok()) << story.error().text();
  std::string told;
  for (int32_t beat = 0; beat < std::ssize(story->beats()); ++beat)
    told += sentences(*story, beat).moves + "\n";
  EXPECT_NE(told.find("makes %2.0"), std::string::npos) << "of a fusion that makes it: " << told;
  EXPECT_NE(told.find("every device multiplies (%3 (dot.5))"), std::string::npos) << told;
  const auto again = parse_program(print_program(program, HloForm{.origins = true}));
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(names_of(*again), names);
}

// An HLO text's operation keeps the name that it has there.
TEST(ModuleWords, AnHloTextsOperationKeepsItsName) {
  for (const HloPreset& p : hlo_presets()) {
    const ExplainedModule m = explained(p.text, p.name);
    for (const Computation& c : m.module().computations)
      for (const Instruction& i : c.instructions) EXPECT_EQ(m.display_name(i.name), i.name) << p.name;
  }
}

TEST(ModuleWords, ASumOverAllAxesEndsWhole) {
  const ExplainedModule m =
      explained(sharded_product("[{}, {\"x\", \"y\"}]", "[{\"x\", \"y\"}, {}]", "[{}, {}]"), "m.mlir");
  ASSERT_EQ(m.collectives.size(), 1U);
  const CollectiveOrigin& sum = m.collectives[0].origin;
  EXPECT_EQ(sum.way(), "from P(None, None) with partial sums over x and y to P(None, None)");
  EXPECT_EQ(sum.from_spec, "P(None, None, unreduced={'x', 'y'})");
  EXPECT_EQ(sum.to_spec, "P(None, None)");
}

// The product is summed over y alone, its rows stay where they are.
TEST(ModuleWords, ASumOverOneAxisLeavesTheOthersAsTheyAre) {
  const ExplainedModule m =
      explained(sharded_product("[{\"x\"}, {\"y\"}]", "[{\"y\"}, {}]", "[{\"x\"}, {}]"), "m.mlir");
  ASSERT_EQ(m.collectives.size(), 1U);
  EXPECT_EQ(m.collectives[0].origin.way(), "from P('x', None) with partial sums over y to P('x', None)");
}

// One all-reduce a dimension: behind the first the sums of the second are still to be added up.
TEST(ModuleWords, OneOfTwoSumsLeavesTheOtherToBeAddedUp) {
  const ExplainedModule m = explained(
      "module @m attributes {mhlo.num_partitions = 8 : i32} {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2, "
      "\"z\"=2]>\n  func.func public @main(%arg0: tensor<4x4x96xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {\"y\"}, {\"z\"}]>}) -> tensor<96xf32> {\n    %cst = stablehlo.constant dense<0.0> : "
      "tensor<f32>\n    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = "
      "[0, "
      "1] : (tensor<4x4x96xf32>, tensor<f32>) -> tensor<96xf32>\n    return %0 : tensor<96xf32>\n  }\n}\n",
      "m.mlir");
  ASSERT_GE(m.collectives.size(), 2U);
  EXPECT_EQ(m.collectives[0].origin.way(),
            "from P('z') with partial sums over y and x to P('z') with partial sums over x");
  EXPECT_EQ(m.collectives[1].origin.way(), "from P('z') with partial sums over x to P('z')");
}

TEST(ModuleWords, NothingSaysPartialSumsToReplicated) {
  for (const HloPreset& p : hlo_presets()) {
    const ExplainedModule m = explained(p.text, p.name);
    for (const ModuleCollective& c : m.collectives) {
      EXPECT_EQ(why(c).find("from partial sums to"), std::string::npos) << p.name << ": " << why(c);
      if (c.opcode == "all-reduce" && !c.origin.rule.empty() && c.origin.operand == "result") {
        EXPECT_NE(c.origin.way().find(" with partial "), std::string::npos) << p.name << ": " << why(c);
      }
    }
  }
}

// What the command line computes of the partitioned program alone is what the timeline sends.
TEST(ModuleWords, EveryWordOfACollectivesBytesHasOneNumber) {
  size_t compared = 0;
  for (const HloPreset& p : hlo_presets()) {
    const ExplainedModule m = explained(p.text, p.name);
    if (m.partitioned() == nullptr || !m.timed) continue;
    Partitioned alone = *m.partitioned();
    choose_algorithms(alone, m.timed->hardware);
    const int64_t devices = alone.program->mesh.device_count();
    for (const CollectiveOrigin& c : alone.collectives) {
      const auto shown = m.collective_named(c.name);
      ASSERT_TRUE(shown) << p.name << ": " << c.name;
      const CollectiveVolume volume = m.volume(m.collectives[*shown]);
      EXPECT_EQ(volume_of(c, devices).text(), volume.text()) << p.name << ": " << c.name;
      EXPECT_NE(m.reason(m.collectives[*shown]).find(volume.text()), std::string::npos);
      EXPECT_DOUBLE_EQ(volume.moved, volume.sent * static_cast<double>(devices));
      compared += 1;
    }
  }
  EXPECT_GT(compared, 10U);
}

TEST(ModuleWords, AnAlternativeNamesItsArrayTheSame) {
  const ExplainedModule m = explained(language("fsdp_gather"), "fsdp_gather.mlir");
  ASSERT_FALSE(m.collectives.empty());
  ExplainOptions options;
  options.partition.propagate = true;
  const auto found = alternative_to(m, options, 0, {});
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found->edit.display_name, m.display_name(found->edit.instruction));
  EXPECT_NE(found->words().find("with " + found->edit.display_name + " as " + found->edit.spec),
            std::string::npos)
      << found->words();
}

}  // namespace
}  // namespace shardscope::module_words_test
