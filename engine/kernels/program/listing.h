// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/run/kernel/kernel_layout.h"

namespace shardscope::kernels {

// The kernel function, void …(Kernel& …), around line `line` (from 1) of the compiled-in source that `path`
// ends in, up to its closing brace in column 0. Without lines, and
// with first_line 1, when no such source is compiled in.
KernelListing listing_around(std::string_view path, int32_t line);

}  // namespace shardscope::kernels
