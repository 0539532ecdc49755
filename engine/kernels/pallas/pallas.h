// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/kernels/program/kernel_entry.h"
#include "engine/kernels/program/options.h"

namespace shardscope::kernels {

// A Python program that runs the kernel with Pallas, TPU semantics, under JAX's interpreter, on the mesh and
// sizes of `options`, and says whether its arrays are those that the kernel has here (checksums on the inputs
// of seed 0, where its outputs are right on the schedule of seed 0). Errors: what Pallas cannot say, with its
// line.
Result<std::string> pallas_code(const KernelEntry& entry, const KernelOptions& options);

// A Python program that runs the kernel with Mosaic GPU: peer memory, semaphores, TMA, wgmma; it also lowers
// it without a GPU (--lower). Errors: what that dialect cannot say, with its line.
Result<std::string> mosaic_gpu_code(const KernelEntry& entry, const KernelOptions& options);

// A Python program that reads such a program, or one that a person wrote, from its standard input and writes
// the kernel's text, or line:column: what is wrong. Its arguments: which of several kernels, and by what its
// outputs are judged; both may be empty.
std::string pallas_reader();

}  // namespace shardscope::kernels
