// SPDX-License-Identifier: Apache-2.0
// Products of rows in groups as JAX writes a training step for TPUs: the product, and the gradients of its
// rows and of its groups, which are ragged dots of other dimension numbers.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numerics/rules/run_on_devices.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope::ragged_gradients_test {
namespace {

constexpr int64_t kRows = 6, kIn = 4, kOut = 5, kGroups = 3;
constexpr std::array<int32_t, 3> kSizes = {2, 0, 3};  // one row is in no group

Array counted(std::vector<int64_t> dims, int64_t modulo) {
  Array out = Array::allocate(ElementType::f32, std::move(dims));
  const auto values = out.mutable_as<float>();
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<float>(static_cast<int64_t>(k * 5 + 3) % modulo - modulo / 2);
  return out;
}

int64_t group_of(int64_t row) {  // -1: none
  int64_t end = 0;
  for (int64_t g = 0; g < kGroups; ++g)
    if (row < (end += kSizes[static_cast<size_t>(g)])) return g;
  return -1;
}

Array ragged_dot(const Array& lhs, const Array& rhs, const std::string& numbers, const std::string& result) {
  const auto type = [](const Array& array) {
    std::string out;
    for (const int64_t d : array.dims()) out += fmt::format("{}x", d);
    return "tensor<" + out + "f32>";
  };
  const std::string types = fmt::format("{}, {}, tensor<3xi32>", type(lhs), type(rhs));
  const auto module = read_stablehlo(
      fmt::format("func.func public @main(%arg0: {0}, %arg1: {1}, %arg2: tensor<3xi32>) -> tensor<{3}> {{\n"
                  "  %0 = \"chlo.ragged_dot\"(%arg0, %arg1, %arg2) <{{ragged_dot_dimension_numbers = "
                  "#chlo.ragged_dot<{4}>}}> : ({2}) -> tensor<{3}>\n"
                  "  return %0 : tensor<{3}>\n}}\n",
                  type(lhs), type(rhs), types, result, numbers),
      "step.mlir");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  Array sizes = Array::allocate(ElementType::s32, {kGroups});
  std::ranges::copy(kSizes, sizes.mutable_as<int32_t>().begin());
  const Workers workers(2);
  auto leaves = run_on_devices(*module, {{lhs}, {rhs}, {sizes}}, workers, {});
  EXPECT_TRUE(leaves.ok()) << (leaves.ok() ? "" : leaves.error().text());
  return leaves.ok() ? leaves->front().front() : Array();
}

const Array kX = counted({kRows, kIn}, 7), kW = counted({kGroups, kIn, kOut}, 11),
            kY = counted({kRows, kOut}, 5);

TEST(RaggedDot, RowsMeetTheSideOfTheirGroup) {
  const Array y = ragged_dot(kX, kW,
                             "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
                             "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
                             "6x5xf32");
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t n = 0; n < kOut; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < kIn && group_of(r) >= 0; ++k)
        sum += kX.at(r * kIn + k) * kW.at((group_of(r) * kIn + k) * kOut + n);
      EXPECT_EQ(y.at(r * kOut + n), sum) << r << " " << n;
    }
}

TEST(RaggedDot, TheRowsGradientContractsTheOtherDimensionOfTheGroups) {
  const Array x = ragged_dot(kY, kW,
                             "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], "
                             "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]",
                             "6x4xf32");
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t k = 0; k < kIn; ++k) {
      double sum = 0;
      for (int64_t n = 0; n < kOut && group_of(r) >= 0; ++n)
        sum += kY.at(r * kOut + n) * kW.at((group_of(r) * kIn + k) * kOut + n);
      EXPECT_EQ(x.at(r * kIn + k), sum) << r << " " << k;
    }
}

TEST(RaggedDot, TheGroupsGradientContractsTheRowsOfEach) {
  const Array w = ragged_dot(kX, kY,
                             "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
                             "lhs_ragged_dimensions = [0]",
                             "3x4x5xf32");
  for (int64_t g = 0; g < kGroups; ++g)
    for (int64_t k = 0; k < kIn; ++k)
      for (int64_t n = 0; n < kOut; ++n) {
        double sum = 0;
        for (int64_t r = 0; r < kRows; ++r)
          if (group_of(r) == g) sum += kX.at(r * kIn + k) * kY.at(r * kOut + n);
        EXPECT_EQ(w.at((g * kIn + k) * kOut + n), sum) << g << " " << k << " " << n;
      }
}

}  // namespace
}  // namespace shardscope::ragged_gradients_test
