// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/kernels/program/kernel_entry.h"
#include "engine/kernels/program/options.h"

namespace shardscope::kernels {

// A Python program that runs the kernel with Pallas, TPU semantics, under JAX's interpreter, on the mesh and
// sizes of `options`, and says whether its arrays are those that the kernel has here (checksums on the inputs
// of seed 0, where its outputs are right on the schedule of seed 0). Errors: what Pallas cannot say, with its
// line.
Result<std::string> pallas_code(const KernelEntry& entry, const KernelOptions& options);

// A Python program that reads such a program from its standard input and writes the kernel's text, or
// line:column: what is wrong.
std::string_view pallas_reader();

}  // namespace shardscope::kernels
