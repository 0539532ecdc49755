// SPDX-License-Identifier: Apache-2.0
// What XLA for GPUs does in a product's own kernel behind it (GemmFusion's way to the users, GemmRewriter's
// epilogues).
#pragma once

#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// A number, or a vector that is not computed, spread.
bool is_spread(const Computation& computation, InstructionId id);
// An argument or a constant, seen in another shape.
bool is_given_array(const Computation& computation, InstructionId id);

// Places behind a product that each alone read the one before: work by element with numbers, vectors and
// arguments beside it, nothing that makes more bytes of fewer, and views in between. The last one is no view.
std::vector<size_t> behind_product(const Computation& computation,
                                   const std::vector<std::vector<size_t>>& readers, size_t product);

// How many of these places a library does as well, from the first on: a factor, then a vector that is added,
// then what is cut off at zero; rounding anywhere.
size_t done_by_library(const Computation& computation, size_t product, const std::vector<size_t>& behind);

// By place whether it stands behind a product in this sense.
std::vector<bool> stand_behind_products(const Computation& computation,
                                        const std::vector<std::vector<size_t>>& readers);

}  // namespace shardscope::inline backend
