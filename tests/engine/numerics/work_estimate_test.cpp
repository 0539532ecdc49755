// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/work_estimate.h"

#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"

namespace shardscope::work_estimate_test {
namespace {

double seconds(const std::string& body) {
  const auto program =
      parse_program("HloModule m\nENTRY e {\n x = f32[4096,4096] parameter(0)\n" + body + "}\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return program.ok() ? seconds_to_compute(*program) : 0;
}

// As XLA:GPU writes products: the library's workspace makes its result a tuple.
TEST(WorkEstimate, AProductTakesAsLongByALibrary) {
  const double dot =
      seconds(" ROOT y = f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  const double library = seconds(
      " c = (f32[4096,4096], s8[1024]) custom-call(x, x), custom_call_target=\"__cublas$lt$matmul\", "
      "backend_config={\"gemm_backend_config\":{\"alpha_real\":1,\"beta\":0,\"dot_dimension_numbers\":{"
      "\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"0\"]}}}\n"
      " ROOT y = f32[4096,4096] get-tuple-element(c), index=0\n");
  EXPECT_GT(dot, 1);
  EXPECT_NEAR(library / dot, 1, 0.05);
}

TEST(WorkEstimate, ALoopTakesItsRounds) {
  const auto program = parse_program(
      "HloModule m\nbody { s = (f32[512,512], s32[]) parameter(0)\n a = f32[512,512] get-tuple-element(s), "
      "index=0\n k = s32[] get-tuple-element(s), index=1\n one = s32[] constant(1)\n n = s32[] add(k, one)\n"
      " b = f32[512,512] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " ROOT r = (f32[512,512], s32[]) tuple(b, n) }\n"
      "cond { s = (f32[512,512], s32[]) parameter(0)\n k = s32[] get-tuple-element(s), index=1\n"
      " ten = s32[] constant(10)\n ROOT c = pred[] compare(k, ten), direction=LT }\n"
      "ENTRY e { p = (f32[512,512], s32[]) parameter(0)\n"
      " ROOT w = (f32[512,512], s32[]) while(p), condition=cond, body=body }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const double round = seconds_of_round(*program, program->entry_computation().root_instruction());
  EXPECT_GT(round, 0);
  EXPECT_NEAR(seconds_to_compute(*program) / round, 10, 0.1);
}

// A sum over all that came before takes as many steps an element as there are elements.
TEST(WorkEstimate, AWindowTakesAStepForEachOfItsElements) {
  const auto program = parse_program(
      "HloModule m\nsum { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[8192] parameter(0)\nz = f32[] constant(0)\n"
      "ROOT y = f32[8192] reduce-window(x, z), window={size=8192 pad=8191_0}, to_apply=sum }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_GT(seconds_to_compute(*program), 8192.0 * 8192.0 * 1e-9);
}

// Until all lanes are done, 2147483647 times at most: nothing is known of how often.
TEST(WorkEstimate, ALoopThatMayEndBeforeItHasCountedIsOneRound) {
  const auto program = parse_program(
      "HloModule m\nbody { s = (pred[], s32[]) parameter(0)\n a = pred[] get-tuple-element(s), index=0\n"
      " k = s32[] get-tuple-element(s), index=1\n one = s32[] constant(1)\n n = s32[] add(k, one)\n"
      " ROOT r = (pred[], s32[]) tuple(a, n) }\n"
      "cond { s = (pred[], s32[]) parameter(0)\n a = pred[] get-tuple-element(s), index=0\n"
      " k = s32[] get-tuple-element(s), index=1\n most = s32[] constant(2147483647)\n"
      " c = pred[] compare(k, most), direction=LT\n ROOT both = pred[] and(c, a) }\n"
      "ENTRY e { p = (pred[], s32[]) parameter(0)\n"
      " ROOT w = (pred[], s32[]) while(p), condition=cond, body=body }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_LT(seconds_to_compute(*program), 1e-3);
}

// Numbers of eight bytes instead of two.
TEST(WorkEstimate, InF64ArraysCountWithTheirSizeThere) {
  const auto program = parse_program(
      "HloModule m\nENTRY e { x = bf16[16777216] parameter(0)\nROOT y = bf16[16777216] sine(x) }\n");
  ASSERT_TRUE(program.ok()) << program.error().text();
  const double own = seconds_to_compute(*program), exact = seconds_to_compute(*program, ComputedIn::f64);
  EXPECT_NEAR(exact / own, 4, 0.1);
}

}  // namespace
}  // namespace shardscope::work_estimate_test
