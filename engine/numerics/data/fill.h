// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"
#include "engine/program/ir/problem.h"
#include "engine/request/experiment.h"

namespace shardscope::inline numerics {

enum class Operand { lhs, rhs };

bool has_jax_fill(ElementType type);  // bf16, f16 and f32

// X[m,k] or W[k,n] of `problem`. Element i is a function of (fill, seed, operand, i) alone: the bits do not
// depend on the number of threads.
// integers: in [-8, 8], which every type holds; where sums or results are narrow floats (see
//   needs_sparse_integers) X in {-1,0,1} and W in {-1,0,1} with at most 256 non-zeros in a column, so that
//   every partial sum is an integer that bf16 holds.
// normal: N(0,1) by Box and Muller (1958) from SplitMix64 of the element's number (Steele et al., "Fast
// splittable
//   pseudorandom number generators", 2014).
// jax: jax.random.normal(key, shape, dtype) with the first (X) or second (W) key of
//   jax.random.split(jax.random.key(seed)); only where has_jax_fill.
// ramp: i as the type holds it, modulo their range for integers. arange: the same, of floats divided by the
//   number of elements.
Array make_fill(const MatmulProblem& problem, Fill fill, uint64_t seed, Operand operand,
                const Workers& workers);

}  // namespace shardscope::inline numerics
