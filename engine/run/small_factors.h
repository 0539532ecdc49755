// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope::inline run {

// The elements of X[m,k] and W[k,n], row-major, of a run whose arrays are small enough to be read number by
// number.
struct SmallFactors {
  std::vector<double> lhs, rhs;
  bool operator==(const SmallFactors&) const = default;
};
inline constexpr int64_t kMostSmallElements = 4096;  // of X, W and Y together

}  // namespace shardscope::inline run
