// SPDX-License-Identifier: Apache-2.0
// What XLA for GPUs makes of products and of what they read, before it fuses the rest.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/backend/fuse.h"
#include "engine/program/analysis/local_work.h"

namespace shardscope::products_test {
namespace {

constexpr const char* kSum =
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";

Program fused(const std::string& text) {
  auto program = parse_program("HloModule m\n" + text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  if (!program.ok()) return {};
  auto out = fuse(*program, CompileAs::xla_gpu, find_hardware("h200").value());
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  if (!out.ok()) return {};
  const auto verified = verify(*out);
  EXPECT_TRUE(verified.ok()) << verified.error().text() << "\n" << print_program(*out);
  return *std::move(out);
}

// Of the whole program, those inside of kernels too.
std::vector<const Instruction*> all(const Program& program, Opcode opcode) {
  std::vector<const Instruction*> out;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.opcode == opcode) out.push_back(&i);
  return out;
}

// By sizes of the two weights.
Program two_products(int64_t rows, int64_t k, int64_t n, int64_t m) {
  return fused(
      fmt::format("ENTRY e {{ x = bf16[{0},{1}] parameter(0)\n v = bf16[{1},{2}] parameter(1)\n"
                  " w = bf16[{1},{3}] parameter(2)\n"
                  " d = bf16[{0},{2}] dot(x, v), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
                  " f = bf16[{0},{3}] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
                  " s = bf16[{0},{2}] tanh(d)\n t = bf16[{0},{3}] tanh(f)\n"
                  " ROOT r = (bf16[{0},{2}], bf16[{0},{3}]) tuple(s, t) }}\n",
                  rows, k, n, m));
}

TEST(Products, ThatShareASideAreOne) {
  const Program p = two_products(1024, 512, 256, 128);
  const auto dots = all(p, Opcode::dot);
  ASSERT_EQ(dots.size(), 1U);
  EXPECT_EQ(dots[0]->shape.dims, (std::vector<int64_t>{1024, 384}));
  std::vector<std::vector<SliceDim>> parts;
  for (const Instruction* slice : all(p, Opcode::slice)) parts.push_back(*slice->slice);
  std::ranges::sort(parts, {}, [](const auto& part) { return part[1].start; });
  EXPECT_EQ(parts,
            (std::vector<std::vector<SliceDim>>{{{0, 1024, 1}, {0, 256, 1}}, {{0, 1024, 1}, {256, 384, 1}}}));
}

// A side and a result of their own of 48 MiB, and of 72, whatever the shared side has; so XLA of JAX 0.11.2.
TEST(Products, OfMoreThan64MiBStayApart) {
  EXPECT_EQ(all(two_products(2048, 4096, 4096, 4104), Opcode::dot).size(), 1U);
  EXPECT_EQ(all(two_products(8192, 4096, 2048, 2048), Opcode::dot).size(), 1U);
  EXPECT_EQ(all(two_products(8192, 4096, 3072, 3072), Opcode::dot).size(), 2U);
}

TEST(Products, ThatWaitForEachOtherStayApart) {
  const Program p = fused(
      "ENTRY e { x = bf16[256,256] parameter(0)\n w = bf16[256,256] parameter(1)\n"
      " d = bf16[256,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " ROOT f = bf16[256,256] dot(x, d), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n");
  EXPECT_EQ(all(p, Opcode::dot).size(), 2U);
}

// Of a side in both places the two products are one each way.
TEST(Products, ThatShareTheirRightSideAreOneToo) {
  const Program p = fused(
      "ENTRY e { x = bf16[512,64] parameter(0)\n v = bf16[512,256] parameter(1)\n w = bf16[512,128] "
      "parameter(2)\n"
      " d = bf16[256,64] dot(v, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      " f = bf16[128,64] dot(w, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      " ROOT r = (bf16[256,64], bf16[128,64]) tuple(d, f) }\n");
  const auto dots = all(p, Opcode::dot);
  ASSERT_EQ(dots.size(), 1U);
  EXPECT_EQ(dots[0]->shape.dims, (std::vector<int64_t>{384, 64}));
}

// Two of one side, each transposed: one the other way round, in parts that are copied.
TEST(Products, MergedAndTransposedAreTheirSidesTheOtherWayRound) {
  const Program p = fused(
      "ENTRY e { x = bf16[512,64] parameter(0)\n v = bf16[512,256] parameter(1)\n"
      " w = bf16[512,128] parameter(2)\n"
      " d = bf16[256,64] dot(v, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      " f = bf16[128,64] dot(w, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      " s = bf16[64,256] transpose(d), dimensions={1,0}\n t = bf16[64,128] transpose(f), dimensions={1,0}\n"
      " ROOT r = (bf16[64,256], bf16[64,128]) tuple(s, t) }\n");
  EXPECT_TRUE(all(p, Opcode::transpose).empty());
  ASSERT_EQ(all(p, Opcode::dot).size(), 1U);
  EXPECT_EQ(all(p, Opcode::dot)[0]->shape.dims, (std::vector<int64_t>{64, 384}));
  std::vector<std::string> kernels;
  for (const Instruction* fusion : all(p, Opcode::fusion)) kernels.push_back(fusion->name);
  EXPECT_EQ(kernels, (std::vector<std::string>{"product_dot_fusion", "wrapped_slice", "wrapped_slice.1"}));
}

TEST(Products, HaveTheirBatchDimensionsFirst) {
  const Program p = fused(
      "ENTRY e { q = bf16[2,512,8,64] parameter(0)\n k = bf16[2,8,512,64] parameter(1)\n"
      " ROOT s = f32[2,8,512,512] dot(q, k), lhs_batch_dims={0,2}, lhs_contracting_dims={3}, "
      "rhs_batch_dims={0,1}, rhs_contracting_dims={3} }\n");
  const auto transposes = all(p, Opcode::transpose);
  ASSERT_EQ(transposes.size(), 1U);
  EXPECT_EQ(transposes[0]->shape.dims, (std::vector<int64_t>{2, 8, 512, 64}));
  EXPECT_EQ(all(p, Opcode::dot)[0]->dot->lhs_batch, (std::vector<int64_t>{0, 1}));
}

TEST(Products, TransposedAreTheirSidesTheOtherWayRound) {
  const Program p = fused(
      "ENTRY e { x = bf16[512,256] parameter(0)\n w = bf16[512,128] parameter(1)\n"
      " d = bf16[256,128] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
      " ROOT t = bf16[128,256] transpose(d), dimensions={1,0} }\n");
  EXPECT_TRUE(all(p, Opcode::transpose).empty());
  ASSERT_EQ(all(p, Opcode::dot).size(), 1U);
  EXPECT_EQ(all(p, Opcode::dot)[0]->shape.dims, (std::vector<int64_t>{128, 256}));
}

// Two products of a side that is scaled by a vector; what is before that is written once.
TEST(Products, EachWriteTheirScaledSide) {
  const Program p = fused(
      "ENTRY e { x = bf16[8192,4096] parameter(0)\n g = bf16[4096] parameter(1)\n"
      " v = bf16[4096,8192] parameter(2)\n w = bf16[4096,8192] parameter(3)\n"
      " n = bf16[8192,4096] tanh(x)\n b = bf16[8192,4096] broadcast(g), dimensions={1}\n"
      " s = bf16[8192,4096] multiply(n, b)\n"
      " d = bf16[8192,8192] dot(s, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " f = bf16[8192,8192] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " ROOT r = bf16[8192,8192] add(d, f) }\n");
  EXPECT_EQ(all(p, Opcode::tanh).size(), 1U);
  EXPECT_EQ(all(p, Opcode::multiply).size(), 2U);
  for (const Instruction* dot : all(p, Opcode::dot)) EXPECT_TRUE(has_scratch(*dot));
}

TEST(Products, OfALibraryHaveScratchWhereTritonIsSlower) {
  const auto scratch = [](int64_t n) {
    const Program p =
        fused(fmt::format("ENTRY e {{ x = bf16[{0},{0}] parameter(0)\n ROOT d = bf16[{0},{0}] dot(x, x), "
                          "lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}\n",
                          n));
    return has_scratch(*all(p, Opcode::dot).at(0));
  };
  EXPECT_FALSE(scratch(2048));
  EXPECT_TRUE(scratch(8192));
}

TEST(Products, OfALibraryWithAnAlgorithmHaveTheirSidesWrittenOnceMore) {
  const auto kernels = [](const char* algorithm) {
    const Program p =
        fused(fmt::format("ENTRY e {{ x = bf16[8192,8192] parameter(0)\n w = bf16[8192,8192] parameter(1)\n"
                          " ROOT d = f32[8192,8192] dot(x, w), lhs_contracting_dims={{1}}, "
                          "rhs_contracting_dims={{0}}{} }}\n",
                          algorithm));
    return all(p, Opcode::fusion).size();
  };
  EXPECT_EQ(kernels(""), 0U);
  EXPECT_EQ(kernels(", algorithm=dot_bf16_bf16_f32"), 2U);
}

TEST(Products, TakeInTheParameterThatIsAddedToThem) {
  const auto kernels = [](const char* added) {
    const Program p = fused(
        fmt::format("ENTRY e {{ x = bf16[2048,2048] parameter(0)\n w = bf16[2048,2048] parameter(1)\n"
                    " n = bf16[2048,2048] tanh(x)\n"
                    " d = bf16[2048,2048] dot(n, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
                    " ROOT a = bf16[2048,2048] add({}, d) }}\n",
                    added));
    return p.entry_computation().root_instruction().name;
  };
  EXPECT_EQ(kernels("x"), "product_add_fusion");
  EXPECT_EQ(kernels("n"), "wrapped_add");
}

// By their names, in the entry's order.
std::vector<std::string> kernels(const Program& p) {
  std::vector<std::string> out;
  for (const Instruction& i : p.entry_computation().instructions)
    if (i.opcode == Opcode::fusion || i.opcode == Opcode::dot) out.push_back(i.name);
  return out;
}
std::string product(const char* rows, const char* type, const char* behind) {
  return fmt::format(
      "ENTRY e {{ x = {1}[{0},4096] parameter(0)\n w = {1}[4096,1024] parameter(1)\n"
      " v = {1}[1024] parameter(2)\n y = {1}[{0},1024] parameter(3)\n"
      " d = {1}[{0},1024] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
      " z = {1}[] constant(0)\n zs = {1}[{0},1024] broadcast(z), dimensions={{}}\n"
      " b = {1}[{0},1024] broadcast(v), dimensions={{1}}\n{2} }}\n",
      rows, type, behind);
}

// As XLA of JAX 0.11.2 compiled them: one kernel of Triton's, which does what stands behind the product.
TEST(Products, DoWhatStandsBehindThem) {
  const auto names = [](const char* behind) { return kernels(fused(product("16", "f32", behind))); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(" ROOT t = f32[16,1024] tanh(d)\n"), Names{"product_tanh_fusion"});
  EXPECT_EQ(names(" ROOT m = f32[16,1024] maximum(d, zs)\n"), Names{"product_maximum_fusion"});
  EXPECT_EQ(names(" s = f32[16,1024] add(d, b)\n ROOT a = f32[16,1024] add(s, y)\n"),
            Names{"product_add_fusion"});
  EXPECT_EQ(names(" ROOT c = pred[16,1024] compare(d, zs), direction=GT\n"), Names{"product_compare_fusion"});
}

// The module `mlp` of one H200: cuBLASLt cuts off at zero and adds a vector; nothing else than that.
TEST(Products, OfALibraryAreCutOffAtZeroByItAndNoMore) {
  const auto names = [](const char* behind) { return kernels(fused(product("65536", "bf16", behind))); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(" ROOT m = bf16[65536,1024] maximum(d, zs)\n"), Names{"product_maximum_fusion"});
  EXPECT_EQ(names(" s = bf16[65536,1024] add(d, b)\n ROOT m = bf16[65536,1024] maximum(s, zs)\n"),
            Names{"product_maximum_fusion"});
  EXPECT_EQ(names(" ROOT n = bf16[65536,1024] negate(d)\n").size(), 2U);
}

// Two weights put together along what is not contracted are read by the product itself where it is small and
// each of them fills tiles of 64.
TEST(Products, ReadArraysThatArePutTogether) {
  const auto names = [](int64_t n) {
    return kernels(fused(fmt::format(
        "ENTRY e {{ x = f32[64,64] parameter(0)\n v = f32[64,{0}] parameter(1)\n w = f32[64,{0}] "
        "parameter(2)\n"
        " c = f32[64,{1}] concatenate(v, w), dimensions={{1}}\n"
        " ROOT d = f32[64,{1}] dot(x, c), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}} }}\n",
        n, 2 * n)));
  };
  EXPECT_EQ(names(64), std::vector<std::string>{"product_dot_fusion"});
  EXPECT_EQ(names(48), (std::vector<std::string>{"wrapped_concatenate", "d"}));
}

TEST(Products, SumsThatSeveralUseAreTheRootOfTheirKernel) {
  const auto kernels = [](const char* second) {
    const Program p =
        fused(std::string(kSum) +
              "ENTRY e { x = f32[4096,1024] parameter(0)\n z = f32[] constant(0)\n"
              " r = f32[4096] reduce(x, z), dimensions={1}, to_apply=sum\n"
              " b = f32[4096,1024] broadcast(r), dimensions={0}\n q = f32[4096,1024] divide(x, b)\n"
              " ROOT t = (f32[4096,1024], f32[4096]) tuple(q, " +
              second + ") }\n");
    return all(p, Opcode::fusion).size();
  };
  EXPECT_EQ(kernels("r"), 2U);
}

// A kernel that uses the sums of its rows makes one array.
TEST(Products, KernelsThatUseTheirSumsHaveOneResult) {
  const Program p =
      fused(std::string(kSum) +
            "ENTRY e { x = f32[4096,1024] parameter(0)\n z = f32[] constant(0)\n"
            " r = f32[4096] reduce(x, z), dimensions={1}, to_apply=sum\n"
            " b = f32[4096,1024] broadcast(r), dimensions={0}\n q = f32[4096,1024] divide(x, b)\n"
            " n = f32[4096,1024] tanh(x)\n"
            " ROOT t = (f32[4096,1024], f32[4096,1024]) tuple(q, n) }\n");
  for (const Instruction* fusion : all(p, Opcode::fusion)) EXPECT_FALSE(fusion->shape.is_tuple);
}

// XLA has no kernel for them on GPUs: as many times the flops as there are groups.
TEST(Products, OfRowsInGroupsAreOneProductOverTheGroups) {
  const Program p = fused(
      "ENTRY e { x = bf16[256,128] parameter(0)\n w = bf16[4,128,64] parameter(1)\n s = s32[4] parameter(2)\n"
      " ROOT y = bf16[256,64] ragged-dot(x, w, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
      "lhs_ragged_dims={0}, rhs_group_dims={0} }\n");
  EXPECT_TRUE(all(p, Opcode::ragged_dot).empty());
  double flops = 0;
  for (const Computation& c : p.computations)
    for (const Instruction& i : c.instructions)
      if (i.opcode == Opcode::dot && i.shape.dims == std::vector<int64_t>{256, 64}) flops += dot_flops(c, i);
  EXPECT_EQ(flops, 4.0 * 2 * 256 * 128 * 64);
}

}  // namespace
}  // namespace shardscope::products_test
