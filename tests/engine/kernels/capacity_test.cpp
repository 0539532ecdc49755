// SPDX-License-Identifier: Apache-2.0
// Memories hold what they hold: each one that overflows is a finding of its own, to the byte.
#include "engine/kernels/time/sweep.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::capacity_test {
namespace {

void all_memories(Kernel& k) {
  k.scratch("big", MemorySpace::hbm, 64, 128);
  k.scratch("tile", MemorySpace::vmem, 8, 128);
  k.scratch("counts", MemorySpace::smem, 1, 16, ElementType::f32);
  k.dma_semaphores("recv", 3);
}

std::vector<KernelFinding> defects_with(const KernelOptions& options) {
  const Result<KernelProgram> program = build_kernel("test", all_memories, options);
  EXPECT_TRUE(program.ok());
  return program->defects;
}

TEST(Capacities, WhatFitsToTheByteIsNoFinding) {
  KernelOptions options;
  options.hbm_limit = 64 * 128 * 4;
  options.vmem_limit = 8 * 128 * 4;
  options.smem_limit = 16 * 4;
  options.semaphore_limit = 3;
  EXPECT_TRUE(defects_with(options).empty());
  EXPECT_TRUE(defects_with(KernelOptions{}).empty()) << "no limit is known";
}

TEST(Capacities, EachMemoryOverflowsByItself) {
  struct Case {
    FindingKind kind;
    KernelOptions options;
    std::string missing;
  };
  std::vector<Case> cases(4);
  cases[0] = {FindingKind::hbm_overflow, {}, "1 bytes of hbm, or smaller arrays"};
  cases[0].options.hbm_limit = 64 * 128 * 4 - 1;
  cases[1] = {FindingKind::vmem_overflow, {}, "96 bytes of vmem, or smaller tiles"};
  cases[1].options.vmem_limit = 4000;
  cases[2] = {FindingKind::smem_overflow, {}, "32 bytes of smem, or scalars alone: arrays belong in vmem"};
  cases[2].options.smem_limit = 32;
  cases[3] = {FindingKind::semaphore_overflow, {}, "1 semaphores less, each used again once it is 0"};
  cases[3].options.semaphore_limit = 2;
  for (const Case& one : cases) {
    const std::vector<KernelFinding> defects = defects_with(one.options);
    ASSERT_EQ(defects.size(), 1U) << name(one.kind);
    EXPECT_EQ(defects[0].kind, one.kind);
    EXPECT_EQ(defects[0].missing, one.missing);
  }
}

// Calls that follow each other have vmem in turn: the chain needs as much as the call that needs most.
TEST(Capacities, CallsAfterEachOtherDoNotAddUp) {
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  options.dtype = ElementType::bf16;
  options.m = 2048;
  options.k = 2048;
  options.n = 1024;
  options.bm = options.bk = options.bn = 1024;
  options.vmem_limit = int64_t{32} << 20;
  const Result<KernelProgram> chain = build_kernel(*find_kernel("slow_ag_gemm_ar"), options);
  ASSERT_TRUE(chain.ok()) << chain.error().text();
  const int64_t tile = 1024 * 1024 * 2;
  // Partial products and their sums are f32: two tiles of bf16 each.
  const int64_t product = 2 * (2 * tile + 2 * tile) + 2 * tile, all_reduce = 3 * 2 * tile;
  EXPECT_EQ(chain->peak_vmem, std::max(product, all_reduce));
  EXPECT_TRUE(chain->defects.empty()) << chain->defects.front().message;
}

TEST(Capacities, ASweepSaysWhichMemoryAPointDoesNotFit) {
  KernelOptions options;
  options.hbm_limit = 3 * 256 * 256 * 4;
  const auto points = *sweep_kernel(
      *find_kernel("matmul.tiled"), options,
      {*parse_kernel_axis("m=256,512"), *parse_kernel_axis("k=256"), *parse_kernel_axis("n=256")},
      *find_hardware("tpu-v5e"));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_TRUE(points[0].time.has_value()) << points[0].error;
  EXPECT_FALSE(points[1].time.has_value());
  EXPECT_EQ(points[1].error, "buffers in hbm take 1310720 bytes, the limit is 786432");
}

}  // namespace
}  // namespace shardscope::kernels::capacity_test
