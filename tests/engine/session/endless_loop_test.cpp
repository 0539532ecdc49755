// SPDX-License-Identifier: Apache-2.0
// Loops without an end are seen, whatever a round costs.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"

namespace shardscope::endless_loop_test {
namespace {

// A loop over (a large array, a counter): `next` is what becomes of the counter, `while_` as long as that is
// true.
Program loop(const std::string& next, const std::string& condition) {
  const auto program = parse_program(
      "HloModule m\n"
      "body { s = (f32[128,128], s32[]) parameter(0)\n a = f32[128,128] get-tuple-element(s), index=0\n"
      " k = s32[] get-tuple-element(s), index=1\n one = s32[] constant(1)\n"
      " b = f32[128,128] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
      next +
      " ROOT r = (f32[128,128], s32[]) tuple(b, n) }\n"
      "cond { s = (f32[128,128], s32[]) parameter(0)\n k = s32[] get-tuple-element(s), index=1\n"
      " ten = s32[] constant(10)\n" +
      condition +
      " }\n"
      "ENTRY e { x = f32[128,128] parameter(0)\n k = s32[] parameter(1)\n"
      " s = (f32[128,128], s32[]) tuple(x, k)\n"
      " ROOT w = (f32[128,128], s32[]) while(s), condition=cond, body=body }\n");
  EXPECT_TRUE(program.ok()) << program.error().text();
  return *program;
}

Result<std::vector<Array>> run(const Program& program, const RunLimits& limits = {}) {
  const Workers workers(1);
  std::vector<Array> arguments{Array::allocate(ElementType::f32, {128, 128}),
                               Array::allocate(ElementType::s32, {})};
  std::ranges::fill(arguments[0].mutable_as<float>(), 0.0F);
  arguments[1].mutable_as<int32_t>()[0] = 1;
  return run_module(program, arguments, workers, limits);
}

constexpr const char* kBelowTen = " ROOT c = pred[] compare(k, ten), direction=LT\n";

TEST(EndlessLoop, ACounterThatStandsStillIsSeenThoughTheRestChanges) {
  const auto out = run(loop(" n = s32[] copy(k)\n", kBelowTen));
  ASSERT_FALSE(out.ok());
  EXPECT_TRUE(out.error().what.starts_with("the loop never ends")) << out.error().text();
  EXPECT_EQ(out.error().where, "%w");
}

TEST(EndlessLoop, ACounterThatComesBackIsSeen) {
  const auto out = run(loop(" three = s32[] constant(-1)\n n = s32[] multiply(k, three)\n", kBelowTen));
  ASSERT_FALSE(out.ok());
  EXPECT_TRUE(out.error().what.starts_with("the loop never ends")) << out.error().text();
}

TEST(EndlessLoop, AConditionThatIsAlwaysTrueIsSeen) {
  const auto out = run(loop(" n = s32[] add(k, one)\n", " ROOT c = pred[] constant(true)\n"));
  ASSERT_FALSE(out.ok());
  EXPECT_TRUE(out.error().what.starts_with("the loop never ends")) << out.error().text();
}

TEST(EndlessLoop, ACounterThatRunsAwayEndsWithItsWork) {
  RunLimits limits;
  limits.loop_seconds = 0.1;
  const auto out = run(loop(" n = s32[] subtract(k, one)\n", kBelowTen), limits);
  ASSERT_FALSE(out.ok());
  EXPECT_TRUE(out.error().what.starts_with("the loop has not ended after")) << out.error().text();
}

TEST(EndlessLoop, ALongLoopIsNone) {
  const auto out =
      run(loop(" n = s32[] add(k, one)\n",
               " many = s32[] constant(300)\n ROOT c = pred[] compare(k, many), direction=LT\n"));
  ASSERT_TRUE(out.ok()) << out.error().text();
  EXPECT_EQ((*out)[1].as<int32_t>()[0], 300);
}

}  // namespace
}  // namespace shardscope::endless_loop_test
