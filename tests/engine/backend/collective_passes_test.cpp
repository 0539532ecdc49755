// SPDX-License-Identifier: Apache-2.0
// What XLA:GPU makes of collectives, pass by pass.
#include "engine/backend/collective_passes.h"

#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::collective_passes_test {
namespace {

const std::string kHead =
    "HloModule m, num_partitions=4, frontend_attributes={shardscope.mesh=\"x=4\"}\n"
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\nENTRY e {\n";

std::shared_ptr<const BackendPass> after(const std::string& body, int64_t most = kCombineBytes) {
  auto module = parse_program(kHead + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return nullptr;
  auto partitioned = std::make_shared<const ModuleStage>(
      ModuleStage{StageKind::partitioned, SharedProgram(*std::move(module))});
  auto made = collective_passes(partitioned, most, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  return made.ok() ? *made : nullptr;
}

std::vector<std::string> collectives(const std::shared_ptr<const BackendPass>& last) {
  std::vector<std::string> out;
  for (const Instruction& i : last->program->entry_computation().instructions)
    if (is_collective(i.opcode))
      out.push_back(std::string(opcode_text(i.opcode)) + " " + i.shape.text_without_layout());
  return out;
}

const std::string kSum =
    "p = f32[8,4] parameter(0)\n"
    "d = u32[] partition-id()\n"
    "t = s32[4] constant({TABLE})\n"
    "o = s32[1] dynamic-slice(t, d), dynamic_slice_sizes={1}\n"
    "r = s32[] reshape(o)\n"
    "z = s32[] constant(0)\n"
    "all-reduce.1 = f32[8,4] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, "
    "use_global_device_ids=true, "
    "to_apply=add\n";

std::string sum(const std::string& table, const std::string& rest) {
  std::string out = kSum;
  out.replace(out.find("TABLE"), 5, table);
  return out + rest;
}

TEST(CollectivePasses, ASumOfWhichEachKeepsItsPartIsScattered) {
  const std::string slice = "ROOT s = f32[2,4] dynamic-slice(all-reduce.1, r, z), dynamic_slice_sizes={2,4}";
  const auto made = after(sum("0, 2, 4, 6", slice));
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(collectives(made), (std::vector<std::string>{"reduce-scatter f32[2,4]"}));
  const auto passes = passes_of(made);
  ASSERT_EQ(passes.size(), 5U);
  EXPECT_EQ(passes[0]->pass, "reduce-scatter-creator");
  EXPECT_EQ(passes[0]->said.size(), 1U);
  EXPECT_EQ(passes[0]->program->entry_computation().root_instruction().name, "reduce-scatter.1");
  EXPECT_EQ(sources_in(*passes[0]->before, *passes[0], "reduce-scatter.1"),
            (std::vector<std::string>{"all-reduce.1", "s"}));
  // Devices keep parts in another order than they stand in the group: the group is put in that order.
  const auto turned = after(sum("2, 0, 6, 4", slice));
  ASSERT_EQ(collectives(turned), (std::vector<std::string>{"reduce-scatter f32[2,4]"}));
  const Instruction* scattered = turned->program.find("reduce-scatter.1");
  EXPECT_EQ(*scattered->replica_groups->tiles.devices, (std::vector<int64_t>{1, 0, 3, 2}));
}

TEST(CollectivePasses, ASumThatIsNeededWholeOrCutOtherwiseStays) {
  const auto both = after(sum("0, 2, 4, 6",
                              "s = f32[2,4] dynamic-slice(all-reduce.1, r, z), dynamic_slice_sizes={2,4}\n"
                              "ROOT t2 = (f32[8,4], f32[2,4]) tuple(all-reduce.1, s)"));
  EXPECT_EQ(collectives(both), (std::vector<std::string>{"all-reduce f32[8,4]"}));
  const auto overlapping = after(
      sum("0, 1, 2, 3", "ROOT s = f32[2,4] dynamic-slice(all-reduce.1, r, z), dynamic_slice_sizes={2,4}"));
  EXPECT_EQ(collectives(overlapping), (std::vector<std::string>{"all-reduce f32[8,4]"}));
}

std::string reduced(const std::string& name, const std::string& of, const std::string& groups) {
  return name + " = f32[8,4] all-reduce(" + of + "), channel_id=1, replica_groups=" + groups +
         ", use_global_device_ids=true, to_apply=add\n";
}

TEST(CollectivePasses, WhatGoesTheSameWayBecomesOne) {
  const std::string all = "{{0,1,2,3}}", pairs = "{{0,1},{2,3}}";
  const std::string arguments = "p = f32[8,4] parameter(0)\nq = f32[8,4] parameter(1)\n";
  const auto together = after(arguments + reduced("a", "p", all) + "n = f32[8,4] negate(a)\n" +
                              reduced("b", "q", all) + "ROOT t = (f32[8,4], f32[8,4]) tuple(n, b)");
  EXPECT_EQ(collectives(together), (std::vector<std::string>{"all-reduce (f32[8,4], f32[8,4])"}));
  const auto waiting =
      after(arguments + reduced("a", "p", all) + reduced("b", "a", all) + "ROOT t = f32[8,4] add(b, q)");
  EXPECT_EQ(collectives(waiting).size(), 2U);
  const auto apart =
      after(arguments + reduced("a", "p", all) + reduced("b", "q", pairs) + "ROOT t = f32[8,4] add(a, b)");
  EXPECT_EQ(collectives(apart).size(), 2U);
  const auto large =
      after(arguments + reduced("a", "p", all) + reduced("b", "q", all) + "ROOT t = f32[8,4] add(a, b)", 200);
  EXPECT_EQ(collectives(large).size(), 2U);
}

}  // namespace
}  // namespace shardscope::collective_passes_test
