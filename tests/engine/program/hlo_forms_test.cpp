// SPDX-License-Identifier: Apache-2.0
// Forms that XLA and JAX print today: groups on ordered meshes, starts that carry tuples, lowered modules
// that do not say their devices, frames.
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::hlo_forms_test {
namespace {

Program parsed(const std::string& text) {
  const auto out = parse_program(text);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text()) << "\n" << text;
  return out.ok() ? *out : Program();
}

const Instruction& named(const Program& program, std::string_view name) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name) return i;
  ADD_FAILURE() << "no " << name;
  return program.computations.front().instructions.front();
}

Program with(const std::string& instruction, const std::string& header = ", num_partitions=8") {
  return parsed(
      "HloModule m" + header +
      "\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n" +
      "ENTRY e {\n  x = f32[16] parameter(0)\n  ROOT r.1 = " + instruction + "\n}\n");
}

TEST(HloForms, GroupsOnAMeshFollowTheOrderOfItsDevices) {
  const std::string groups = "mesh['a'=4,'b'=2], device_ids=([2,2,2]T(0,2,1)) {'a':(2)2}";
  const Program p =
      with("f32[16] all-to-all(x), channel_id=1, replica_groups=" + groups + ", dimensions={0}");
  const Instruction& i = named(p, "r.1");
  EXPECT_EQ(i.replica_groups->tiles.dims, (std::vector<int64_t>{4, 2}));
  // Devices 0 2 1 3 4 6 5 7 over (a, b): a = 2·hi + lo, b; groups differ in lo.
  EXPECT_EQ(i.replica_groups->tiles.devices, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(verify(p).ok());
  EXPECT_NE(print_program(p).find("replica_groups=" + groups), std::string::npos) << print_program(p);
  EXPECT_EQ(parsed(print_program(p)), p);
}

TEST(HloForms, AMeshWithoutAxesBehindItIsRefused) {
  const auto out = parse_program(
      "HloModule m, num_partitions=2\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT g = f32[4] all-gather(x), "
      "replica_groups=mesh['a'=2], dimensions={0}\n}\n");
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().text().substr(0, 14), "replica_groups") << out.error().text();
}

TEST(HloForms, AStartGivesWhatItsEndGives) {
  const auto result = [](const std::string& instruction) {
    const Program p = with(instruction);
    const Instruction& i = named(p, "r.1");
    return started_result(started_opcode(i), i.shape, i.operands.size()).text();
  };
  const std::string how = ", replica_groups={}, to_apply=add";
  EXPECT_EQ(result("((f32[16]), f32[16]) all-reduce-start(x)" + how), "f32[16]");
  EXPECT_EQ(result("f32[16] all-reduce-start(x)" + how), "f32[16]");
  EXPECT_EQ(result("(f32[16], f32[16]) all-reduce-start(x, x)" + how), "(f32[16], f32[16])");
  EXPECT_EQ(result("((f32[16], f32[16]), (f32[16], f32[16])) all-reduce-start(x, x)" + how),
            "(f32[16], f32[16])");
  EXPECT_EQ(result("((f32[16]), f32[128]) all-gather-start(x), dimensions={0}"), "f32[128]");
  EXPECT_EQ(
      result("(f32[16], f32[16], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1}}"),
      "f32[16]");
  EXPECT_EQ(
      result("((f32[16]), f32[2]) reduce-scatter-start(x), replica_groups={}, dimensions={0}, to_apply=add"),
      "f32[2]");
}

TEST(HloForms, APermuteOfSeveralArraysGivesATuple) {
  const Program p =
      with("(f32[16], f32[16]) collective-permute(x, x), channel_id=1, source_target_pairs={{0,1},{1,0}}");
  EXPECT_TRUE(verify(p).ok());
  EXPECT_EQ(parsed(print_program(p)), p);
}

TEST(HloForms, APermuteInPlaceIsKeptAndNotUnderstood) {
  const std::string text =
      "HloModule m, num_partitions=2\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[8] parameter(1)\n"
      "  i = s32[] constant(0)\n  ROOT r = f32[8] collective-permute(x, y, i, i), channel_id=1, "
      "source_target_pairs={{0,1},{1,0}}, slice_sizes={{4}}\n}\n";
  const Program p = parsed(text);
  EXPECT_EQ(named(p, "r").opcode, Opcode::unknown);
  EXPECT_EQ(*named(p, "r").opcode_name, "collective-permute");
  EXPECT_EQ(parsed(print_program(p)), p);
}

TEST(HloForms, ALoweredModuleIsOnTheDevicesThatItsGroupsName) {
  const auto devices = [](const std::string& instruction, const std::string& header) {
    return with(instruction, header).mesh.device_count();
  };
  const std::string sum = "f32[16] all-reduce(x), channel_id=1, to_apply=add, replica_groups=";
  EXPECT_EQ(devices(sum + "{{0,1,2,3},{4,5,6,7}}", ""), 8);
  EXPECT_EQ(devices(sum + "[2,2]<=[4]", ""), 4);
  EXPECT_EQ(devices(sum + "{}", ""), 1);  // it names none
  EXPECT_EQ(devices(sum + "{{0,1}}", ", num_partitions=2"), 2);
  // Replicas are counted by who spreads them.
  EXPECT_EQ(devices(sum + "{{0,1}}", ", replica_count=2"), 1);
  const std::string shift = "f32[16] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}";
  EXPECT_EQ(devices(shift, ""), 2);
  EXPECT_EQ(devices(shift + ", sharding={devices=[8]<=[8]}", ""), 8);
  EXPECT_EQ(devices(shift, ", frontend_attributes={xla.sdy.meshes={m = #sdy.mesh<[\"x\"=4, \"y\"=2]>}}"), 8);
}

std::string oracle(const std::string& name) {
  std::ostringstream out;
  out << std::ifstream(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/oracle/hlo/" + name).rdbuf();
  return out.str();
}

TEST(HloForms, WhatJaxLowersIsReadWithEveryDeviceOfTheMesh) {
  for (const char* name : {"partly_manual.lowered.hlo", "partly_manual.gspmd.hlo",
                           "gathered_product.lowered.hlo", "gathered_product.gspmd.hlo"}) {
    const Program p = parsed(oracle(name));
    EXPECT_EQ(p.mesh.device_count(), 8) << name;
    EXPECT_TRUE(verify(p).ok()) << name << " " << verify(p).error().text();
    EXPECT_EQ(parsed(print_program(p)), p) << name;
  }
}

TEST(HloForms, WhatXlaPrintsIsPrintedAgainByteByByte) {
  const auto lines = [](const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
      if (!line.empty()) out.push_back(line);
    return out;
  };
  for (const char* name : {"step.xla.hlo", "gathered_product.xla.hlo", "partly_manual.xla.hlo",
                           "constants.xla.hlo", "step.lowered.hlo", "step.gspmd.hlo"}) {
    const std::string text = oracle(name);
    EXPECT_EQ(lines(print_program(parsed(text), form_of(text))), lines(text)) << name;
  }
}

// A line of the user's file calls a library's, which calls another.
constexpr const char* kFrames = R"(HloModule m

FileNames
1 "/home/u/train.py"
2 "/home/u/env/lib/python3.11/site-packages/flax/linear.py"

FunctionNames
1 "step"
2 "Dense.__call__"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=4 end_column=20}
2 {file_name_id=2 function_name_id=2 line=99 end_line=99 column=4 end_column=20}
3 {file_name_id=2 function_name_id=2 line=7 end_line=7 column=4 end_column=20}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}
3 {file_location_id=3 parent_frame_id=3}
4 {file_location_id=3 parent_frame_id=1}
5 {file_location_id=3 parent_frame_id=6}

ENTRY e {
  a = f32[2] parameter(0), metadata={op_name="x" stack_frame_id=3}
  b = f32[2] negate(a), metadata={op_name="y" stack_frame_id=4}
  c = f32[2] negate(b), metadata={op_name="z" source_file="/home/u/old.py" source_line=3}
  d = f32[2] negate(c), metadata={stack_frame_id=5}
  ROOT g = f32[2] negate(d), metadata={stack_frame_id=77}
}
)";

TEST(HloForms, AFrameOfALibraryIsFollowedToWhoeverCalledIt) {
  const Program p = parsed(kFrames);
  const auto line = [&](const char* name) { return source_line(p, named(p, name)); };
  EXPECT_EQ(line("a"), "/home/u/train.py:12");
  // Nobody called it: the library's own line.
  EXPECT_EQ(line("b"), "/home/u/env/lib/python3.11/site-packages/flax/linear.py:7");
  EXPECT_EQ(line("c"), "/home/u/old.py:3");
  EXPECT_EQ(line("d"), line("b"));  // its caller is itself
  EXPECT_EQ(line("g"), "");         // no such frame
}

TEST(HloForms, AnErrorIsOneShortLine) {
  const auto out = parse_program("HloModule m\nENTRY e {\n  ROOT x = s32[8]{8 {file_name_id=1\n line=3}\n" +
                                 std::string(5000, 'x') + "} parameter(0)\n}\n");
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().text().find('\n'), std::string::npos);
  EXPECT_LT(out.error().text().size(), 200U) << out.error().text();
}

}  // namespace
}  // namespace shardscope::hlo_forms_test
