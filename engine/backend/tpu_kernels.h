// SPDX-License-Identifier: Apache-2.0
// What XLA for TPUs makes one kernel of, as its compiled modules show it (libtpu's compiler, of programs
// compiled for v5e without a device).
#pragma once

#include "engine/backend/kernel_graph.h"

namespace shardscope::inline backend {

// What no kernel computes for its reader. Sums over rows are the root of their kernel: a softmax that stands
// alone goes over its rows three times. Functions (a root, a cosine) are not computed again for each of the
// rows that they are spread over, nor are masks. The exponential of a product's rows is written, beside its
// sum.
void keep_for_tpus(KernelGraph& graph);

// Puts products into the kernels around them: what follows element by element, with the sums of that; a
// softmax's maximum, exponential and sum behind the product of its rows; and what is read by products alone,
// computed anew by each (functions by one only).
void take_tpu_products(KernelGraph& graph);

}  // namespace shardscope::inline backend
