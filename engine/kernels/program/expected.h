// SPDX-License-Identifier: Apache-2.0
// What the outputs of a kernel should hold. Buffers go by their names: input "x" and output "out" of
// collectives; "a", "b" and "out" of products. Rings are the groups along the mesh's first axis.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/program/data.h"

namespace shardscope::kernels {

// What a kernel's text names behind `result`.
struct ExpectedResult {
  std::string_view name;
  std::string_view says;  // one sentence
  KernelData (*expected)(const KernelProgram& program, const KernelData& inputs) = nullptr;
};
const std::vector<ExpectedResult>& expected_results();
const ExpectedResult* expected_result(std::string_view name);  // null: there is none
// Errors: buffers that it judges are missing, or have other sizes than it gives.
Result<void> check_expected(const KernelProgram& program, std::string_view name);

KernelData expect_gathered(const KernelProgram& program, const KernelData& inputs);  // rows, in ring order
KernelData expect_summed(const KernelProgram& program, const KernelData& inputs);
KernelData expect_scattered(const KernelProgram& program, const KernelData& inputs);  // own rows of the sum
KernelData expect_permuted(const KernelProgram& program,
                           const KernelData& inputs);                               // from the left neighbour
KernelData expect_product(const KernelProgram& program, const KernelData& inputs);  // a · b of each device
// The a of all devices on the ring, one below the other, times this device's b.
KernelData expect_gathered_product(const KernelProgram& program, const KernelData& inputs);
// Device (x, y) of a grid: a · (the rows of b that device (y, ·) holds).
KernelData expect_block_product(const KernelProgram& program, const KernelData& inputs);
// Device (x, y): rows x of the whole product, a and b gathered.
KernelData expect_whole_product(const KernelProgram& program, const KernelData& inputs);

}  // namespace shardscope::kernels
