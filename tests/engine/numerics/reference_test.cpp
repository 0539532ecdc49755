// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/reference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "engine/numerics/data/sparse_fill.h"

namespace shardscope {
namespace {

Array plain_product(const Array& x, const Array& w) {
  const int64_t m = x.dims()[0], k = x.dims()[1], n = w.dims()[1];
  Array y = Array::allocate(ElementType::f64, {m, n});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t c = 0; c < k; ++c) sum += x.at(i * k + c) * w.at(c * n + j);
      y.mutable_as<double>()[static_cast<size_t>(i * n + j)] = sum;
    }
  }
  return y;
}

void expect_plain_product(const Array& x, const Array& w) {
  const Workers workers(2);
  const auto reference = reference_product(x, w, ElementType::f32, workers, {}, true);
  ASSERT_TRUE(reference);
  const Array expected = plain_product(x, w);
  EXPECT_EQ(reference->unrounded, expected);
  for (int64_t i = 0; i < expected.element_count(); ++i) {
    const double value = expected.at(i);
    ASSERT_EQ(reference->product.at(i), value) << i;
    ASSERT_FALSE(std::signbit(reference->product.at(i)) && value == 0) << i;
  }
}

Array few_terms(ElementType type, int64_t rows, int64_t columns, int64_t terms, uint64_t seed) {
  return sparse_matrix(type, rows, columns, terms, seed, Workers(2));
}

TEST(Reference, MostlyZeroMatricesGiveWhatThePlainProductGives) {
  for (const ElementType type : {ElementType::bf16, ElementType::f32, ElementType::f64})
    expect_plain_product(few_terms(type, 96, 200, 8, 1), few_terms(type, 200, 72, 8, 2));
}

TEST(Reference, DenseMatricesOfWholeNumbersToo) {
  expect_plain_product(few_terms(ElementType::bf16, 40, 64, 64, 1),
                       few_terms(ElementType::bf16, 64, 48, 64, 2));
}

TEST(Reference, AFractionOrALargeNumberAmongZerosIsNotLost) {
  for (const double odd : {0.5, 0x1p30, 0x1p20 + 0.125}) {
    Array x = few_terms(ElementType::f64, 64, 128, 2, 1);
    x.mutable_as<double>()[77] = odd;
    expect_plain_product(x, few_terms(ElementType::f64, 128, 64, 2, 2));
  }
}

TEST(Reference, WhatIsNoNumberReachesItsRow) {
  Array x = few_terms(ElementType::f32, 64, 128, 2, 1);
  x.mutable_as<float>()[3 * 128 + 5] = std::numeric_limits<float>::quiet_NaN();
  const Array w = few_terms(ElementType::f32, 128, 64, 2, 2);
  const auto reference = reference_product(x, w, ElementType::f32, Workers(1), {});
  ASSERT_TRUE(reference);
  for (int64_t j = 0; j < 64; ++j) EXPECT_TRUE(std::isnan(reference->product.at(3 * 64 + j))) << j;
}

// At most `terms` in each row and column, one in each square of the grid that they follow from.
TEST(SparseMatrix, HasAsManyElementsAsItsTermsAllow) {
  const Array a = few_terms(ElementType::f32, 100, 60, 5, 7);
  std::vector<int64_t> in_row(100), in_column(60);
  for (int64_t i = 0; i < 100; ++i) {
    for (int64_t j = 0; j < 60; ++j) {
      const double value = a.at(i * 60 + j);
      ASSERT_TRUE(value == 0 || std::fabs(value) == 1) << value;
      in_row[static_cast<size_t>(i)] += value != 0;
      in_column[static_cast<size_t>(j)] += value != 0;
    }
  }
  for (const int64_t count : in_row) EXPECT_EQ(count, 3);
  for (const int64_t count : in_column) EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace shardscope
