// SPDX-License-Identifier: Apache-2.0
// gmm is linear in each operand, so on integers a finite difference is its gradient exactly.
#include "engine/grouped/gradients.h"

#include <gtest/gtest.h>

#include "tests/engine/grouped/samples.h"

namespace shardscope::gradients_test {
namespace {

const Workers kWorkers(2);

Array nudged(const Array& array, int64_t at) {
  return array_of(array.type(), array.dims(), [&](int64_t i) { return array.at(i) + (i == at ? 1 : 0); });
}

struct Call {
  Array lhs, rhs, grad;
  std::vector<int64_t> sizes;
  GroupedOptions options;

  double loss(const Array& of_lhs, const Array& of_rhs, const GroupedOptions& with) const {
    const auto result = gmm(of_lhs, of_rhs, sizes, with, kWorkers, {});
    EXPECT_TRUE(result.ok());
    double sum = 0;
    for (int64_t i = 0; i < grad.element_count(); ++i) sum += result->out.at(i) * grad.at(i);
    return sum;
  }
};

void expect_gradients(const Call& call) {
  const auto made = gmm_vjp({call.lhs, call.rhs}, call.sizes, call.options, call.grad, kWorkers, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  ASSERT_EQ(made->lhs.dims(), call.lhs.dims());
  ASSERT_EQ(made->rhs.dims(), call.rhs.dims());
  const double base = call.loss(call.lhs, call.rhs, call.options);
  for (int64_t i = 0; i < call.lhs.element_count(); ++i)
    EXPECT_EQ(made->lhs.at(i), call.loss(nudged(call.lhs, i), call.rhs, call.options) - base) << "lhs " << i;
  for (int64_t i = 0; i < call.rhs.element_count(); ++i)
    EXPECT_EQ(made->rhs.at(i), call.loss(call.lhs, nudged(call.rhs, i), call.options) - base) << "rhs " << i;
  if (!call.options.existing_out) return;
  for (int64_t i = 0; i < call.grad.element_count(); ++i) {
    GroupedOptions other = call.options;
    other.existing_out = nudged(*call.options.existing_out, i);
    EXPECT_EQ(made->existing_out->at(i), call.loss(call.lhs, call.rhs, other) - base) << "existing " << i;
  }
}

TEST(GroupedGradients, AreTheFiniteDifferencesInEveryVariant) {
  std::mt19937 random(5);
  for (bool transpose : {false, true}) {
    for (int64_t shards : {1, 2}) {
      for (bool existing : {false, true}) {
        Call call;
        call.sizes = {3, 0, 4, 1};
        const int64_t m = 8, k = 3, n = 5, local = 4 / shards;
        call.lhs = random_integers(ElementType::f32, {m, k}, random, 4);
        call.rhs = random_integers(
            ElementType::f32, transpose ? std::vector{local, n, k} : std::vector{local, k, n}, random, 4);
        call.grad = random_integers(ElementType::f32, {m, n}, random, 4);
        call.options.tiling = GmmTiling{4, 2, 3};
        call.options.transpose_rhs = transpose;
        call.options.group_offset = 4 - local;
        if (existing) call.options.existing_out = random_integers(ElementType::f32, {m, n}, random, 9);
        expect_gradients(call);
      }
    }
  }
}

TEST(GroupedGradients, ComeInTheTypesOfTheOperands) {
  std::mt19937 random(6);
  const Array lhs = random_integers(ElementType::bf16, {4, 2}, random, 2);
  const Array rhs = random_integers(ElementType::f32, {2, 2, 2}, random, 2);
  GroupedOptions options;
  options.tiling = GmmTiling{2, 2, 2};
  options.out_type = ElementType::bf16;
  const Array grad = random_integers(ElementType::bf16, {4, 2}, random, 2);
  const auto made = gmm_vjp({lhs, rhs}, {1, 3}, options, grad, kWorkers, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_EQ(made->lhs.type(), ElementType::bf16);
  EXPECT_EQ(made->rhs.type(), ElementType::f32);
  const Array wrong = random_integers(ElementType::f32, {4, 2}, random, 2);
  EXPECT_FALSE(gmm_vjp({lhs, rhs}, {1, 3}, options, wrong, kWorkers, {}).ok());
}

}  // namespace
}  // namespace shardscope::gradients_test
