// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/study/error_growth.h"

namespace shardscope::inline numerics {

// Adds up products of N(0,1) values stored in bf16 in every mode, for each length of `ks`, and compares with
// the sum in f64. The lengths are multiples of 16 (so that 16 partial sums are equally long), at most 2^20.
// The same numbers on any number of threads.
Result<ErrorGrowth> measure_error_growth(const std::vector<int64_t>& ks, uint64_t seed,
                                         const Workers& workers, std::stop_token stop);

// "16..16384": the powers of two from the first to the last, both at least 16; or a list, "16,64,256".
Result<std::vector<int64_t>> parse_growth_lengths(const std::string& text);

// RMS error of rounding N(0,1) values to `bits` bits of significand: every value between two powers of two is
// off by up to half the spacing there, evenly. 1.66e-3 for bf16's 8 bits.
double rounding_error(int bits);

}  // namespace shardscope::inline numerics
