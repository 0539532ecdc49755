// SPDX-License-Identifier: Apache-2.0
// Freivalds' check of a product: two products of a matrix and a vector instead of one of two matrices.
#pragma once

#include "engine/numerics/check/numerics.h"

namespace shardscope::inline numerics {

// Rows of Y·r against those of X·(W·r) for a few vectors r, in f64. Of exact data they are whole numbers and
// must be equal: a row with a wrong element is missed with a chance of at most 2^-40. Else r is ±1, and a row
// may be off by the sum of what its elements may be, so that errors smaller than that sum are not seen. The
// report is about rows, and says which of the two it was in `warnings`. Floats only: whole numbers of the
// problem's own wrap.
NumericsReport quick_check(const Array& result, const ProblemData& data, const Tolerance& tolerance,
                           const Workers& workers, const std::stop_token& stop);

// Whether the data's product can be checked like that.
bool has_quick_check(const MatmulProblem& problem);

}  // namespace shardscope::inline numerics
