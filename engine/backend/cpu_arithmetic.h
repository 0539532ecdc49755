// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"

namespace shardscope::inline backend {

// Arithmetic as XLA's compiler for CPUs writes it, where that decides what is one loop: who divides by
// numbers that are spread over an array multiplies by their inverses, computed once each; products that sum
// over nothing multiply element by element; what is larger than anything, or smaller, is not compared.
// `partitioned`: of a module for several devices, where only the first division by the same is one.
Computation in_plain_arithmetic(const Computation& computation, bool partitioned, FreshNames& fresh);

}  // namespace shardscope::inline backend
