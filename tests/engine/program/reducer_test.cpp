// SPDX-License-Identifier: Apache-2.0
// A reduction's computation is one operation, whatever stands around it that changes nothing.
#include <gtest/gtest.h>

#include "engine/program/analysis/analysis.h"

namespace shardscope::reducer_test {
namespace {

Opcode reducer(const std::string& body, const std::string& type = "f32", const std::string& before = "") {
  const auto program = parse_program(
      "HloModule m, num_partitions=2\n" + before + "sum {\n  a = " + type + "[] parameter(0)\n  b = " + type +
      "[] parameter(1)\n" + body + "\n}\nENTRY e {\n  x = " + type + "[4] parameter(0)\n  ROOT r = " + type +
      "[4] all-reduce(x), replica_groups={}, to_apply=sum\n}\n");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? reducer_opcode(*program, program->entry_computation().root_instruction())
                      : Opcode::unknown;
}

TEST(Reducer, IsSeenThroughCopiesAnnotationsAndTuples) {
  EXPECT_EQ(reducer("ROOT r.1 = f32[] add(a, b)"), Opcode::add);
  EXPECT_EQ(reducer("ROOT r.1 = f32[] maximum(b, a)"), Opcode::maximum);
  EXPECT_EQ(reducer("c = f32[] copy(a)\ns = f32[] add(c, b)\nROOT r.1 = f32[] custom-call(s), "
                    "custom_call_target=\"Sharding\", sharding={replicated}"),
            Opcode::add);
  EXPECT_EQ(reducer("t = (f32[], f32[]) tuple(a, b)\nx.1 = f32[] get-tuple-element(t), index=1\n"
                    "y.1 = f32[] get-tuple-element(t), index=0\nROOT r.1 = f32[] multiply(x.1, y.1)"),
            Opcode::multiply);
}

TEST(Reducer, IsSeenThroughCalls) {
  const std::string inner =
      "inner {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT s = f32[] minimum(p, q)\n}\n";
  EXPECT_EQ(reducer("ROOT r.1 = f32[] call(b, a), to_apply=inner", "f32", inner), Opcode::minimum);
  EXPECT_EQ(reducer("ROOT r.1 = f32[] call(a, a), to_apply=inner", "f32", inner), Opcode::unknown);
}

TEST(Reducer, AWiderTypeInBetweenChangesNothing) {
  const auto by_way_of = [](const std::string& type, const std::string& wide, const std::string& op) {
    return reducer("x.1 = " + wide + "[] convert(a)\ny.1 = " + wide + "[] convert(b)\ns = " + wide + "[] " +
                       op + "(x.1, y.1)\nROOT r.1 = " + type + "[] convert(s)",
                   type);
  };
  EXPECT_EQ(by_way_of("bf16", "f32", "add"), Opcode::add);
  EXPECT_EQ(by_way_of("f16", "f32", "multiply"), Opcode::multiply);
  EXPECT_EQ(by_way_of("f32", "f64", "add"), Opcode::add);
  EXPECT_EQ(by_way_of("s8", "s32", "add"), Opcode::add);
  // Digits are lost on the way, or exponents.
  EXPECT_EQ(by_way_of("f32", "bf16", "add"), Opcode::unknown);
  EXPECT_EQ(by_way_of("bf16", "f16", "maximum"), Opcode::unknown);
  EXPECT_EQ(by_way_of("f32", "s32", "add"), Opcode::unknown);
}

TEST(Reducer, WhatChangesItIsNone) {
  EXPECT_EQ(reducer("ROOT r.1 = f32[] subtract(a, b)"), Opcode::unknown);
  EXPECT_EQ(reducer("n = f32[] negate(a)\nROOT r.1 = f32[] add(n, b)"), Opcode::unknown);
  EXPECT_EQ(reducer("ROOT r.1 = f32[] add(a, a)"), Opcode::unknown);
  EXPECT_EQ(reducer("s = f32[] add(a, b)\nROOT r.1 = f32[] add(s, b)"), Opcode::unknown);
  EXPECT_EQ(reducer("ROOT r.1 = f32[] copy(a)"), Opcode::unknown);
}

}  // namespace
}  // namespace shardscope::reducer_test
