// SPDX-License-Identifier: Apache-2.0
// Operations of scalars, which apply to each element of arrays of any one shape: an optimiser's update is
// written once for all weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Whether it takes scalars alone, at least one.
bool takes_scalars(const Computation& operation);

// Which operands of a call are arrays, and of which dimensions.
struct ElementwiseCall {
  std::vector<bool> arrays;   // by operand
  std::vector<int64_t> dims;  // of all of them
};
// The operation element by element, called `name`; its results are arrays where they follow from one.
// Errors: what is no elementwise operation.
Result<Computation> applied_to_elements(const Computation& operation, const ElementwiseCall& call,
                                        std::string name);

}  // namespace shardscope::inline program
