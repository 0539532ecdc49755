// SPDX-License-Identifier: Apache-2.0
// The steps of a product of matrices on devices.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sharding/split_step.h"

namespace shardscope::inline sharding {

// X[m,k] W[k,n] = Y[m,n] on devices: how operands and result lie while they are multiplied, each axis on one
// of m, k and n; along those of k the result is partial sums.
struct SplitProduct {
  AxisSplit lhs, rhs, result;
  bool operator==(const SplitProduct&) const = default;
};
SplitProduct local_product(const AxisParts& m, const AxisParts& k, const AxisParts& n);

// The steps of each array to there and of the result from there.
struct ProductSteps {
  SplitProduct local;
  std::vector<SplitStep> lhs, rhs, result;
};

struct ProductSplits {
  AxisSplit lhs, rhs, result;
  std::vector<int64_t> sizes;  // m, k, n
};

}  // namespace shardscope::inline sharding
