// SPDX-License-Identifier: Apache-2.0
// Products of bf16 in the CPU's own units for them: the matrix unit (Intel AMX) or vectors (AVX512_BF16).
// Both multiply pairs of k exactly and add them up in f32, so sums of small integers are exact as they are in
// the other kernels; where something rounds, they differ. Subnormal numbers count as zero there.
#pragma once

#include "engine/numerics/product/micro_kernel.h"

namespace shardscope::inline numerics {

bool has_avx512_bf16();
bool has_amx_bf16();  // the CPU has it, and the operating system lets this process use it

// Their panels are those of bf16_panels.h.
MicroKernel<Bf16> avx512_bf16_kernel();
MicroKernel<Bf16> amx_kernel();

}  // namespace shardscope::inline numerics
