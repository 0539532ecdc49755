// SPDX-License-Identifier: Apache-2.0
// Texts as users have them: cut in the middle, commented out, with tables of source locations, in both
// styles.
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::hlo_cut_test {
namespace {

HloText read(std::string_view text) {
  auto read = read_hlo(text, "f.hlo");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().text());
  return read.ok() ? *std::move(read) : HloText{};
}

TEST(HloCut, ATextThatEndsInTheMiddleGivesWhatStandsBefore) {
  const std::string before =
      "HloModule m\n\nENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n"
      "  %n = f32[2]{0} negate(f32[2]{0} %p)\n";
  for (const char* rest :
       {"  %broadcast.4 = f3", "  %c = f32[2] add(f32[2]{0} %n, f32[", "  %x", "", "  ROOT",
        "  %y = f32[2] add(%p, %n), metadata={op_name=\"jit(f)/dot_gen",
        "  %y = f32[2] add(%p, %n), sharding={devices=[2]<=", "  g.1 = f32[2] get-tuple-el"}) {
    const HloText t = read(before + rest);
    ASSERT_TRUE(t.cut.has_value()) << rest;
    EXPECT_EQ(t.cut->what, "text ends inside computation 'e', behind 2 whole instructions") << rest;
    ASSERT_EQ(t.program.computations.size(), 1u) << rest;
    EXPECT_EQ(t.program.entry_computation().root_instruction().name, "n") << rest;
    EXPECT_TRUE(verify(t.program).ok());
  }
  EXPECT_EQ(read(before + "  %broadcast.4 = f3").cut->where, "f.hlo:6:3");
}

// What is read must be a program: a parameter below another one comes from the signature.
TEST(HloCut, ParametersThatStandBehindTheCutComeFromTheSignature) {
  const HloText t = read(
      "HloModule m\nENTRY %e (a: f32[2], b: (s32[], f32[3]), a.1: f32[4]) -> f32[4] {\n"
      "  %a = f32[4]{0} parameter(2)\n  %n = f32[4]{0} negate(f32[4]{0} %a)\n  %x = f32[");
  ASSERT_TRUE(t.cut.has_value());
  const Computation& entry = t.program.entry_computation();
  EXPECT_EQ(entry.root_instruction().name, "n");
  ASSERT_EQ(entry.instructions.size(), 4u);
  EXPECT_EQ(entry.instructions[2].name, "a.1") << "the name is taken";
  EXPECT_EQ(entry.instructions[2].shape.text(), "f32[2]");
  EXPECT_EQ(entry.instructions[3].shape.text(), "(s32[], f32[3])");
  EXPECT_TRUE(verify(t.program).ok());
  const std::string printed = print_program(t.program);
  EXPECT_EQ(parse_program(printed).value(), t.program) << printed;
}

TEST(HloCut, WithoutASignatureAMissingParameterIsAnError) {
  for (const char* head : {"e {\n", "e (a: f32[2]) -> f32[2] {\n"}) {
    const auto read = read_hlo(std::string("HloModule m\nENTRY ") + head + "  b = f32[2] parameter(1)\n");
    ASSERT_FALSE(read.ok()) << head;
    EXPECT_NE(read.error().what.find("text ends inside computation 'e'"), std::string::npos) << head;
  }
}

TEST(HloCut, WholeComputationsBeforeACutOneAreKept) {
  const std::string first = "HloModule m\n%add (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n\n";
  const HloText signature = read(first + "%fused_computation (param_0: f32[4,4], par");
  ASSERT_TRUE(signature.cut.has_value());
  EXPECT_EQ(signature.cut->what, "text ends in the signature of computation 'fused_computation'");
  EXPECT_EQ(signature.program.computations.size(), 1u);
  const HloText body = read(first + "%fused (p: f32[4]) -> f32[4] {\n  %p");
  EXPECT_EQ(body.cut->what, "text ends inside computation 'fused', behind 0 whole instructions");
  EXPECT_EQ(body.program.computations.size(), 1u);
}

TEST(HloCut, AMistakeInTheMiddleIsStillAnError) {
  for (const char* text : {"HloModule m\nENTRY e {\n  x = f33[2] parameter(0)\n}",
                           "HloModule m\nENTRY e {\n  x = f33[2] parameter(0)\n  y = f32[] constant(1)\n",
                           "HloModule m\nENTRY e { x = f33[] constant(1) }", "HloModule m", ""}) {
    EXPECT_FALSE(read_hlo(text).ok()) << text;
  }
  EXPECT_FALSE(read("HloModule m\nENTRY e { x = f32[] constant(1) }").cut.has_value());
}

TEST(HloCut, AModuleBehindHashesIsRead) {
  const HloText t =
      read("# HloModule m\n#\n# ENTRY e {\n#   x = f32[] constant(1)\n#   ROOT y = f32[] negate(x)\n# }\n");
  EXPECT_EQ(t.program.entry_computation().instructions.size(), 2u);
}

constexpr const char* kTables = R"(HloModule jit_f, is_scheduled=true

FileNames
1 "/home/me/model.py"
2 "b \"quoted\".py"

FunctionNames
1 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=12 end_line=12 column=4 end_column=9}
2 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=1 end_column=2}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=1}

ENTRY %e (x: f32[<=8,2]) -> f32[<=8,2] {
  %x = f32[<=8,2]{1,0} parameter(0), metadata={stack_frame_id=2}
  %y = f32[<=8,2]{1,0} negate(f32[<=8,2]{1,0} %x), metadata={stack_frame_id=1}
  ROOT %z = f32[<=8,2]{1,0} negate(f32[<=8,2]{1,0} %y), metadata={source_file="a.py" source_line=3}
}, execution_thread="main"
)";

TEST(HloTables, SourceLocationsAreKeptAndFound) {
  const HloText t = read(kTables);
  const auto& all = t.program.entry_computation().instructions;
  EXPECT_EQ(source_line(t.program, all[0]), "/home/me/model.py:12");
  EXPECT_EQ(source_line(t.program, all[1]), "b \"quoted\".py:7");
  EXPECT_EQ(source_line(t.program, all[2]), "a.py:3");
  EXPECT_EQ(print_program(t.program), kTables);
}

TEST(HloTables, PrintsAndReadsBothStyles) {
  const Program p = read(kTables).program;
  for (const HloStyle style : {HloStyle::full, HloStyle::bare}) {
    const std::string text = print_program(p, style);
    EXPECT_EQ(text.find('%') != std::string::npos, style == HloStyle::full);
    EXPECT_EQ(read(text).program, p) << text;
  }
}

TEST(HloGroups, FourFormsOfReplicaGroupsMeanTheSame) {
  const auto groups = [](const std::string& form) {
    const HloText t = read(
        "HloModule m, num_partitions=4\ns { a = f32[] parameter(0)\nb = f32[] parameter(1)\n"
        "ROOT c = f32[] add(a, b) }\nENTRY e {\n  x = f32[2] parameter(0)\n"
        "  y = f32[2] all-reduce(x), replica_groups=" +
        form + ", to_apply=s\n}");
    EXPECT_EQ(parse_program(print_program(t.program)).value(), t.program);
    std::vector<std::vector<int64_t>> ids;
    for (const auto& group : device_groups(t.program, t.program.entry_computation().root_instruction())) {
      ids.emplace_back();
      for (const DeviceId d : group) ids.back().push_back(d.value);
    }
    return ids;
  };
  using Groups = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(groups("{{0,2},{1,3}}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("[2,2]<=[2,2]T(1,0)"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['axis_0'=2,'axis_1'=2] {'axis_0'}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['x'=4] {'x':(1)2}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("{}"), (Groups{{0, 1, 2, 3}}));
}

}  // namespace
}  // namespace shardscope::hlo_cut_test
