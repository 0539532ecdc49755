// SPDX-License-Identifier: Apache-2.0
// A smaller form of a module is the same module: what belongs together shrinks together, what divides
// divides, what is left over is left over.
#include "engine/session/proof/shrink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "engine/program/mlir/module_text.h"
#include "engine/session/proof/module_check.h"

namespace shardscope::shrink_test {
namespace {

constexpr SizeWishes kUsual{.least = kFewElements, .ordered = false};

Program hlo(const std::string& body, const std::string& called = "") {
  const auto read = read_hlo_or_mlir(
      "HloModule m, num_partitions=4\n" + called + "\nENTRY e {\n" + body + "\n}\n", "m.hlo");
  EXPECT_TRUE(read.ok()) << read.error().text();
  return read.ok() ? read->program : Program();
}

Program shrunk(const Program& module, const SizeWishes& wishes = kUsual) {
  auto small = shrink_module(module, wishes);
  EXPECT_TRUE(small.ok()) << small.error().text();
  if (!small.ok()) return {};
  EXPECT_TRUE(verify(small->module).ok()) << verify(small->module).error().text();
  EXPECT_LT(small->scale, 1);
  return std::move(small->module);
}

std::vector<int64_t> dims(const Program& module, const std::string& name) {
  for (const Instruction& i : module.entry_computation().instructions)
    if (i.name == name) return i.shape.dims;
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(Shrink, TheDimensionsOfAProductShrinkTogetherAndStayDivisible) {
  const Program small =
      shrunk(hlo("x = f32[4096,8192] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 "w = f32[8192,2048] parameter(1), sharding={devices=[1,4]<=[4]}\n"
                 "ROOT y = f32[4096,2048] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"));
  const auto x = dims(small, "x"), w = dims(small, "w"), y = dims(small, "y");
  EXPECT_EQ(x[1], w[0]);
  EXPECT_EQ(y, (std::vector<int64_t>{x[0], w[1]}));
  EXPECT_EQ(x[0] % 4, 0);
  EXPECT_EQ(w[1] % 4, 0);
  EXPECT_LT(x[0] * x[1], 64 * 64);
}

TEST(Shrink, WhatDoesNotDivideLeavesTheSameRemainder) {
  for (const int64_t rows : {4097, 4098, 4099}) {
    const Program small = shrunk(hlo(fmt::format(
        "x = f32[{0},64] parameter(0), sharding={{devices=[4,1]<=[4]}}\nROOT y = f32[{0},64] negate(x)",
        rows)));
    EXPECT_EQ(dims(small, "x")[0] % 4, rows % 4);
    EXPECT_LT(dims(small, "x")[0], 64);
  }
}

TEST(Shrink, ReshapesSlicesPaddingAndConcatenationsKeepTheirRule) {
  const Program small = shrunk(hlo(
      "x = f32[1024,4096] parameter(0), sharding={devices=[1,4]<=[4]}\nz = f32[] constant(0)\n"
      "heads = f32[1024,32,128] reshape(x)\nhalf = f32[1024,2048] slice(x), slice={[0:1024], [2048:4096]}\n"
      "both = f32[1024,4096] concatenate(half, half), dimensions={1}\n"
      "wide = f32[1024,4098] pad(both, z), padding=0_0x1_1\n"
      "ROOT out = (f32[1024,32,128], f32[1024,4098]) tuple(heads, wide)"));
  const auto x = dims(small, "x"), heads = dims(small, "heads"), half = dims(small, "half");
  EXPECT_EQ(x[1], heads[1] * heads[2]);
  EXPECT_EQ(x[1], 2 * half[1]);
  EXPECT_EQ(dims(small, "both")[1], 2 * half[1]);
  EXPECT_EQ(dims(small, "wide")[1], dims(small, "both")[1] + 2);
}

TEST(Shrink, ConvolutionsShrinkInBatchFeaturesAndSpace) {
  const Program small =
      shrunk(hlo("x = f32[256,112,112,512] parameter(0), sharding={devices=[4,1,1,1]<=[4]}\n"
                 "w = f32[3,3,512,1024] parameter(1)\nd = f32[5,5,1,1024] parameter(2)\n"
                 "y = f32[256,56,56,1024] convolution(x, w), window={size=3x3 stride=2x2 pad=0_1x0_1}, "
                 "dim_labels=b01f_01io->b01f\n"
                 "ROOT z = f32[256,56,56,1024] convolution(y, d), window={size=5x5 pad=2_2x2_2}, "
                 "dim_labels=b01f_01io->b01f, feature_group_count=1024"));
  const auto x = dims(small, "x"), w = dims(small, "w"), d = dims(small, "d"), y = dims(small, "y");
  EXPECT_EQ(x[0] % 4, 0);
  EXPECT_LE(x[0], 8);
  EXPECT_EQ(x[3], w[2]);
  EXPECT_EQ(y, (std::vector<int64_t>{x[0], x[1] / 2, x[1] / 2, w[3]}));
  EXPECT_LE(x[1], 16);
  EXPECT_LE(w[3], 16);
  EXPECT_EQ(d, (std::vector<int64_t>{5, 5, 1, w[3]}));
  EXPECT_EQ(dims(small, "z"), y);
}

// The gradient of a kernel slides the result's gradient over the image; a pool is a window with a stride.
TEST(Shrink, WindowsOfPoolsAndOfKernelsGradientsFollowTheirSpace) {
  const Program small = shrunk(hlo(
      "x = f32[256,224,224,32] parameter(0), sharding={devices=[4,1,1,1]<=[4]}\n"
      "g = f32[256,56,56,32] parameter(1), sharding={devices=[4,1,1,1]<=[4]}\n"
      "w = f32[4,4,32,32] convolution(x, g), window={size=56x56 rhs_dilate=4x4}, dim_labels=f01b_i01o->01bf\n"
      "z = f32[] constant(0)\n"
      "p = f32[256,56,56,32] reduce-window(x, z), window={size=1x5x5x1 stride=1x4x4x1 "
      "pad=0_0x0_1x0_1x0_0}, to_apply=sum\n"
      "ROOT out = (f32[4,4,32,32], f32[256,56,56,32]) tuple(w, p)",
      "sum { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] add(a, b) }"));
  const auto x = dims(small, "x"), g = dims(small, "g"), p = dims(small, "p");
  EXPECT_LT(x[1], 100);
  EXPECT_EQ(x[1], 4 * g[1]);
  EXPECT_EQ(x[1], 4 * p[1]);
  EXPECT_EQ(dims(small, "w")[0], 4);
}

// All but the last token of a sequence, as language models' losses have it, whatever the number is divided
// by.
TEST(Shrink, AllButOneStaysAllButOne) {
  const Program small =
      shrunk(hlo("x = f32[512,2048] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 "a = f32[512,2047] slice(x), slice={[0:512], [0:2047]}\nb = f32[512,2047] slice(x), "
                 "slice={[0:512], [1:2048]}\n"
                 "ROOT y = f32[512,2047] multiply(a, b)"));
  EXPECT_LE(dims(small, "x")[1], 32);
  EXPECT_EQ(dims(small, "x")[1] % 4, 0);
  EXPECT_EQ(dims(small, "y")[1], dims(small, "x")[1] - 1);
}

TEST(Shrink, WhatIsTransformedKeepsItsLength) {
  const Program small =
      shrunk(hlo("x = c64[512,96] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 "ROOT y = c64[512,96] fft(x), fft_type=FFT, fft_length={96}"));
  EXPECT_EQ(dims(small, "y"), (std::vector<int64_t>{8, 96}));
}

// Random bits become floats so: dropout, initial values.
TEST(Shrink, BitsOfNumbersShrinkWithThem) {
  const Program small =
      shrunk(hlo("x = u32[1024,4096] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 "f = f32[1024,4096] bitcast-convert(x)\nbytes = u8[1024,4096,4] bitcast-convert(x)\n"
                 "ROOT out = (f32[1024,4096], u8[1024,4096,4]) tuple(f, bytes)"));
  const auto x = dims(small, "x");
  EXPECT_LT(x[0] * x[1], 64 * 64);
  EXPECT_EQ(dims(small, "f"), x);
  EXPECT_EQ(dims(small, "bytes"), (std::vector<int64_t>{x[0], x[1], 4}));
}

// jax_default_prng_impl = rbg: as many bits as the mask that they become has elements.
TEST(Shrink, GeneratedBitsShrinkTheirStateStays) {
  const Program small = shrunk(
      hlo("state = u64[2] parameter(0)\nx = u32[1024,4096] parameter(1), sharding={devices=[4,1]<=[4]}\n"
          "g = (u64[2], u32[1024,4096]) rng-bit-generator(state), algorithm=rng_default\n"
          "bits = u32[1024,4096] get-tuple-element(g), index=1\n"
          "ROOT out = u32[1024,4096] and(bits, x)"));
  EXPECT_EQ(dims(small, "state"), (std::vector<int64_t>{2}));
  const auto bits = dims(small, "bits");
  EXPECT_LT(bits[0] * bits[1], 64 * 64);
  EXPECT_EQ(bits, dims(small, "x"));
}

TEST(Shrink, BatchesOfSystemsShrinkTheSystemsStay) {
  const Program small = shrunk(
      hlo("a = f32[4096,8,8] parameter(0), sharding={devices=[4,1,1]<=[4]}\n"
          "l = f32[4096,8,8] cholesky(a), lower=true\nb = f32[4096,8,2] parameter(1)\n"
          "x = f32[4096,8,2] triangular-solve(l, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE\n"
          "ROOT q = (f32[4096,8,8], f32[4096,8], s32[4096]) custom-call(l), "
          "custom_call_target=\"lapack_ssyevd_ffi\""));
  const auto a = dims(small, "a");
  EXPECT_LT(a[0], 64);
  EXPECT_EQ(a, (std::vector<int64_t>{a[0], 8, 8}));
  EXPECT_EQ(dims(small, "x"), (std::vector<int64_t>{a[0], 8, 2}));
}

// Sizes of a few elements tell most; where they take long, as few as the splits allow must do.
TEST(Shrink, TheLeastIsAsManyAsTheSplits) {
  const Program module =
      hlo("x = f32[4096] parameter(0), sharding={devices=[4]<=[4]}\nROOT y = f32[4096] negate(x)");
  EXPECT_EQ(dims(shrunk(module), "x")[0], kFewElements);
  EXPECT_EQ(dims(shrunk(module, {.least = 1, .ordered = false}), "x")[0], 4);
}

TEST(Shrink, ALoopGoesRoundAFewTimes) {
  const Program small = shrunk(
      hlo("n = s32[] constant(0)\nx = f32[4096] parameter(0), sharding={devices=[4]<=[4]}\n"
          "s = (s32[], f32[4096]) tuple(n, x)\n"
          "w = (s32[], f32[4096]) while(s), condition=more, body=round\n"
          "ROOT y = f32[4096] get-tuple-element(w), index=1",
          "more { s = (s32[], f32[4096]) parameter(0)\nk = s32[] get-tuple-element(s), index=0\n"
          "end = s32[] constant(126)\nROOT go = pred[] compare(k, end), direction=LT }\n"
          "round { s = (s32[], f32[4096]) parameter(0)\nk = s32[] get-tuple-element(s), index=0\n"
          "one = s32[] constant(1)\nnext = s32[] add(k, one)\nx = f32[4096] get-tuple-element(s), index=1\n"
          "y = f32[4096] sine(x)\nROOT t = (s32[], f32[4096]) tuple(next, y) }"));
  bool found = false;
  for (const Computation& c : small.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == "end") {
        found = true;
        EXPECT_EQ(i.literal, std::to_string(kShrunkRounds));
      }
  EXPECT_TRUE(found);
}

TEST(Shrink, OrderedKeepsWhatIsLargerLarger) {
  const Program small =
      shrunk(hlo("x = f32[64,8192] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                 "w = f32[8192,32768] parameter(1), sharding={devices=[1,4]<=[4]}\n"
                 "ROOT y = f32[64,32768] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
             {.least = kFewElements, .ordered = true});
  const auto x = dims(small, "x"), w = dims(small, "w");
  EXPECT_LT(x[0], x[1]);
  EXPECT_LT(w[0], w[1]);
}

TEST(Shrink, WhatIsSmallAlreadyIsRefused) {
  const auto small = shrink_module(hlo("x = f32[4] parameter(0)\nROOT y = f32[4] negate(x)"), kUsual);
  ASSERT_FALSE(small.ok());
  EXPECT_NE(small.error().what.find("smaller"), std::string::npos) << small.error().text();
}

// What `auto` and the other modes say of a module.
NumericsReport checked(const std::string& text, CheckMode mode) {
  PartitionOptions how;
  how.propagate = true;
  const auto read = read_hlo_or_mlir(text, "m");
  if (!read.ok()) {
    ADD_FAILURE() << read.error().text();
    return {};
  }
  const auto made = partition(read->program, how);
  if (!made.ok()) {
    ADD_FAILURE() << made.error().text();
    return {};
  }
  const auto out = check_read_module({shared_stage(*made), read->cut, how}, {mode}, {});
  EXPECT_TRUE(out.ok()) << out.error().text();
  return out.ok() ? out->report : NumericsReport();
}

std::string product(int64_t n, int64_t devices) {
  return fmt::format(
      "HloModule m, num_partitions={1}\nENTRY e {{\n"
      "x = f32[{0},{0}] parameter(0), sharding={{devices=[{1},1]<=[{1}]}}\n"
      "w = f32[{0},{0}] parameter(1), sharding={{devices=[{1},1]<=[{1}]}}\n"
      "ROOT y = f32[{0},{0}] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n}}\n",
      n, devices);
}

TEST(CheckModes, AutomaticProvesTheWholeOfASmallModule) {
  const NumericsReport report = checked(product(64, 4), CheckMode::automatic);
  EXPECT_EQ(report.check, ProofSize::full);
  EXPECT_EQ(report.scale, 1);
  EXPECT_TRUE(report.allclose);
}

TEST(CheckModes, AutomaticProvesASmallerFormOfALargeModuleAndSaysSo) {
  const NumericsReport report = checked(product(65536, 4), CheckMode::automatic);
  EXPECT_EQ(report.check, ProofSize::shrunk);
  EXPECT_LT(report.scale, 1e-3);
  EXPECT_TRUE(report.allclose);
  EXPECT_NE(report.reason.find("proved at 1/"), std::string::npos) << report.reason;
}

TEST(CheckModes, ShrunkIsTakenAtItsWordForASmallModule) {
  const NumericsReport report = checked(product(4096, 4), CheckMode::shrunk);
  EXPECT_EQ(report.check, ProofSize::shrunk);
  EXPECT_TRUE(report.allclose);
}

// So many instructions of so many devices take their time on the smallest arrays.
TEST(CheckModes, WhatTakesLongHoweverSmallIsNotProvedAndSaysWhy) {
  std::string text =
      "HloModule m, num_partitions=16384\nENTRY e {\n"
      "v0 = f32[1048576] parameter(0), sharding={devices=[16384]<=[16384]}\n";
  for (int k = 1; k < 200; ++k) text += fmt::format("v{} = f32[1048576] sine(v{})\n", k, k - 1);
  text += "ROOT out = f32[1048576] negate(v199)\n}\n";
  const NumericsReport report = checked(text, CheckMode::automatic);
  EXPECT_EQ(report.check, ProofSize::off);
  EXPECT_NE(report.reason.find("the smallest form of it takes about"), std::string::npos) << report.reason;
}

}  // namespace
}  // namespace shardscope::shrink_test
