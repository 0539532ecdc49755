// SPDX-License-Identifier: Apache-2.0
// Modules are proved before they are timed, and what runs has a time.
#include "engine/session/hlo_run.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/hardware/cost.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/op_support.h"

namespace shardscope::hlo_run_test {
namespace {

Program module_of(const std::string& text) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  return module.ok() ? *module : Program();
}

TEST(ModuleRun, ReplicasOfAModuleWithoutPartitionsAreItsDevices) {
  const Program said = module_of(
      "HloModule m, replica_count=4\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  ROOT r = f32[8] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,3}}\n}\n");
  const auto ran = execute_module(said, {}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_EQ(ran->run->mesh.device_count(), 4);
  EXPECT_EQ(ran->run->timeline.collectives.at(0).opcode, "collective-permute");
  const Program unsaid = module_of(
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, "
      "b)\n}\n"
      "ENTRY e {\n  x = f32[8] parameter(0)\n  ROOT r = f32[8] all-reduce(x), replica_groups={}, "
      "to_apply=add\n}\n");
  ModuleRunOptions eight;
  eight.partition.devices = 8;
  const auto asked = execute_module(unsaid, eight, {});
  ASSERT_TRUE(asked.ok()) << asked.error().text();
  EXPECT_EQ(asked->run->mesh.device_count(), 8);
}

// Its header saying how many partitions there are changes nothing.
TEST(ModuleRun, ResultsAreAsTheyWereAskedForWhateverTheHeaderSays) {
  for (const std::string header : {"", ", num_partitions=4"}) {
    const Program module =
        module_of("HloModule m" + header +
                  "\nENTRY e {\n  x = f32[8,12] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                  "  ROOT n = f32[8,12] negate(x)\n}\n");
    for (const std::string results : {"free", "replicated"}) {
      ModuleRunOptions options;
      options.partition.propagate = true;
      options.asked = {{"results", results}};
      const auto ran = execute_module(module, options, {});
      ASSERT_TRUE(ran.ok()) << ran.error().text();
      EXPECT_EQ(ran->run->timeline.collectives.empty(), results == "free") << header;
    }
  }
}

TEST(OpSupport, WhatRunsIsParsedAndTimed) {
  for (const OperationSupport& operation : operation_support()) {
    std::map<std::string, std::string> holes;
    for (const Support& part : operation.parts) holes[part.part] = part.hole;
    ASSERT_EQ(holes.size(), 8U);
    EXPECT_EQ(holes["parse"], "") << opcode_text(operation.opcode);
    if (holes["run"].empty()) {
      EXPECT_EQ(holes["time"], "") << opcode_text(operation.opcode);
    }
  }
}

// Rounds until the sum of data is large: they have no fixed number, so it is said how many are timed.
TEST(HloRun, RoundsThatDependOnDataAreTimedAsOne) {
  const Program module = module_of(
      "HloModule m\n"
      "more { s = f32[4] parameter(0)\n one = s32[1] iota(), iota_dimension=0\n f = f32[1] slice(s), "
      "slice={[0:1]}\n x = f32[] reshape(f)\n end = f32[] constant(100)\n"
      " ROOT c = pred[] compare(x, end), direction=LT }\n"
      "round { s = f32[4] parameter(0)\n a = f32[4] abs(s)\n n = f32[] constant(1)\n"
      " b = f32[4] broadcast(n), dimensions={}\n t = f32[4] add(a, a)\n ROOT u = f32[4] add(t, b) }\n"
      "ENTRY e { x = f32[4] parameter(0)\n"
      " ROOT w = f32[4] while(x), condition=more, body=round }\n");
  const auto ran = execute_module(module, {}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_TRUE(ran->run->numerics.checked);
  EXPECT_TRUE(ran->run->numerics.allclose);
  ASSERT_FALSE(ran->run->untimed.has_value());
  ASSERT_FALSE(ran->run->timeline.assumptions.empty());
  EXPECT_NE(ran->run->timeline.assumptions.back().find("rounds that depend on data"), std::string::npos);

  ModuleRunOptions of_seven;
  of_seven.check = CheckMode::off;
  of_seven.asked["trip-count"] = "w=7";
  const auto seven = execute_module(module, of_seven, {});
  ASSERT_TRUE(seven.ok()) << seven.error().text();
  EXPECT_EQ(seven->run->timeline.total, 7 * ran->run->timeline.total);
  EXPECT_EQ(seven->run->experiment.module.trip_counts.front().rounds, 7);
  of_seven.asked["trip-count"] = "v=7";
  EXPECT_FALSE(execute_module(module, of_seven, {}).ok());
}

// More rounds than can be written out.
TEST(HloRun, WhatIsTooLongToTimeIsComputedAllTheSame) {
  const Program module = module_of(
      "HloModule m\n"
      "more { s = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " end = s32[] constant(260000)\n ROOT c = pred[] compare(i, end), direction=LT }\n"
      "round { s = (s32[], f32[4]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " one = s32[] constant(1)\n n = s32[] add(i, one)\n x = f32[4] get-tuple-element(s), index=1\n"
      " y = f32[4] negate(x)\n ROOT t = (s32[], f32[4]) tuple(n, y) }\n"
      "ENTRY e { z = s32[] constant(0)\n x = f32[4] parameter(0)\n w = (s32[], f32[4]) tuple(z, x)\n"
      " l = (s32[], f32[4]) while(w), condition=more, body=round\n"
      " ROOT r = f32[4] get-tuple-element(l), index=1 }\n");
  const auto ran = execute_module(module, {}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_TRUE(ran->run->numerics.allclose);
  ASSERT_TRUE(ran->run->untimed.has_value());
  EXPECT_NE(ran->run->untimed->text().find("instructions written out"), std::string::npos);

  ModuleRunOptions only_time;
  only_time.check = CheckMode::off;
  EXPECT_FALSE(execute_module(module, only_time, {}).ok());
}

// What stands between the start and the end of a transfer runs beside it; what stands behind its end waits.
TEST(HloRun, AsynchronousPairsOverlapWhatIsBetween) {
  const auto total = [](const std::string& between, const std::string& behind) {
    const Program module = module_of(
        "HloModule m, is_scheduled=true, num_partitions=2\n"
        "ENTRY e { x = f32[1048576] parameter(0)\n y = f32[1048576] parameter(1)\n"
        " s = (f32[1048576], f32[2097152]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}, "
        "channel_id=1, use_global_device_ids=true\n" +
        between + " d = f32[2097152] all-gather-done(s)\n" + behind +
        " ROOT t = (f32[2097152], f32[1048576]) tuple(d, n) }\n");
    ModuleRunOptions only_time;
    only_time.check = CheckMode::off;
    const auto ran = execute_module(module, only_time, {});
    EXPECT_TRUE(ran.ok()) << (ran.ok() ? "" : ran.error().text());
    return ran.ok() ? ran->run->timeline.total : 0;
  };
  const std::string work = " n = f32[1048576] negate(y)\n";
  const Picoseconds beside = total(work, ""), after = total("", work);
  EXPECT_GT(after, beside);
  // A negation of 4 MiB: 8 MiB through the memory of a tpu-v5e.
  const auto hardware = find_hardware("tpu-v5e");
  EXPECT_EQ(after - beside, *memory_time(*hardware, 8 << 20));
}

// A compiled module names no mesh: the groups of its collectives say which axes there are.
TEST(HloRun, TheGroupsOfACompiledModuleSayItsMesh) {
  const auto mesh_of = [](const std::string& first, const std::string& second) {
    const Program module = module_of(
        "HloModule m, is_scheduled=true, num_partitions=16\n"
        "ENTRY e { x = f32[16] parameter(0)\n"
        " a = f32[16] all-to-all(x), dimensions={0}, channel_id=1, replica_groups=" +
        first + "\n ROOT b = f32[16] all-to-all(a), dimensions={0}, channel_id=2, replica_groups=" + second +
        " }\n");
    ModuleRunOptions only_time;
    only_time.check = CheckMode::off;
    const auto ran = execute_module(module, only_time, {});
    EXPECT_TRUE(ran.ok()) << (ran.ok() ? "" : ran.error().text());
    return ran.ok() ? ran->run->mesh.text() : "";
  };
  EXPECT_EQ(mesh_of("[8,2]<=[16]", "[2,8]<=[8,2]T(1,0)"), "x=8,y=2");
  EXPECT_EQ(mesh_of("[8,2]<=[16]", "[8,2]<=[2,4,2]T(2,1,0)"), "x=2,y=4,z=2");
  EXPECT_EQ(mesh_of("[1,16]<=[16]", "[1,16]<=[16]"), "device=16");
  // Groups that are no axes of any mesh.
  EXPECT_EQ(mesh_of("[1,16]<=[16]", "{{0,3,5,6},{1,2,4,7},{8,9,10,11},{12,13,14,15}}"), "device=16");
}

// A prefetch into faster memory is a copy beside the work.
TEST(HloRun, ACopyBetweenMemoriesTakesTheCopyLane) {
  const Program module = module_of(
      "HloModule m, is_scheduled=true\n"
      "ENTRY e { x = f32[1024,1024] parameter(0)\n"
      " s = (f32[1024,1024]{1,0:S(1)}, f32[1024,1024]{1,0}, u32[]) copy-start(x)\n"
      " n = f32[1024,1024] negate(x)\n d = f32[1024,1024]{1,0:S(1)} copy-done(s)\n"
      " ROOT a = f32[1024,1024] add(n, d) }\n");
  ModuleRunOptions only_time;
  only_time.check = CheckMode::off;
  const auto ran = execute_module(module, only_time, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  const auto copies = std::ranges::count(ran->run->timeline.events, EventKind::copy, &Event::kind);
  EXPECT_EQ(copies, 1);
}

TEST(HloRun, SortGatherAndConvolutionAreTimed) {
  const Program module = module_of(
      "HloModule m\n"
      "up { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT l = pred[] compare(a, b), direction=LT }\n"
      "ENTRY e { x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}\n i = s32[2] parameter(1)\n"
      " k = f32[2,1,3] parameter(2)\n s = f32[8,4] sort(x), dimensions={1}, to_apply=up\n"
      " g = f32[2,4] gather(s, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1,4}\n r = f32[2,4,1] reshape(g)\n"
      " ROOT c = f32[2,3,3] convolution(r, k), window={size=2}, dim_labels=b0f_0io->b0f }\n");
  const auto ran = execute_module(module, {}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().text();
  EXPECT_TRUE(ran->run->numerics.allclose);
  EXPECT_FALSE(ran->run->untimed.has_value());
  EXPECT_GT(ran->run->timeline.total, 0);
}

// A module's product in f32 is TF32 on h200, as XLA makes it, alone and with what follows it in its kernel.
TEST(HloRun, F32IsWhatTheCompilerOfTheChipMakesOfIt) {
  const auto time = [](const std::string& said, const std::string& behind) {
    const Program module = module_of(
        "HloModule m\nENTRY e {\n x = f32[2048,2048] parameter(0)\n"
        " y = f32[2048,2048] parameter(1)\n d = f32[2048,2048] dot(x, y), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}" +
        said + "\n" + behind + "}\n");
    ModuleRunOptions options;
    options.asked = {{"hardware", "h200"}};
    options.check = CheckMode::off;
    const auto ran = execute_module(module, options, {});
    EXPECT_TRUE(ran.ok()) << (ran.ok() ? "" : ran.error().text());
    return ran.ok() ? static_cast<double>(ran->run->timeline.total) : 0;
  };
  const std::string alone = " ROOT r = f32[2048,2048] copy(d)\n",
                    rows = " e = f32[2048,2048] exponential(d)\n ROOT r = f32[2048,2048] multiply(e, x)\n";
  for (const std::string& behind : {alone, rows}) {
    EXPECT_GT(time(", operand_precision={highest,highest}", behind), 3 * time("", behind));
    EXPECT_EQ(time(", operand_precision={high,high}", behind), time("", behind));
  }
}

}  // namespace
}  // namespace shardscope::hlo_run_test
