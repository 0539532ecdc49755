// SPDX-License-Identifier: Apache-2.0
// Long reductions and running sums in the parts that XLA's compiler for GPUs (JAX 0.11.2, H200, compiled
// without a device) makes of them.
#include "engine/backend/long_reductions.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/backend/fuse.h"

namespace shardscope::long_reductions_test {
namespace {

Program fused(const std::string& text) {
  const auto program = parse_program(
      "HloModule m\nsum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n" +
      text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  if (!program.ok()) return {};
  const auto out = fuse(*program, CompileAs::xla_gpu, find_hardware("h200").value());
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  if (!out.ok()) return {};
  const auto verified = verify(*out);
  EXPECT_TRUE(verified.ok()) << verified.error().text() << "\n" << print_program(*out);
  return *out;
}

// What reductions and windows of the program make, in its order.
std::vector<std::string> made(const Program& program, Opcode opcode) {
  std::vector<std::string> out;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.opcode == opcode) out.push_back(fmt::format("{}", fmt::join(i.shape.dims, ",")));
  return out;
}

std::string sum(const char* of, const char* dims, const char* out) {
  return fmt::format(
      "ENTRY e {{ x = f32[{}] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[{}] reduce(x, z), "
      "dimensions={{{}}}, to_apply=sum }}\n",
      of, out, dims);
}

TEST(LongReductions, AreCutIntoAboutTheRootOfTheirElements) {
  // A softmax over a vocabulary, a batch norm over 64 images, an RMSNorm's gradient, a gradient's norm.
  EXPECT_EQ(parts_of_reduction(32000), 128);
  EXPECT_EQ(parts_of_reduction(200704), 256);
  EXPECT_EQ(parts_of_reduction(8192), 64);
  EXPECT_EQ(parts_of_reduction(16777216), 4096);
}

TEST(LongReductions, RowsOfMoreThan16384ElementsAndColumnsOfMoreThan4096) {
  using Made = std::vector<std::string>;
  EXPECT_EQ(made(fused(sum("4096,32000", "1", "4096")), Opcode::reduce), (Made{"4096,128", "4096"}));
  EXPECT_EQ(made(fused(sum("64,56,56,64", "0,1,2", "64")), Opcode::reduce), (Made{"256,64", "64"}));
  EXPECT_EQ(made(fused(sum("4,2048,4096", "0,1", "4096")), Opcode::reduce), (Made{"64,4096", "4096"}));
  EXPECT_EQ(made(fused(sum("4,1024,2048", "0,1", "2048")), Opcode::reduce), (Made{"2048"}));
  EXPECT_EQ(made(fused(sum("4096,16384", "1", "4096")), Opcode::reduce), (Made{"4096"}));
}

TEST(LongReductions, OfSizesThatNothingDividesArePadded) {
  const Program p = fused(sum("4099,8", "0", "8"));
  EXPECT_EQ(made(p, Opcode::pad).size(), 1U);
  EXPECT_EQ(made(p, Opcode::reduce).size(), 2U);
}

// 8192 positions: rows of 16, of whose 512 ends rows of 16, of whose 32, of whose 2.
TEST(LongReductions, RunningSumsGoByRowsOfSixteen) {
  const Program p = fused(
      "ENTRY e { x = f32[8192,8] parameter(0)\n z = f32[] constant(0)\n"
      " ROOT r = f32[8192,8] reduce-window(x, z), window={size=8192x1 pad=8191_0x0_0}, to_apply=sum }\n");
  const std::vector<std::string> windows = made(p, Opcode::reduce_window);
  for (const char* rows : {"512,16,8", "32,16,8", "2,16,8", "2,8"})
    EXPECT_TRUE(std::ranges::count(windows, rows) > 0)
        << rows << " of " << fmt::format("{}", fmt::join(windows, " "));
}

// A step of decoding: queries of one position with the keys of all.
TEST(LongReductions, AProductOfAVectorIsASum) {
  const Program p = fused(
      "ENTRY e { q = bf16[16,32,128] parameter(0)\n k = bf16[16,4096,32,128] parameter(1)\n"
      " ROOT s = bf16[16,32,4096] dot(q, k), lhs_batch_dims={0,1}, lhs_contracting_dims={2}, "
      "rhs_batch_dims={0,2}, rhs_contracting_dims={3} }\n");
  EXPECT_TRUE(made(p, Opcode::dot).empty());
  EXPECT_EQ(made(p, Opcode::reduce), std::vector<std::string>{"16,4096,32"});
}

}  // namespace
}  // namespace shardscope::long_reductions_test
