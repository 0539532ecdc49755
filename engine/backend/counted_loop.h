// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// A loop over a tuple, one element of which counts its rounds from a constant to a constant: what
// jax.lax.scan and fori_loop become.
struct CountedLoop {
  ComputationId condition, body;
  size_t counter = 0;  // the element
  int64_t first = 0, step = 1, rounds = 0;
};

// The k-th instruction of `caller` as such; none: it is no loop, or its rounds are not found.
std::optional<CountedLoop> counted_loop(const Program& program, const Computation& caller, size_t k);

}  // namespace shardscope::inline backend
