// SPDX-License-Identifier: Apache-2.0
// Modules are proved before they are timed, and what runs has a time.
#include "engine/session/hlo_run.h"

#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "engine/session/op_support.h"

namespace shardscope::hlo_run_test {
namespace {

Program module_of(const std::string& text) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  return module.ok() ? *module : Program();
}

TEST(OpSupport, WhatRunsIsParsedAndTimed) {
  for (const OperationSupport& operation : operation_support()) {
    std::map<std::string, std::string> holes;
    for (const Support& part : operation.parts) holes[part.part] = part.hole;
    ASSERT_EQ(holes.size(), 7U);
    EXPECT_EQ(holes["parse"], "") << opcode_text(operation.opcode);
    if (holes["run"].empty()) {
      EXPECT_EQ(holes["time"], "") << opcode_text(operation.opcode);
    }
  }
}

// Rounds until the sum of data is large: they have no fixed number.
TEST(HloRun, WhatHasNoFixedTimeIsComputedAllTheSame) {
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
  ASSERT_TRUE(ran->run->untimed.has_value());
  EXPECT_NE(ran->run->untimed->text().find("rounds that depend on data"), std::string::npos);

  ModuleRunOptions only_time;
  only_time.check = false;
  EXPECT_FALSE(execute_module(module, only_time, {}).ok());
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

}  // namespace
}  // namespace shardscope::hlo_run_test
