// SPDX-License-Identifier: Apache-2.0
// Products of bf16 in the CPU's matrix unit (Intel AMX): pairs of k are multiplied exactly and added up in
// f32, so sums of small integers are exact as they are in the other kernels. Subnormal numbers count as zero
// there.
#pragma once

#include <cstdint>

#include "engine/numerics/array/matrix_view.h"
#include "engine/numerics/product/micro_kernel.h"

namespace shardscope {

// The CPU has it, and the operating system lets this process use it.
bool has_amx_bf16();

inline constexpr int64_t kAmxSide = 32;   // rows and columns of what one call makes: four tiles
inline constexpr int64_t kAmxDepth = 32;  // of k that one tile holds

MicroKernel<Bf16> amx_kernel();

// Rows [row, row + kAmxSide) and columns [k, k + depth) of a bf16 matrix as the left or the right operand's
// panel, of kAmxSide elements for each of the columns rounded up to kAmxDepth; what is beyond the matrix is
// zero.
void pack_amx_left(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel);
void pack_amx_right(const MatrixView& matrix, int64_t row, int64_t k, int64_t depth, Bf16* panel);

}  // namespace shardscope
