// SPDX-License-Identifier: Apache-2.0
// What XLA for TPUs makes one kernel of, and what its own estimates say.
#include <algorithm>
#include <gtest/gtest.h>

#include "engine/backend/compiler_estimate.h"
#include "engine/backend/fuse.h"
#include "engine/base/read_file.h"

namespace shardscope::tpu_test {
namespace {

Program parsed(const std::string& text) {
  auto program = parse_program("HloModule m\n" + text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *std::move(program) : Program();
}

// Opcodes of the roots of each kernel of the entry, in its order: "add+reduce".
std::vector<std::string> kernels(const std::string& text) {
  auto fused = fuse(parsed(text), CompileAs::xla_tpu, find_hardware("tpu-v5e").value());
  EXPECT_TRUE(fused.ok()) << (fused.ok() ? "" : fused.error().text());
  if (!fused.ok()) return {};
  const auto verified = verify(*fused);
  EXPECT_TRUE(verified.ok()) << verified.error().text() << "\n" << print_program(*fused);
  std::vector<std::string> out;
  for (const Instruction& i : fused->entry_computation().instructions) {
    if (i.opcode != Opcode::fusion) {
      if (operation(i.opcode).cost != CostClass::free) out.emplace_back(opcode_text(i));
      continue;
    }
    const Computation& c = fused->computation(i.called->front().computation);
    const Instruction& root = c.root_instruction();
    std::string roots;
    if (root.opcode != Opcode::tuple) roots = opcode_text(root);
    for (size_t r = 0; root.opcode == Opcode::tuple && r < root.operands.size(); ++r)
      roots += (r > 0 ? "+" : "") + std::string(opcode_text(c.at(root.operands[r])));
    out.push_back(roots);
  }
  return out;
}
using Kernels = std::vector<std::string>;

constexpr const char* kSums =
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
    "most { c = f32[] parameter(0)\n d = f32[] parameter(1)\n ROOT t = f32[] maximum(c, d) }\n";

// softmax of f32[8192,4096] compiled for v5e: reduce, reduce, divide.
TEST(Tpu, ASoftmaxAloneGoesOverItsRowsThreeTimes) {
  EXPECT_EQ(
      kernels(
          std::string(kSums) +
          "ENTRY e { x = f32[8192,4096] parameter(0)\n i = f32[] constant(-inf)\n z = f32[] constant(0)\n"
          " m = f32[8192] reduce(x, i), dimensions={1}, to_apply=most\n"
          " w = f32[8192,4096] broadcast(m), dimensions={0}\n d = f32[8192,4096] subtract(x, w)\n"
          " p = f32[8192,4096] exponential(d)\n s = f32[8192] reduce(p, z), dimensions={1}, to_apply=sum\n"
          " v = f32[8192,4096] broadcast(s), dimensions={0}\n ROOT r = f32[8192,4096] divide(p, v) }\n"),
      (Kernels{"reduce", "reduce", "divide"}));
}

const std::string kScores =
    std::string(kSums) +
    "ENTRY e { q = f32[2048,128] parameter(0)\n k = f32[128,2048] parameter(1)\n v = f32[2048,128] "
    "parameter(2)\n"
    " i = f32[] constant(-inf)\n z = f32[] constant(0)\n"
    " x = f32[2048,2048] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " m = f32[2048] reduce(x, i), dimensions={1}, to_apply=most\n"
    " w = f32[2048,2048] broadcast(m), dimensions={0}\n d = f32[2048,2048] subtract(x, w)\n"
    " p = f32[2048,2048] exponential(d)\n s = f32[2048] reduce(p, z), dimensions={1}, to_apply=sum\n"
    " u = f32[2048,2048] broadcast(s), dimensions={0}\n r = f32[2048,2048] divide(p, u)\n"
    " ROOT o = f32[2048,128] dot(r, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n";

// Attention: the first product with the maximum, the exponentials and their sums, the second with the
// division.
TEST(Tpu, AttentionIsTwoKernels) {
  EXPECT_EQ(kernels(kScores), (Kernels{"exponential+reduce", "dot"}));
}

// A layer's residual and the squares of the norm behind it; the normed rows are computed in both products.
TEST(Tpu, AProductTakesTheSumsBehindItAndTheRowsInFrontOfIt) {
  EXPECT_EQ(kernels(std::string(kSums) +
                    "ENTRY e { x = f32[1024,512] parameter(0)\n w = f32[512,512] parameter(1)\n"
                    " g = f32[512,256] parameter(2)\n h = f32[512,256] parameter(3)\n z = f32[] constant(0)\n"
                    " d = f32[1024,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    " y = f32[1024,512] add(x, d)\n q = f32[1024,512] multiply(y, y)\n"
                    " s = f32[1024] reduce(q, z), dimensions={1}, to_apply=sum\n r = f32[1024] rsqrt(s)\n"
                    " b = f32[1024,512] broadcast(r), dimensions={0}\n n = f32[1024,512] multiply(y, b)\n"
                    " e = f32[1024,256] dot(n, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    " f = f32[1024,256] dot(n, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    " ROOT t = (f32[1024,256], f32[1024,256]) tuple(e, f) }\n"),
            (Kernels{"add+reduce", "rsqrt", "dot", "dot"}));
}

TEST(Tpu, ACompilersEstimatesAreAddedUpRoundByRound) {
  const auto text = read_file(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/backend/tpu/scan_dot.hlo");
  ASSERT_TRUE(text.ok()) << text.error().text();
  const auto program = parse_program(*text);
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Hardware v5e = find_hardware("tpu-v5e").value();
  EXPECT_NEAR(*core_clock_hz(v5e), 1.503e9, 1e6);
  EXPECT_NEAR(*compiler_estimate_s(*program, v5e), 6 * (2381 + 4911) / 1.503e9, 1e-8);
  EXPECT_NEAR(*core_clock_hz(find_hardware("tpu-v6e").value()), 1.751e9, 1e6);
  EXPECT_FALSE(compiler_estimate_s(*program, find_hardware("h200").value()));
  EXPECT_FALSE(compiler_estimate_s(parsed("ENTRY e { ROOT x = f32[2] parameter(0) }\n"), v5e));
}

}  // namespace
}  // namespace shardscope::tpu_test
