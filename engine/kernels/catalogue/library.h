// SPDX-License-Identifier: Apache-2.0
// The kernels themselves, by family: a file's last function gives its rows, and each kernel's own text is its
// listing.
#pragma once

#include <vector>

#include "engine/kernels/program/builder.h"
#include "engine/kernels/program/expected.h"
#include "engine/kernels/program/kernel_entry.h"

namespace shardscope::kernels {

using Kernels = std::vector<KernelEntry>();
Kernels gather_kernels, bidirectional_kernels, reduce_kernels, permute_kernels, product_kernels,
    chain_kernels;

}  // namespace shardscope::kernels
