// SPDX-License-Identifier: Apache-2.0
// Which collectives a sharded product takes, and why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/partition/entry/partition.h"

namespace shardscope::rules_test {
namespace {

// x[4,16] · y[16,4] on a mesh a=4, b=2; "" is no sharding.
std::string product(const std::string& x, const std::string& y, const std::string& z) {
  const auto attribute = [](const std::string& s) { return s.empty() ? s : ", sharding={" + s + "}"; };
  return fmt::format(
      "HloModule m\nENTRY main {{\n  x = f32[4,16] parameter(0){}\n  y = f32[16,4] parameter(1){}\n"
      "  ROOT z = f32[4,4] dot(x, y), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}{}\n}}\n",
      attribute(x), attribute(y), attribute(z));
}

Partitioned of(const std::string& text, const PartitionOptions& options = {}) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << module.error().text();
  auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << made.error().text();
  return *std::move(made);
}

const Instruction& named(const Program& program, const std::string& name) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name) return i;
  static const Instruction none;
  ADD_FAILURE() << "no " << name;
  return none;
}

const std::string kA0 = "devices=[4,1,2]<=[8] last_tile_dim_replicate",
                  kA1 = "devices=[1,4,2]<=[8] last_tile_dim_replicate";
const std::string kB0 = "devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate",
                  kBA = "devices=[2,4]<=[4,2]T(1,0)";

// P(None,a) · P(a,None): every device has a part of the sum.
TEST(SpmdRules, AContractionThatIsCutOnBothSidesIsOneAllReduce) {
  const Partitioned p = of(product(kA1, kA0, "replicated"));
  ASSERT_EQ(p.collectives.size(), 1U) << print_program(*p.program);
  const Instruction& sum = named(*p.program, p.collectives[0].name);
  EXPECT_EQ(sum.opcode, Opcode::all_reduce);
  EXPECT_EQ(tile_assignment_text(sum.replica_groups->tiles), "[2,4]<=[4,2]T(1,0)");
  EXPECT_NE(p.collectives[0].rule.find("partial products are added up"), std::string::npos);
  // A ring all-reduce of 4 devices sends 2 · 3/4 of the array.
  EXPECT_EQ(p.collectives[0].bytes_sent, 1.5 * 4 * 4 * 4);
  EXPECT_EQ(p.results.front().text(), "{replicated}");
}

// The gradient of a depthwise convolution's kernel: the images are summed over, on each device its own.
TEST(SpmdRules, AConvolutionInGroupsOfBatchesIsSummedInParts) {
  const Partitioned p =
      of("HloModule m\nENTRY main {\n  x = f32[4,8,8,3] parameter(0), sharding={devices=[4,1,1,1]<=[4]}\n"
         "  y = f32[4,8,8,3] parameter(1), sharding={devices=[4,1,1,1]<=[4]}\n"
         "  ROOT k = f32[3,3,1,3] convolution(x, y), window={size=8x8 pad=1_1x1_1}, "
         "dim_labels=f01b_i01o->01bf, batch_group_count=3, sharding={replicated}\n}\n");
  ASSERT_EQ(p.collectives.size(), 1U) << print_program(*p.program);
  EXPECT_EQ(named(*p.program, p.collectives[0].name).opcode, Opcode::all_reduce);
  EXPECT_NE(p.collectives[0].rule.find("partial products are added up"), std::string::npos);
}

TEST(SpmdRules, ASumOfWhichEachDeviceKeepsAPartIsSaidToBecomeAReduceScatter) {
  const auto rule = [](const std::string& out) {
    const Partitioned p = of(product("devices=[1,4]<=[4]", "devices=[4,1]<=[4]", out));
    EXPECT_EQ(p.collectives.size(), 1U) << print_program(*p.program);
    return p.collectives.empty() ? "" : p.collectives[0].rule;
  };
  EXPECT_NE(rule("devices=[4,1]<=[4]").find("reduce-scatter on GPU and TPU"), std::string::npos);
  EXPECT_EQ(rule("replicated").find("reduce-scatter"), std::string::npos);
}

TEST(SpmdRules, AProductCanForbidItsWindowedForm) {
  PartitionOptions options;
  options.windowed_einsum_mib = 0;
  const auto loops = [&](const std::string& attribute) {
    std::string text = product("devices=[4,1]<=[4]", "devices=[4,1]<=[4]", "devices=[4,1]<=[4]");
    text.insert(text.rfind(", sharding="), attribute);
    return print_program(*of(text, options).program).find("while(") != std::string::npos;
  };
  EXPECT_TRUE(loops(""));
  EXPECT_FALSE(loops(", frontend_attributes={_xla_collective_matmul=\"none\"}"));
}

TEST(SpmdRules, AnArrayWithoutRowsIsPaddedToOne) {
  const Partitioned p =
      of("HloModule m\nENTRY main {\n  x = f32[8,0] parameter(0), sharding={devices=[1,4]<=[4]}\n"
         "  z = f32[] constant(0)\n"
         "  ROOT y = f32[8,8] pad(x, z), padding=0_0x0_8, sharding={devices=[1,4]<=[4]}\n}\n");
  EXPECT_EQ(p.program->entry_computation().root_instruction().shape.dims, (std::vector<int64_t>{8, 2}));
}

// P(b,a) · P(b,a) -> P(b,a): x gathers its contraction over a, y over b.
TEST(SpmdRules, FullyShardedOperandsAreGatheredAlongTheirContraction) {
  const Partitioned p = of(product(kBA, kBA, kBA));
  std::vector<std::string> shapes;
  for (const CollectiveOrigin& c : p.collectives) {
    const Instruction& i = named(*p.program, c.name);
    EXPECT_EQ(i.opcode, Opcode::all_gather);
    shapes.push_back(Shape::array(i.shape.type, i.shape.dims).text());
  }
  std::sort(shapes.begin(), shapes.end());
  EXPECT_EQ(shapes, (std::vector<std::string>{"f32[16,1]", "f32[2,16]"})) << print_program(*p.program);
}

// The cases of a notebook on pjit, as its compiled modules show them: what is gathered, and over which
// groups.
TEST(SpmdRules, MismatchedAxesAreGathered) {
  struct Case {
    std::string x, y, z;
    std::vector<std::string> groups;
  };
  const std::string over_a = "[2,4]<=[4,2]T(1,0)", over_b = "[4,2]<=[8]";
  for (const Case& c : {Case{kA1, kB0, "replicated", {over_a, over_b}},  // P(None,a) · P(b,None)
                        Case{kBA, kB0, kB0, {over_b, over_a}}}) {        // P(b,a) · P(b,None)
    const Partitioned p =
        of(product(c.x, c.y, c.z), {std::nullopt, SpmdDialect::tpu2022, std::nullopt, false});
    std::vector<std::string> groups;
    for (const CollectiveOrigin& origin : p.collectives) {
      const Instruction& i = named(*p.program, origin.name);
      EXPECT_EQ(i.opcode, Opcode::all_gather);
      groups.push_back(tile_assignment_text(i.replica_groups->tiles));
    }
    EXPECT_EQ(groups, c.groups) << c.x << " " << print_program(*p.program);
  }
}

TEST(SpmdRules, ACollectiveNamesTheLineOfItsSource) {
  const Partitioned p =
      of("HloModule m\nENTRY main {\n  x = f32[8] parameter(0), sharding={devices=[4]<=[4]}\n"
         "  ROOT y = f32[8] negate(x), sharding={replicated}, metadata={op_name=\"neg\" "
         "source_file=\"model.py\" "
         "source_line=12}\n}\n");
  ASSERT_EQ(p.collectives.size(), 1U);
  EXPECT_EQ(p.collectives[0].source_line, "model.py:12");
  EXPECT_EQ(p.collectives[0].instruction, "y");
  EXPECT_EQ(p.collectives[0].from, "{devices=[4]<=[4]}");
  EXPECT_EQ(p.collectives[0].to, "{replicated}");
}

TEST(SpmdRules, ACutThatMovesToAnotherDimensionIsAnAllToAll) {
  const Partitioned p =
      of("HloModule m\nENTRY main {\n  x = f32[8,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
         "  ROOT y = f32[8,8] copy(x), sharding={devices=[1,4]<=[4]}\n}\n");
  ASSERT_EQ(p.collectives.size(), 1U);
  EXPECT_EQ(named(*p.program, p.collectives[0].name).opcode, Opcode::all_to_all);
  // Round a ring of four: two neighbours get a quarter of the 64 bytes each, the one across by way of one of
  // them.
  EXPECT_EQ(p.collectives[0].bytes_sent, 16 + 16 + 2 * 16);
}

TEST(SpmdRules, AFullRematerializationIsSaidWithAStopThatAvoidsIt) {
  const auto text = [](const std::string& between) {
    return "HloModule m\nENTRY main {\n  x = f32[12,12] parameter(0), sharding={devices=[2,3]<=[6]}\n" +
           between + "  ROOT y = f32[12,12] copy(" + (between.empty() ? "x" : "stop") +
           "), sharding={devices=[3,2]<=[6]}\n}\n";
  };
  const Partitioned p = of(text(""));
  ASSERT_EQ(p.rematerializations.size(), 1U);
  EXPECT_EQ(p.rematerializations[0].from, "{devices=[2,3]<=[6]}");
  EXPECT_NE(p.rematerializations[0].message.find(
                "[SPMD] Involuntary full rematerialization. The compiler cannot go"),
            std::string::npos);
  const std::string& suggestion = p.rematerializations[0].suggestion;
  const size_t begin = suggestion.find('{'), end = suggestion.find('}');
  ASSERT_NE(begin, std::string::npos) << suggestion;
  const std::string stop = suggestion.substr(begin, end - begin + 1);
  const Partitioned better = of(text("  stop = f32[12,12] copy(x), sharding=" + stop + "\n"));
  EXPECT_TRUE(better.rematerializations.empty()) << stop;
}

// Queries, keys and values of one input: XLA gathers it once, in groups of devices alike.
TEST(SpmdRules, AnArrayThatSeveralProductsNeedIsGatheredOnce) {
  const auto dot = [](const std::string& name, const std::string& weight) {
    return "  " + name + " = f32[8,16,64] dot(t, " + weight +
           "), lhs_contracting_dims={2}, rhs_contracting_dims={0}, sharding={devices=[2,1,4]<=[8]}\n";
  };
  const std::string column =
      "f32[64,64] parameter({}), sharding={{devices=[1,4,2]<=[2,4]T(1,0) "
      "last_tile_dim_replicate}}\n";
  const Partitioned p =
      of("HloModule m\nENTRY main {\n  x = f32[8,16,64] parameter(0), "
         "sharding={devices=[2,1,4]<=[8]}\n  q = " +
         fmt::format(fmt::runtime(column), 1) + "  k = " + fmt::format(fmt::runtime(column), 2) +
         "  t = f32[8,16,64] tanh(x), sharding={devices=[2,1,4]<=[8]}\n" + dot("a", "q") + dot("b", "k") +
         "  ROOT r = (f32[8,16,64], f32[8,16,64]) tuple(a, b), "
         "sharding={{devices=[2,1,4]<=[8]},{devices=[2,1,4]<=[8]}}\n}\n");
  ASSERT_EQ(p.collectives.size(), 1U) << print_program(*p.program);
  EXPECT_EQ(named(*p.program, p.collectives[0].name).opcode, Opcode::all_gather);
}

TEST(SpmdRules, WhatCannotBePartitionedIsNamed) {
  const auto refusal = [](const std::string& line, const PartitionOptions& options = {}) {
    const auto module = parse_program("HloModule m\nENTRY main {\n  " + line + "\n}\n");
    EXPECT_TRUE(module.ok()) << module.error().text();
    const auto made = partition(*module, options);
    EXPECT_FALSE(made.ok());
    return made.ok() ? "" : made.error().text();
  };
  EXPECT_NE(refusal("ROOT x = f32[8] parameter(0), sharding={manual}").find("x"), std::string::npos);
  PartitionOptions three;
  three.devices = 3;
  EXPECT_NE(refusal("ROOT x = f32[8] parameter(0), sharding={devices=[4]<=[4]}", three).find("4 devices"),
            std::string::npos);
  EXPECT_NE(refusal("a = f32[8] parameter(0)\n  ROOT x = f32[4] custom-call(a), "
                    "custom_call_target=\"local_xla.sdy.GlobalToLocalShape\"")
                .find("xla.sdy.in_shardings"),
            std::string::npos);
  EXPECT_NE(refusal("ROOT x = u32[] partition-id()").find("partitioned already"), std::string::npos);
}

// Left one axis after the other; every device keeps its tile all the way.
TEST(Rules, ManualRegionsAreLeftInSteps) {
  const auto module = parse_program(
      "HloModule m, num_partitions=4\nENTRY e {\n  x = f32[8,4] parameter(0), sharding={devices=[2,2]<=[4]}\n"
      "  a = f32[4,2] custom-call(x), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
      "  n = f32[4,2] negate(a), sharding={manual}\n"
      "  b = f32[8,2] custom-call(n), custom_call_target=\"SPMDShardToFullShape\", "
      "sharding={devices=[2,1,2]<=[4] last_tile_dims={manual}}\n"
      "  ROOT c = f32[8,4] custom-call(b), custom_call_target=\"SPMDShardToFullShape\", "
      "sharding={devices=[2,2]<=[4]}\n}\n");
  ASSERT_TRUE(module.ok()) << module.error().text();
  const auto made = partition(*module, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_TRUE(made->collectives.empty());
  EXPECT_EQ(made->program->entry_computation().root_instruction().shape.dims, (std::vector<int64_t>{4, 2}));
}

}  // namespace
}  // namespace shardscope::rules_test
