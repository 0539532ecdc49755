// SPDX-License-Identifier: Apache-2.0
// A run opened down into the chip: which kernel stands for an instruction.
#include "engine/kernels/time/stand_in.h"

#include <gtest/gtest.h>

#include "engine/kernels/catalogue/catalogue.h"
#include "engine/program/analysis/analysis.h"
#include "engine/strategies/strategy.h"

namespace shardscope::kernels::stand_in_test {
namespace {

Program program_of(const std::string& strategy, const std::string& mesh) {
  const MatmulProblem problem{512, 1024, 2048, ElementType::bf16, ElementType::f32};
  const Result<Program> program = (*find_strategy(strategy))->plan(*Mesh::parse(mesh), problem, {});
  EXPECT_TRUE(program.ok());
  return *program;
}

const StandInTime* first_of(const std::vector<StandInTime>& times, const std::string& kernel) {
  for (const StandInTime& time : times) {
    if (time.kernel.kernel == kernel) return &time;
  }
  return nullptr;
}

TEST(StandIns, ADotIsATiledProductOfItsLocalSizes) {
  const Program program = program_of("collective.os", "row=2,col=4");
  const auto times = *stand_in_times(program, *find_hardware("tpu-v5e"));
  const StandInTime* dot = first_of(times, "matmul.tiled");
  ASSERT_NE(dot, nullptr);
  const KernelOptions& options = dot->kernel.options;
  EXPECT_EQ(*options.m * *options.k * *options.n, int64_t{512} * 1024 * 2048 / 8);
  const KernelProgram built = *build_kernel(*find_kernel("matmul.tiled"), options);
  EXPECT_LE(built.peak_vmem, options.vmem_limit);
  EXPECT_GT(dot->time, 0);
}

TEST(StandIns, AGatherIsARingKernelOfItsShard) {
  const Program program = program_of("collective.os", "row=2,col=4");
  const auto times = *stand_in_times(program, *find_hardware("tpu-v5e"));
  int gathers = 0;
  for (const StandInTime& time : times) {
    if (time.kernel.kernel.rfind("ag.", 0) != 0) continue;
    ++gathers;
    const Shape& shard =
        program.entry_computation().at(program.entry_computation().at(time.instruction).operands[0]).shape;
    EXPECT_EQ(*time.kernel.options.rows * *time.kernel.options.cols, shard.element_count());
    EXPECT_GT(time.kernel.options.mesh.device_count(), 1);
  }
  EXPECT_EQ(gathers, 2);
}

TEST(StandIns, WhatNoKernelStandsForSaysWhy) {
  const Program program = program_of("collective.os", "row=2,col=4");
  const auto parameter = stand_in(program, InstructionId(0));
  EXPECT_FALSE(parameter.ok());
}

}  // namespace
}  // namespace shardscope::kernels::stand_in_test
