// SPDX-License-Identifier: Apache-2.0
// Every group of HLO's opcodes on small arrays, run as whole modules, with results worked out by hand.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::op_set_test {
namespace {

using Numbers = std::vector<double>;

// Device d's x is f32[4] {4d, 4d+1, 4d+2, 4d+3}; the numbers of every leaf of the result, one after the
// other.
Result<std::vector<Numbers>> run(const std::string& called, const std::string& body, int devices) {
  const std::string text = "HloModule t, num_partitions=" + std::to_string(devices) + "\n" + called +
                           "\nENTRY main {\nx = f32[4] parameter(0)\n" + body + "\n}\n";
  TRY(const Program module, parse_program(text));
  std::vector<Array> x;
  for (int d = 0; d < devices; ++d) {
    Array array = Array::allocate(ElementType::f32, {4});
    for (size_t e = 0; e < 4; ++e)
      array.mutable_as<float>()[e] = static_cast<float>(4 * d) + static_cast<float>(e);
    x.push_back(std::move(array));
  }
  const Workers workers(2);
  TRY(const auto leaves, run_on_devices(module, {x}, workers, {}));
  std::vector<Numbers> out(static_cast<size_t>(devices));
  for (const auto& leaf : leaves)
    for (size_t d = 0; d < leaf.size(); ++d)
      for (int64_t e = 0; e < leaf[d].element_count(); ++e) out[d].push_back(leaf[d].at(e));
  return out;
}

void expect(const std::string& called, const std::string& body, const std::vector<Numbers>& wanted) {
  const auto got = run(called, body, static_cast<int>(wanted.size()));
  ASSERT_TRUE(got.ok()) << body << ": " << got.error().text();
  EXPECT_EQ(*got, wanted) << body;
}

const std::string kAdd = "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT s = f32[] add(a, b) }\n";

TEST(OpSet, PadsReversesAndReadsBits) {
  expect("", "z = f32[] constant(9)\nROOT r = f32[9] pad(x, z), padding=1_1_1",
         {{9, 0, 9, 1, 9, 2, 9, 3, 9}});
  expect("", "z = f32[] constant(9)\nROOT r = f32[4] pad(x, z), padding=-1_1", {{1, 2, 3, 9}});
  expect("", "z = f32[] constant(9)\ny = f32[2,2] reshape(x)\nROOT r = f32[2,3] pad(y, z), padding=0_0x1_0",
         {{9, 0, 1, 9, 2, 3}});
  expect("", "y = f32[2,2] reshape(x)\nROOT r = f32[2,2] reverse(y), dimensions={1}", {{1, 0, 3, 2}});
  expect("", "ROOT r = s32[4] bitcast-convert(x)", {{0, 0x3f800000, 0x40000000, 0x40400000}});
  expect("", "y = f32[2,2]{1,0} reshape(x)\nROOT r = f32[4]{0} bitcast(y)", {{0, 1, 2, 3}});
  expect("", "y = f32[2,2]{0,1} reshape(x)\nROOT r = f32[4]{0} bitcast(y)", {{0, 2, 1, 3}});
}

TEST(OpSet, GathersByIndices) {
  expect("",
         "t = f32[4,1] reshape(x)\ni = s32[3] constant({2, 0, 7})\n"
         "ROOT r = f32[3,1] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
         "index_vector_dim=1, slice_sizes={1,1}",
         {{2, 0, 3}});
  expect(
      "",
      "t = f32[2,2] reshape(x)\ni = s32[1,2] constant({{0, 1}})\n"
      "ROOT r = f32[1,2,1] gather(t, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
      "index_vector_dim=1, slice_sizes={2,1}",
      {{1, 3}});
  expect("",
         "t = f32[2,2] reshape(x)\ni = s32[2,1] constant({{1}, {0}})\n"
         "ROOT r = f32[2] gather(t, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
         "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
         {{1, 2}});
}

TEST(OpSet, ScattersInOrderAndLeavesOutWhatIsOutside) {
  const std::string set = "set { a = f32[] parameter(0)\nROOT b = f32[] parameter(1) }\n";
  const std::string body =
      "i = s32[3,1] constant({{1}, {1}, {5}})\nu = f32[3] constant({10, 20, 30})\n"
      "ROOT r = f32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  expect(kAdd, body + "add", {{0, 31, 2, 3}});
  expect(set, body + "set", {{0, 20, 2, 3}});
}

TEST(OpSet, ReducesWithAnyComputation) {
  const std::string argmax = R"(best {
  v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  ge = pred[] compare(v, w), direction=GE
  m = f32[] select(ge, v, w)
  k = s32[] select(ge, i, j)
  ROOT t = (f32[], s32[]) tuple(m, k)
}
)";
  expect(argmax,
         "c = f32[4] constant({5, 7, 7, 1})\nn = s32[4] iota(), iota_dimension=0\nl = f32[] constant(-inf)\n"
         "z = s32[] constant(0)\nROOT r = (f32[], s32[]) reduce(c, n, l, z), dimensions={0}, to_apply=best",
         {{7, 1}});
  expect(
      "twice { a = f32[] parameter(0)\nb = f32[] parameter(1)\nd = f32[] constant(2)\nc = f32[] multiply(b, "
      "d)\n"
      "ROOT s = f32[] add(a, c) }\n",
      "y = f32[2,2] reshape(x)\nz = f32[] constant(1)\nROOT r = f32[2] reduce(y, z), dimensions={0}, "
      "to_apply=twice",
      {{5, 9}});
  expect("both { a = pred[] parameter(0)\nb = pred[] parameter(1)\nROOT s = pred[] and(a, b) }\n",
         "z = f32[] constant(9)\nn = f32[4] broadcast(z), dimensions={}\nt = pred[4] compare(x, n), "
         "direction=LT\n"
         "u = pred[] constant(true)\nROOT r = pred[] reduce(t, u), dimensions={0}, to_apply=both",
         {{1}, {1}, {0}});
}

TEST(OpSet, FoldsWindows) {
  expect(kAdd, "z = f32[] constant(0)\nROOT r = f32[3] reduce-window(x, z), window={size=2}, to_apply=add",
         {{1, 3, 5}});
  expect(kAdd,
         "z = f32[] constant(0)\nROOT r = f32[4] reduce-window(x, z), window={size=4 pad=3_0}, to_apply=add",
         {{0, 1, 3, 6}});
  expect(kAdd,
         "z = f32[] constant(0)\ny = f32[2,2] reshape(x)\n"
         "ROOT r = f32[1,2] reduce-window(y, z), window={size=2x1 stride=2x1}, to_apply=add",
         {{2, 4}});
}

TEST(OpSet, SortsStablyWithAComparator) {
  const std::string less =
      "less { a = f32[] parameter(0)\nb = f32[] parameter(1)\nc = s32[] parameter(2)\nd = s32[] "
      "parameter(3)\n"
      "ROOT l = pred[] compare(a, b), direction=GT }\n";
  expect(less,
         "c = f32[4] constant({1, 3, 1, 2})\nn = s32[4] iota(), iota_dimension=0\n"
         "ROOT r = (f32[4], s32[4]) sort(c, n), dimensions={0}, is_stable=true, to_apply=less",
         {{3, 2, 1, 1, 1, 3, 0, 2}});
  expect(
      "up { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT l = pred[] compare(a, b), direction=LT }\n",
      "y = f32[2,2] constant({{4, 1}, {2, 3}})\nROOT r = f32[2,2] sort(y), dimensions={0}, to_apply=up",
      {{2, 1, 4, 3}});
  expect("",
         "c = f32[4] constant({1, 3, 3, 2})\nROOT r = (f32[2], s32[2]) custom-call(c), "
         "custom_call_target=\"TopK\"",
         {{3, 3, 1, 2}});
}

TEST(OpSet, ConvolvesWithAndWithoutSpace) {
  expect("", "y = f32[2,2] reshape(x)\nROOT r = f32[2,2] convolution(y, y), dim_labels=bf_io->bf",
         {{2, 3, 6, 11}});
  expect("", "y = f32[2,2] reshape(x)\nROOT r = f32[2,2] convolution(y, y), dim_labels=bf_oi->bf",
         {{1, 3, 3, 13}});
  expect("", "y = f32[2,2] reshape(x)\nROOT r = f32[2,2] convolution(y, y), dim_labels=fb_io->bf",
         {{4, 6, 6, 10}});
  expect("",
         "y = f32[1,4,1] reshape(x)\nk = f32[2,1,1] constant({{{1}}, {{10}}})\n"
         "ROOT r = f32[1,4,1] convolution(y, k), window={size=2 pad=1_0}, dim_labels=b0f_0io->b0f",
         {{0, 10, 21, 32}});
  expect("",
         "y = f32[1,2,2] reshape(x)\nk = f32[1,1,2] constant({{{2, 3}}})\n"
         "ROOT r = f32[1,2,2] convolution(y, k), window={size=1}, dim_labels=b0f_0io->b0f, "
         "feature_group_count=2",
         {{0, 3, 4, 9}});
}

TEST(OpSet, TakesBranches) {
  const std::string branches =
      "up { a = f32[4] parameter(0)\nROOT s = f32[4] add(a, a) }\n"
      "down { b = f32[4] parameter(0)\nROOT n = f32[4] negate(b) }\n";
  expect(branches,
         "t = pred[] constant(true)\nROOT r = f32[4] conditional(t, x, x), true_computation=up, "
         "false_computation=down",
         {{0, 2, 4, 6}});
  expect(branches,
         "d = u32[] partition-id()\ni = s32[] convert(d)\n"
         "ROOT r = f32[4] conditional(i, x, x), branch_computations={up, down}",
         {{0, 2, 4, 6}, {-4, -5, -6, -7}, {-8, -9, -10, -11}});
}

TEST(OpSet, AsynchronousPairsAndSeveralArraysAreTheSameCollectives) {
  expect("",
         "s = (f32[4], f32[8]) all-gather-start(x), dimensions={0}, replica_groups={{0,1}}\n"
         "ROOT r = f32[8] all-gather-done(s)",
         {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}});
  expect(
      kAdd,
      "s = f32[4] all-reduce-start(x), replica_groups={}, to_apply=add\nROOT r = f32[4] all-reduce-done(s)",
      {{4, 6, 8, 10}, {4, 6, 8, 10}});
  expect("",
         "s = (f32[4], f32[4], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}\n"
         "ROOT r = f32[4] collective-permute-done(s)",
         {{4, 5, 6, 7}, {0, 1, 2, 3}});
  expect(kAdd +
             "rs { p = f32[4] parameter(0)\nROOT q = f32[2] reduce-scatter(p), dimensions={0}, "
             "replica_groups={}, "
             "to_apply=add }\n",
         "s = ((f32[4]), f32[2], s32[]) async-start(x), calls=rs\nu = ((f32[4]), f32[2], s32[]) "
         "async-update(s)\n"
         "ROOT r = f32[2] async-done(u)",
         {{4, 6}, {8, 10}});
  expect(kAdd,
         "y = f32[4] negate(x)\nROOT r = (f32[4], f32[4]) all-reduce(x, y), replica_groups={}, to_apply=add",
         {{4, 6, 8, 10, -4, -6, -8, -10}, {4, 6, 8, 10, -4, -6, -8, -10}});
  expect("",
         "c = f32[4] custom-call(x), custom_call_target=\"Sharding\", sharding={replicated}\n"
         "ROOT r = f32[4] negate(c)",
         {{-0.0, -1, -2, -3}});
}

TEST(OpSet, IntegersOfAllWidthsWrapAndDivide) {
  expect("", "a = s8[2] constant({127, -128})\nb = s8[2] constant({1, -1})\nROOT r = s8[2] add(a, b)",
         {{-128, 127}});
  expect("", "a = u8[2] constant({255, 3})\nb = u8[2] constant({2, 5})\nROOT r = u8[2] subtract(b, a)",
         {{3, 2}});
  expect("", "a = u16[1] constant({40000})\nROOT r = u16[1] multiply(a, a)", {{1600000000 % 65536}});
  expect(
      "",
      "a = s64[2] constant({1099511627776, -7})\nb = s64[2] constant({3, 2})\nROOT r = s64[2] divide(a, b)",
      {{366503875925, -3}});
  expect("", "a = s64[1] constant({3})\nb = s64[1] constant({40})\nROOT r = s64[1] shift-left(a, b)",
         {{3298534883328}});
  expect("",
         "z = u64[1] constant({0})\no = u64[1] constant({1})\nm = u64[1] subtract(z, o)\n"
         "ROOT r = pred[1] compare(m, o), direction=GT",
         {{1}});
  expect("", "a = s32[1] constant({7})\nb = s32[1] constant({3})\nROOT r = s32[1] power(a, b)", {{343}});
  expect("", "a = f32[3] constant({300, -300, 1.75})\nROOT r = s8[3] convert(a)", {{127, -128, 1}});
  expect("",
         "a = s8[1,2] constant({{100, 100}})\nb = s8[2,1] constant({{100}, {100}})\n"
         "ROOT r = s32[1,1] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
         {{20000}});
}

// bf16 has 8 bits of exponent and 7 of mantissa; with 4 of each, 2^8 is too big and 2^-7 too small.
TEST(OpSet, ReducePrecisionRoundsToNearestEven) {
  expect("",
         "c = f32[4] constant({1.00390625, 1.01171875, -3.0078125, 0.1})\n"
         "ROOT r = f32[4] reduce-precision(c), exponent_bits=8, mantissa_bits=7",
         {{1, 1.015625, -3, 0.10009765625}});
  expect("",
         "c = f32[4] constant({256, -0.0078125, 240, -0.015625})\n"
         "ROOT r = f32[4] reduce-precision(c), exponent_bits=4, mantissa_bits=4",
         {{std::numeric_limits<double>::infinity(), 0, 240, -0.015625}});
}

TEST(OpSet, RefusalsNameTheInstruction) {
  for (const char* body :
       {"ROOT odd = f32[4] stochastic-convert(x, x)", "ROOT odd = f32[4] custom-call(x), custom_call_target=\"mine\"",
        "ROOT odd = (u64[2], u32[4]) rng-bit-generator(x), algorithm=rng_default",
        "z = f32[] constant(0)\nROOT odd = f32[9] pad(x, z), padding=1_1",
        "i = s32[1,1] constant({{1}})\nROOT odd = f32[3] gather(x, i), offset_dims={}, "
        "collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1}"}) {
    const auto got = run("", body, 1);
    ASSERT_FALSE(got.ok()) << body;
    EXPECT_NE(got.error().text().find("odd"), std::string::npos) << got.error().text();
  }
}

}  // namespace
}  // namespace shardscope::op_set_test
