// SPDX-License-Identifier: Apache-2.0
// A module's reductions start from what the module means.
#include "engine/session/initial_values.h"

#include <cmath>
#include <gtest/gtest.h>

#include "engine/session/hlo_proof.h"
#include "engine/session/hlo_run.h"

namespace shardscope::initial_values_test {
namespace {

std::string reduction(const std::string& operation, const std::string& type) {
  return "HloModule m\nr {\n a = " + type + "[] parameter(0)\n b = " + type +
         "[] parameter(1)\n ROOT s = " + type + "[] " + operation + "(a, b)\n}\nENTRY main {\n x = " + type +
         "[16,8] parameter(0), sharding={devices=[4,1]<=[4]}\n start = " + type +
         "[] parameter(1)\n ROOT y = " + type + "[8] reduce(x, start), dimensions={0}, to_apply=r\n}\n";
}

Program parsed(const std::string& text) {
  auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << module.error().text();
  return *std::move(module);
}

double drawn(const std::string& operation, const std::string& type) {
  const auto arguments = module_arguments(parsed(reduction(operation, type)), 0, Workers(1));
  return (*arguments)[1].at(0);
}

TEST(InitialValues, ParametersThatStartReductionsAreIdentities) {
  EXPECT_EQ(drawn("add", "f32"), 0);
  EXPECT_EQ(drawn("multiply", "f32"), 1);
  EXPECT_EQ(drawn("maximum", "f32"), -HUGE_VAL);
  EXPECT_EQ(drawn("minimum", "bf16"), HUGE_VAL);
  EXPECT_EQ(drawn("maximum", "s32"), INT32_MIN);
  EXPECT_EQ(drawn("minimum", "s8"), 127);
  EXPECT_EQ(drawn("maximum", "u8"), 0);
  EXPECT_EQ(drawn("and", "pred"), 1);
  EXPECT_EQ(drawn("and", "u8"), 255);
  EXPECT_EQ(drawn("or", "pred"), 0);
}

TEST(InitialValues, ARunSaysWhatItDrew) {
  const auto run = execute_module(parsed(reduction("add", "f32")), {}, {});
  ASSERT_TRUE(run.ok()) << run.error().text();
  const NumericsReport& n = run->run->numerics;
  EXPECT_TRUE(n.allclose);
  ASSERT_EQ(n.warnings.size(), 1u);
  EXPECT_EQ(n.warnings[0], "parameter(1) start is 0, from which the sums of y start");
}

TEST(InitialValues, AreFoundThroughCallsTuplesAndConversions) {
  const Program module = parsed(R"(HloModule m
r {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] maximum(a, b)
}
inner {
  x = f32[16] parameter(0)
  start = f32[] parameter(1)
  ROOT y = f32[] reduce(x, start), dimensions={0}, to_apply=r
}
ENTRY main {
  p = (f32[16], bf16[], f32[2]) parameter(0)
  x0 = f32[16] get-tuple-element(p), index=0
  s0 = bf16[] get-tuple-element(p), index=1
  s1 = f32[] convert(s0)
  ROOT y0 = f32[] call(x0, s1), to_apply=inner
}
)");
  const auto found = initial_values(module);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].leaf, 1u);
  EXPECT_EQ(found[0].operation, Opcode::maximum);
}

TEST(InitialValues, WhatStartsASumAndAProductIsDrawnLikeAnyOther) {
  const Program module = parsed(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
mul {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT t = f32[] multiply(c, d)
}
ENTRY main {
  x = f32[16] parameter(0)
  start = f32[] parameter(1)
  y = f32[] reduce(x, start), dimensions={0}, to_apply=add
  z = f32[] reduce(x, start), dimensions={0}, to_apply=mul
  ROOT w = f32[] add(y, z)
}
)");
  EXPECT_TRUE(initial_values(module).empty());
}

// A constant that is no identity is what the module means: it counts once, on however many devices.
TEST(InitialValues, AConstantStartCountsOnce) {
  const Program module = parsed(
      "HloModule m\nr {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY main {\n x = f32[16] parameter(0), sharding={devices=[4]<=[4]}\n start = f32[] constant(10)\n"
      " ROOT y = f32[] reduce(x, start), dimensions={0}, to_apply=r\n}\n");
  Array ones = Array::allocate(ElementType::f32, {16});
  for (float& e : ones.mutable_as<float>()) e = 1;
  const auto made = partition(module, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const auto result = run_partitioned(*made, {ones}, Workers(1), {});
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result->leaves[0].at(0), 26);
}

}  // namespace
}  // namespace shardscope::initial_values_test
