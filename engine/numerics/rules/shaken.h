// SPDX-License-Identifier: Apache-2.0
// How far roundings can carry a program's results: each rounded once more, to a neighbour (after D. S.
// Parker, Monte Carlo Arithmetic, 1997).
#pragma once

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// The neighbour of a value that rounding could as well have given: which, its bits decide, so that equal
// values stay equal wherever they are made. Short numbers (whole ones, halves) are no roundings and stay.
double shaken(double value);

// To be called after each executed instruction: shakes what it made in f64 or c128 by rounding.
Result<void> shake(Step& executed);

}  // namespace shardscope::inline numerics
