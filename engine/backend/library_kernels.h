// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/backend/kernel.h"

namespace shardscope::inline backend {

// Whether XLA's compiler for CPUs gives a reduction to its library (YNNPACK): sums, largest and smallest ones
// of 4096 elements and more. It is not cut into steps.
bool is_librarys_reduction(const Program& program, const Computation& computation,
                           const Instruction& instruction);

// Whether that library computes a product of matrices whose left one lies in rows of what is summed.
bool is_librarys_product(const Computation& computation, const Instruction& instruction);

// The kernels of that library: each such reduction, with the long elementwise work and the products that are
// for it alone, and what is done with its result alone. By place whether it stands in one, of one member too.
struct LibraryKernels {
  std::vector<Kernel> kernels;  // of more than one member
  std::vector<bool> taken;
};
LibraryKernels library_kernels(const Program& program, const Computation& computation);

}  // namespace shardscope::inline backend
