// SPDX-License-Identifier: Apache-2.0
// The kernels themselves, by family; each function's own text is its listing.
#pragma once

#include "engine/kernels/program/builder.h"

namespace shardscope::kernels {

void ag_ring(Kernel& k);
void ag_ring_one_semaphore(Kernel& k);
void ag_ring_no_barrier(Kernel& k);
void ag_bidi_halves(Kernel& k);
void ag_bidi_whole(Kernel& k);
void ag_bidi_seed(Kernel& k);
void permute(Kernel& k);

void ar_one_hop(Kernel& k);
void ar_seed(Kernel& k);
void ar_two_slot(Kernel& k);
void ar_two_slot_no_capacity(Kernel& k);
void rs_bidi(Kernel& k);

void matmul_tiled(Kernel& k);
void matmul_tiled_as_written(Kernel& k);
void ag_matmul_fused_seed(Kernel& k);
void ag_matmul_fused(Kernel& k);
void slow_ag_gemm_ar(Kernel& k);

}  // namespace shardscope::kernels
