// SPDX-License-Identifier: Apache-2.0
// The kernels that come with Shardscope. A broken one stays as a lesson, beside the one that mends it.
#pragma once

#include <string_view>
#include <vector>

#include "engine/kernels/program/kernel_entry.h"

namespace shardscope::kernels {

const std::vector<KernelEntry>& catalogue();
Result<KernelEntry> find_kernel(std::string_view id);

// The kernel on options.mesh. Errors: a mesh with too few axes, sizes that it refuses.
Result<KernelProgram> build_kernel(const KernelEntry& entry, const KernelOptions& options);

}  // namespace shardscope::kernels
