// SPDX-License-Identifier: Apache-2.0
// What becomes one kernel and what does not, on small programs.
#include "engine/backend/fuse.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/analysis/local_work.h"

namespace shardscope::fuse_test {
namespace {

Program parsed(const std::string& text) {
  auto program = parse_program("HloModule m\n" + text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}

Program fused(const std::string& text, CompileAs as = CompileAs::xla_gpu, const char* chip = "h200") {
  auto out = fuse(parsed(text), as, find_hardware(chip).value());
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  if (!out.ok()) return {};
  const auto verified = verify(*out);
  EXPECT_TRUE(verified.ok()) << verified.error().text() << "\n" << print_program(*out);
  const auto again = parse_program(print_program(*out));
  EXPECT_TRUE(again.ok() && *again == *out) << print_program(*out);
  return *std::move(out);
}

// Opcodes of what takes time in the entry, in its order; a fusion by its name's words: "loop_add".
std::vector<std::string> pieces(const Program& program) {
  std::vector<std::string> out;
  for (const Instruction& i : program.entry_computation().instructions) {
    if (i.opcode == Opcode::fusion) {
      out.push_back(i.name.substr(0, i.name.find("_fusion")));
    } else if (operation(i.opcode).cost != CostClass::free && i.opcode != Opcode::parameter) {
      out.emplace_back(opcode_text(i));
    }
  }
  return out;
}
using Pieces = std::vector<std::string>;

constexpr const char* kSums =
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
    "most { c = f32[] parameter(0)\n d = f32[] parameter(1)\n ROOT t = f32[] maximum(c, d) }\n";

TEST(Fuse, AChainOfElementwiseWorkIsOneKernel) {
  const Program p = fused(
      "ENTRY e { x = f32[1024,1024] parameter(0)\n y = f32[1024,1024] parameter(1)\n"
      " n = f32[1024,1024] negate(x)\n m = f32[1024,1024] multiply(n, y)\n"
      " ROOT a = f32[1024,1024] add(m, x) }\n");
  EXPECT_EQ(pieces(p), Pieces{"loop_add"});
  const Instruction& root = p.entry_computation().root_instruction();
  EXPECT_EQ(fused_work(p, p.entry_computation(), root).bytes, 3 * 1024 * 1024 * 4);
  EXPECT_EQ(root.provenance->source, "a");
}

// Sums and products of what was made before, anyhow: kernels side by side must not wait for each other by way
// of a third, also where one has several results, the first of which stands in front of what the last needs.
TEST(Fuse, KernelsSideBySideNeverWaitForEachOther) {
  uint32_t state = 1;
  const auto below = [&state](int most) {
    state = state * 1664525U + 1013904223U;
    return static_cast<int>((state >> 8U) % static_cast<uint32_t>(most));
  };
  for (int module = 0; module < 20; ++module) {
    std::string text = "ENTRY e { x0 = f32[256,256] parameter(0)\n";
    for (int k = 1; k < 300; ++k) {
      const int a = k - 1 - below(std::min(k, 40)), b = k - 1 - below(std::min(k, 40));
      const char* operation = k % 6 == 0 ? "dot" : k % 2 == 0 ? "add" : "multiply";
      text += fmt::format(" x{} = f32[256,256] {}(x{}, x{}){}\n", k, operation, a, b,
                          k % 6 == 0 ? ", lhs_contracting_dims={1}, rhs_contracting_dims={0}" : "");
    }
    fused(text + " ROOT r = f32[256,256] copy(x299) }\n");
    if (HasFailure()) return;
  }
}

// By two reductions, or by how many elements a thread holds where the compiler says that.
TEST(Fuse, SoftmaxKeepsItsRowsOnTheChipAndANormDoesNot) {
  const std::string norm =
      "ENTRY e { x = f32[64,2048] parameter(0)\n z = f32[] constant(0)\n"
      " r = f32[64] reduce(x, z), dimensions={1}, to_apply=sum\n"
      " b = f32[64,2048] broadcast(r), dimensions={0}\n ROOT d = f32[64,2048] divide(x, b) }\n";
  const std::string softmax =
      "ENTRY e { x = f32[64,2048] parameter(0)\n z = f32[] constant(0)\n i = f32[] constant(-inf)\n"
      " m = f32[64] reduce(x, i), dimensions={1}, to_apply=most\n"
      " n = f32[64,2048] broadcast(m), dimensions={0}\n s = f32[64,2048] subtract(x, n)\n"
      " p = f32[64,2048] exponential(s)\n r = f32[64] reduce(p, z), dimensions={1}, to_apply=sum\n"
      " b = f32[64,2048] broadcast(r), dimensions={0}\n ROOT d = f32[64,2048] divide(p, b) }\n";
  const auto keeps = [](const Program& p) {
    return fused_work(p, p.entry_computation(), p.entry_computation().root_instruction()).keeps_rows;
  };
  const Program one = fused(kSums + norm), two = fused(kSums + softmax);
  EXPECT_FALSE(keeps(one));
  EXPECT_TRUE(keeps(two));
  const auto by_block = [&](const Program& p, const char* rows) {
    std::string text = print_program(p);
    const size_t at = text.find("kind=kLoop");
    text.insert(at + 10,
                std::string(", backend_config={\"num_warps\":\"8\",\"output_tiles\":[{\"sizes\":[\"") + rows +
                    "\",\"2048\"]}]}");
    return keeps(*parse_program(text));
  };
  EXPECT_TRUE(by_block(one, "8"));
  EXPECT_FALSE(by_block(two, "2"));
}

// As JAX writes it: what was reduced stays as a dimension of size 1.
TEST(Fuse, SoftmaxThatKeepsTheReducedDimensionIsOneKernelToo) {
  const Program p =
      fused(std::string(kSums) +
            "ENTRY e { x = f32[512,2048] parameter(0)\n z = f32[] constant(0)\n i = f32[] constant(-inf)\n"
            " m = f32[512] reduce(x, i), dimensions={1}, to_apply=most\n"
            " o = f32[512,1] broadcast(m), dimensions={0}\n q = f32[512] reshape(o)\n"
            " n = f32[512,2048] broadcast(q), dimensions={0}\n s = f32[512,2048] subtract(x, n)\n"
            " p = f32[512,2048] exponential(s)\n r = f32[512] reduce(p, z), dimensions={1}, to_apply=sum\n"
            " t = f32[512,1] broadcast(r), dimensions={0}\n u = f32[512] reshape(t)\n"
            " b = f32[512,2048] broadcast(u), dimensions={0}\n ROOT d = f32[512,2048] divide(p, b) }\n");
  EXPECT_EQ(pieces(p), Pieces{"loop_divide"});
}

TEST(Fuse, SoftmaxIsOneKernelThatReadsItsArrayOnce) {
  const Program p = fused(
      std::string(kSums) +
      "ENTRY e { x = f32[4096,1024] parameter(0)\n z = f32[] constant(0)\n low = f32[] constant(-inf)\n"
      " top = f32[4096] reduce(x, low), dimensions={1}, to_apply=most\n"
      " tops = f32[4096,1024] broadcast(top), dimensions={0}\n c = f32[4096,1024] subtract(x, tops)\n"
      " w = f32[4096,1024] exponential(c)\n all = f32[4096] reduce(w, z), dimensions={1}, to_apply=sum\n"
      " alls = f32[4096,1024] broadcast(all), dimensions={0}\n"
      " ROOT q = f32[4096,1024] divide(w, alls) }\n");
  EXPECT_EQ(pieces(p), Pieces{"loop_divide"});
  EXPECT_EQ(fused_work(p, p.entry_computation(), p.entry_computation().root_instruction()).bytes,
            2 * 4096 * 1024 * 4);
}

TEST(Fuse, ASumOverColumnsIsNotMadeAgainForEachElement) {
  const Program p = fused(std::string(kSums) +
                          "ENTRY e { x = f32[4096,1024] parameter(0)\n z = f32[] constant(0)\n"
                          " all = f32[1024] reduce(x, z), dimensions={0}, to_apply=sum\n"
                          " alls = f32[4096,1024] broadcast(all), dimensions={1}\n"
                          " ROOT q = f32[4096,1024] divide(x, alls) }\n");
  EXPECT_EQ(pieces(p), (Pieces{"input_reduce", "loop_divide"}));
}

TEST(Fuse, WhatAProductReadsIsMadeOnce) {
  const Program p = fused(
      "ENTRY e { x = f32[1024,1024] parameter(0)\n n = f32[1024,1024] negate(x)\n"
      " d = f32[1024,1024] dot(n, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " t = f32[1024,1024] tanh(n)\n ROOT r = (f32[1024,1024], f32[1024,1024]) tuple(d, t) }\n");
  EXPECT_EQ(std::ranges::count(pieces(p), "dot"), 1);
  int64_t negations = 0;
  for (const Computation& c : p.computations)
    negations += std::ranges::count(c.instructions, Opcode::negate, &Instruction::opcode);
  EXPECT_EQ(negations, 1);
}

TEST(Fuse, TwoSumsOfOneArrayReadItOnce) {
  const Program p =
      fused(std::string(kSums) +
            "ENTRY e { x = f32[4096,1024] parameter(0)\n z = f32[] constant(0)\n low = f32[] constant(-inf)\n"
            " a = f32[4096] reduce(x, z), dimensions={1}, to_apply=sum\n"
            " b = f32[4096] reduce(x, low), dimensions={1}, to_apply=most\n"
            " ROOT r = (f32[4096], f32[4096]) tuple(a, b) }\n");
  EXPECT_EQ(pieces(p), Pieces{"input_reduce"});
}

TEST(Fuse, WhatWaitsForAThirdIsNotJoined) {
  const Program p = fused(
      "lt { a1 = f32[] parameter(0)\n b1 = f32[] parameter(1)\n ROOT l = pred[] compare(a1, b1), "
      "direction=LT }\n"
      "ENTRY e { x = f32[1024,1024] parameter(0)\n n = f32[1024,1024] tanh(x)\n"
      " d = f32[1024,1024] dot(n, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "operand_precision={highest,highest}\n"
      " s = f32[1024,1024] sort(d), dimensions={1}, to_apply=lt\n"
      " ROOT a = f32[1024,1024] multiply(s, x) }\n");
  EXPECT_EQ(pieces(p), (Pieces{"wrapped_tanh", "dot", "sort", "wrapped_multiply"}));
}

constexpr const char* kLayer =
    "ENTRY e { x = bf16[4096,4096] parameter(0)\n w = bf16[4096,4096] parameter(1)\n"
    " d = f32[4096,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " t = f32[4096,4096] tanh(d)\n ROOT c = bf16[4096,4096] convert(t) }\n";

TEST(Fuse, WhatFollowsAProductBelongsToItOnATpu) {
  EXPECT_EQ(pieces(fused(kLayer, CompileAs::xla_tpu, "tpu-v5e")), Pieces{"product_convert"});
}

TEST(Fuse, ALibraryRoundsItsProductAndNoMore) {
  EXPECT_EQ(pieces(fused("ENTRY e { x = bf16[4096,16384] parameter(0)\n w = bf16[16384,4096] parameter(1)\n"
                         " d = f32[4096,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                         " t = f32[4096,4096] tanh(d)\n ROOT c = bf16[4096,4096] convert(t) }\n")),
            (Pieces{"dot", "loop_convert"}));
  EXPECT_EQ(pieces(fused("ENTRY e { x = bf16[4096,4096] parameter(0)\n w = bf16[4096,4096] parameter(1)\n"
                         " d = f32[4096,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                         " ROOT c = bf16[4096,4096] convert(d) }\n")),
            Pieces{"product_convert"});
}

TEST(Fuse, NoneLeavesTheProgramAsItIs) {
  const Program p = parsed(kLayer);
  const auto same = fuse(p, CompileAs::none, find_hardware("h200").value());
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(*same, p);
}

TEST(Fuse, TheBodyOfALoopIsFusedAndCountsAsBefore) {
  const Program p = fused(
      "body { s = (s32[], f32[1024,1024]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " one = s32[] constant(1)\n next = s32[] add(i, one)\n"
      " x = f32[1024,1024] get-tuple-element(s), index=1\n n = f32[1024,1024] negate(x)\n"
      " a = f32[1024,1024] multiply(n, n)\n ROOT t = (s32[], f32[1024,1024]) tuple(next, a) }\n"
      "cond { s1 = (s32[], f32[1024,1024]) parameter(0)\n i1 = s32[] get-tuple-element(s1), index=0\n"
      " end = s32[] constant(5)\n ROOT l = pred[] compare(i1, end), direction=LT }\n"
      "ENTRY e { x0 = f32[1024,1024] parameter(0)\n z = s32[] constant(0)\n"
      " t0 = (s32[], f32[1024,1024]) tuple(z, x0)\n"
      " w = (s32[], f32[1024,1024]) while(t0), condition=cond, body=body\n"
      " ROOT r = f32[1024,1024] get-tuple-element(w), index=1 }\n");
  const auto body = std::ranges::find(p.computations, "body", &Computation::name);
  ASSERT_NE(body, p.computations.end());
  EXPECT_EQ(std::ranges::count(body->instructions, Opcode::fusion, &Instruction::opcode), 1);
  EXPECT_EQ(std::ranges::count(body->instructions, Opcode::add, &Instruction::opcode), 1);
}

TEST(Fuse, WhatACompilerFusedIsKnown) {
  EXPECT_FALSE(is_fused(parsed(kLayer)));
  EXPECT_TRUE(is_fused(fused(kLayer)));
}

}  // namespace
}  // namespace shardscope::fuse_test
