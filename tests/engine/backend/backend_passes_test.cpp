// SPDX-License-Identifier: Apache-2.0
// What XLA:GPU makes of collectives, pass by pass.
#include "engine/backend/backend_passes.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/analysis/async_pairs.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::backend_passes_test {
namespace {

const std::string kHead =
    "HloModule m, num_partitions=4, frontend_attributes={shardscope.mesh=\"x=4\"}\n"
    "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
    "less { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = pred[] compare(a, b), "
    "direction=LT\n}\n"
    "ENTRY e {\n";

const Hardware& chip() {
  static const Hardware h200 = find_hardware("h200").value();
  return h200;
}

std::shared_ptr<const BackendPass> after(const std::string& body, XlaFlags flags = {},
                                         CompileAs compiler = CompileAs::xla_gpu,
                                         const std::string& head = kHead) {
  auto module = parse_program(head + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return nullptr;
  auto partitioned = std::make_shared<const ModuleStage>(
      ModuleStage{StageKind::partitioned, SharedProgram(*std::move(module))});
  auto made = backend_passes(partitioned, {compiler, flags, chip()});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  return made.ok() ? *made : nullptr;
}

std::vector<std::string> collectives(const std::shared_ptr<const BackendPass>& last) {
  std::vector<std::string> out;
  for (const Instruction& i : last->program->entry_computation().instructions)
    if (is_known(collective_opcode(i)))
      out.push_back(std::string(opcode_text(collective_opcode(i))) + " " +
                    plain_collective(i).shape.text_without_layout());
  return out;
}

std::shared_ptr<const BackendPass> pass_named(const std::shared_ptr<const BackendPass>& last,
                                              const std::string& name) {
  for (const auto& pass : passes_of(last))
    if (pass->pass == name) return pass;
  return nullptr;
}

std::vector<std::string> names_of(const std::shared_ptr<const BackendPass>& last) {
  std::vector<std::string> out;
  for (const auto& pass : passes_of(last)) out.push_back(pass->pass);
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

TEST(BackendPasses, ASumOfWhichEachKeepsItsPartIsScattered) {
  const std::string slice = "ROOT s = f32[2,4] dynamic-slice(all-reduce.1, r, z), dynamic_slice_sizes={2,4}";
  const auto made = after(sum("0, 2, 4, 6", slice));
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(collectives(made), (std::vector<std::string>{"reduce-scatter f32[2,4]"}));
  const auto creator = pass_named(made, "reduce-scatter-creator");
  ASSERT_NE(creator, nullptr);
  EXPECT_EQ(creator->said.size(), 1U);
  EXPECT_EQ(creator->program->entry_computation().root_instruction().name, "reduce-scatter.1");
  EXPECT_EQ(sources_in(*creator->before, *creator, "reduce-scatter.1"),
            (std::vector<std::string>{"all-reduce.1", "s"}));
  // Devices keep parts in another order than they stand in the group: the group is put in that order.
  const auto turned = after(sum("2, 0, 6, 4", slice));
  ASSERT_EQ(collectives(turned), (std::vector<std::string>{"reduce-scatter f32[2,4]"}));
  const Instruction* scattered = turned->program.find("reduce-scatter.1");
  EXPECT_EQ(*scattered->replica_groups->tiles.devices, (std::vector<int64_t>{1, 0, 3, 2}));
}

TEST(BackendPasses, ASumThatIsNeededWholeOrCutOtherwiseStays) {
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

TEST(BackendPasses, WhatGoesTheSameWayBecomesOne) {
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
  XlaFlags small;
  small.all_reduce_combine_bytes = 200;
  const auto large = after(
      arguments + reduced("a", "p", all) + reduced("b", "q", all) + "ROOT t = f32[8,4] add(a, b)", small);
  EXPECT_EQ(collectives(large).size(), 2U);
}

TEST(BackendPasses, AreThoseOfTheCompilerAndItsFlags) {
  const std::string body =
      "p = f32[8,4] parameter(0)\n" + reduced("a", "p", "{{0,1,2,3}}") + "ROOT n = f32[8,4] negate(a)";
  EXPECT_EQ(names_of(after(body)),
            (std::vector<std::string>{
                "while-loop-all-reduce-code-motion", "collective-pipeliner-reduce-scatter",
                "reduce-scatter-creator", "fusion", "all-gather-combiner", "all-reduce-combiner",
                "reduce-scatter-combiner", "collective-permute-combiner", "async-collective-creator",
                "gpu-scheduler", "convert-async-collectives-to-sync"}));
  XlaFlags flags;
  flags.latency_hiding_scheduler = flags.pipelined_collectives = flags.while_loop_double_buffering = true;
  const std::vector<std::string> more = names_of(after(body, flags));
  for (const char* name : {"collective-pipeliner-all-gather", "collective-pipeliner-all-reduce",
                           "double-buffer-loop-unrolling", "latency-hiding-scheduler"})
    EXPECT_EQ(std::ranges::count(more, name), 1) << name;
  const std::vector<std::string> tpu = names_of(after(body, {}, CompileAs::xla_tpu));
  EXPECT_EQ(tpu.front(), "while-loop-invariant-code-motion");
  EXPECT_EQ(std::ranges::count(tpu, "latency-hiding-scheduler"), 1);
  EXPECT_EQ(after(body, {}, CompileAs::none), nullptr);
}

// q is multiplied while p is summed, and nothing runs beside the sum of what comes of both.
const std::string kBeside =
    "p = f32[1024,1024] parameter(0)\nq = f32[1024,1024] parameter(1)\n"
    "first = f32[1024,1024] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, "
    "use_global_device_ids=true, "
    "to_apply=add\n"
    "d = f32[1024,1024] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "e = f32[1024,1024] dot(d, first), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "ROOT last = f32[1024,1024] all-reduce(e), channel_id=2, replica_groups={{0,1,2,3}}, "
    "use_global_device_ids=true, to_apply=add";

TEST(BackendPasses, WhatRunsBesideACollectiveMakesItAsynchronous) {
  const auto made = after(kBeside);
  ASSERT_NE(made, nullptr);
  ASSERT_EQ(made->overlaps.size(), 2U);
  EXPECT_TRUE(made->overlaps[0].asynchronous);
  EXPECT_EQ(made->overlaps[0].beside, (std::vector<std::string>{"d"}));
  EXPECT_EQ(made->overlaps[0].link, "NVLink");
  EXPECT_FALSE(made->overlaps[1].asynchronous);
  EXPECT_EQ(made->overlaps[1].words, "not hidden: all other work is needed for it");
  const auto& instructions = made->program->entry_computation().instructions;
  const auto place = [&](const char* name) {
    return std::ranges::find(instructions, name, &Instruction::name) - instructions.begin();
  };
  EXPECT_LT(place("first.start"), place("d"));
  EXPECT_LT(place("d"), place("first.done"));
  EXPECT_LT(place("first.done"), place("e"));
  EXPECT_EQ(sources_in(*passes_of(made).front()->before, *made, "first.done"),
            (std::vector<std::string>{"first"}));
  EXPECT_EQ(instructions.back().name, "last");
}

TEST(BackendPasses, TheLatencyHidingSchedulerMovesWorkBesideACollective) {
  // The product stands in front of the sum, which its operand does not wait for.
  const std::string body =
      "p = f32[1024,1024] parameter(0)\nq = f32[1024,1024] parameter(1)\n"
      "d = f32[1024,1024] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "s = f32[1024,1024] sort(p), dimensions={0}, to_apply=less\n"
      "a = f32[1024,1024] all-reduce(s), channel_id=1, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=add\n"
      "ROOT e = f32[1024,1024] dot(d, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const auto as_it_stands = after(body);
  ASSERT_NE(as_it_stands, nullptr);
  ASSERT_EQ(as_it_stands->overlaps.size(), 1U);
  EXPECT_EQ(as_it_stands->overlaps[0].words,
            "not hidden: d could run beside it, but stands elsewhere; --xla-flag "
            "xla_gpu_enable_latency_hiding_scheduler=true moves it");
  XlaFlags flags;
  flags.latency_hiding_scheduler = true;
  const auto moved = after(body, flags);
  ASSERT_EQ(moved->overlaps.size(), 1U);
  EXPECT_TRUE(moved->overlaps[0].asynchronous);
  EXPECT_EQ(moved->overlaps[0].words, "runs beside d");
}

TEST(BackendPasses, OneCollectiveAtATimeIsUnderWayOnALink) {
  const std::string two =
      "p = f32[1024,1024] parameter(0)\nq = f32[1024,1024] parameter(1)\n"
      "d = f32[1024,1024] dot(q, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "a = f32[1024,1024] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=add\n"
      "b = f32[4096,1024] all-gather(p), channel_id=2, replica_groups={{0,1,2,3}}, dimensions={0}, "
      "use_global_device_ids=true\n"
      "ROOT t = (f32[1024,1024], f32[1024,1024], f32[4096,1024]) tuple(d, a, b)";
  XlaFlags flags;
  flags.latency_hiding_scheduler = true;
  const auto asynchronous = [&](const std::shared_ptr<const BackendPass>& made) {
    return std::ranges::count(made->overlaps, true, &CollectiveOverlap::asynchronous);
  };
  EXPECT_EQ(asynchronous(after(two, flags)), 1);
  flags.collectives_in_flight = 2;
  EXPECT_EQ(asynchronous(after(two, flags)), 2);
}

TEST(BackendPasses, TheLinksOfANodeAndTheNetworkAreApart) {
  std::string head = kHead;  // two nodes of eight
  head.replace(head.find("num_partitions=4"), 16, "num_partitions=16");
  head.replace(head.find("x=4"), 3, "x=2,y=8");
  const auto gather = [](const std::string& name, const std::string& groups, int64_t members) {
    return name + " = f32[" + std::to_string(members * 512) +
           ",512] all-gather(p), channel_id=1, replica_groups=" + groups +
           ", dimensions={0}, use_global_device_ids=true\n";
  };
  const std::string body =
      "p = f32[512,512] parameter(0)\n"
      "d = f32[512,512] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
      gather("near", "[2,8]<=[16]", 8) + gather("far", "[8,2]<=[2,8]T(1,0)", 2) +
      "ROOT t = (f32[512,512], f32[4096,512], f32[1024,512]) tuple(d, near, far)";
  XlaFlags flags;
  flags.latency_hiding_scheduler = true;
  const auto made = after(body, flags, CompileAs::xla_gpu, head);
  ASSERT_NE(made, nullptr);
  ASSERT_EQ(made->overlaps.size(), 2U);
  for (const CollectiveOverlap& overlap : made->overlaps) {
    EXPECT_EQ(overlap.link, overlap.name.starts_with("near") ? "NVLink" : "the network");
    EXPECT_EQ(overlap.beside, (std::vector<std::string>{"d"})) << overlap.name;
  }
}

TEST(BackendPasses, APermuteRoundARingIsOpened) {
  const std::string ring =
      "p = f32[8,4] parameter(0)\n"
      "ROOT r = f32[8,4] collective-permute(p), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}";
  EXPECT_EQ(collectives(after(ring)).size(), 1U);
  XlaFlags flags;
  flags.permute_decomposer_bytes = 128;
  const auto opened = pass_named(after(ring, flags), "collective-permute-cycle-decomposer");
  ASSERT_NE(opened, nullptr);
  EXPECT_EQ(collectives(opened).size(), 2U);
  EXPECT_EQ(opened->said,
            (std::vector<std::string>{"r: device 3 to 0, which closes its ring, is a permute of its own"}));
  flags.permute_decomposer_bytes = 129;
  EXPECT_EQ(collectives(pass_named(after(ring, flags), "collective-permute-cycle-decomposer")).size(), 1U);
}

}  // namespace
}  // namespace shardscope::backend_passes_test
