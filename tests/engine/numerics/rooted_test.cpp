// SPDX-License-Identifier: Apache-2.0
// A rooted sum is on its root alone and an array with a home on its home alone: misuse of the others' zeros
// shows.
#include <gtest/gtest.h>

#include "engine/numerics/check/numerics.h"
#include "engine/program/build/builder.h"

namespace shardscope::rooted_test {
namespace {

// X's contraction is split over the columns; the product is summed up to column 1 and taken from column
// `home`.
Result<NumericsOutcome> product_summed_to_column_one(int64_t home) {
  const MatmulProblem problem{8, 12, 4};
  SpmdBuilder b("test", *Mesh::parse("row=2,col=3"), problem);
  auto x = b.input(ArrayRole::lhs, {8, 12}, P("row", "col"));
  auto w = b.input(ArrayRole::rhs, {12, 4}, P("col", ""));
  auto y = b.reduce(matmul(x, w), "col", 1);
  b.home("col", home);
  TRY(const Program program, b.finish(y, ArrayRole::product, {8, 4}, P("row", "")));
  const Workers workers(2);
  TRY(const auto data, make_problem_data({problem, Fill::integers, 5, {}, {}, true}, workers, {}));
  return run_numerics(program, *data, {}, workers, {});
}

TEST(RootedSum, IsWholeOnItsRoot) {
  const auto outcome = product_summed_to_column_one(1);
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_TRUE(outcome->report.allclose);
}

TEST(RootedSum, IsZeroElsewhere) {
  const auto outcome = product_summed_to_column_one(2);
  ASSERT_TRUE(outcome.ok()) << outcome.error().text();
  EXPECT_FALSE(outcome->report.allclose);
  for (int64_t i = 0; i < outcome->result.element_count(); ++i) EXPECT_EQ(outcome->result.at(i), 0);
}

// `root`: which column gives its copy of W, which is at home on column 2 only.
Result<NumericsOutcome> product_with_w_from(int64_t root) {
  const MatmulProblem problem{8, 12, 6};
  SpmdBuilder b("test", *Mesh::parse("row=2,col=3"), problem);
  b.home("col", 2);
  auto x = b.input(ArrayRole::lhs, {8, 12}, P("row", ""));
  auto w = b.broadcast(b.input(ArrayRole::rhs, {12, 6}, P("", "")), "col", root);
  TRY(const Program program, b.finish(matmul(x, w), ArrayRole::product, {8, 6}, P("row", "")));
  const Workers workers(2);
  TRY(const auto data, make_problem_data({problem, Fill::integers, 5, {}, {}, true}, workers, {}));
  return run_numerics(program, *data, {}, workers, {});
}

TEST(Home, OnlyTheHomeDevicesHoldAnInput) {
  const auto right = product_with_w_from(2);
  ASSERT_TRUE(right.ok()) << right.error().text();
  EXPECT_TRUE(right->report.allclose);
  const auto wrong = product_with_w_from(0);
  ASSERT_TRUE(wrong.ok()) << wrong.error().text();
  EXPECT_FALSE(wrong->report.allclose);
  for (int64_t i = 0; i < wrong->result.element_count(); ++i) EXPECT_EQ(wrong->result.at(i), 0);
}

}  // namespace
}  // namespace shardscope::rooted_test
