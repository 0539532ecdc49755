// SPDX-License-Identifier: Apache-2.0
// How Shardy's passes split one product of matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/sharding/split_step.h"

namespace shardscope {

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

// insert-explicit-reshards: of all the splits that the three arrays say the factor's of the largest arrays is
// taken first, until none is left that fits; then reshard-to-collectives, where a sum of which each device
// keeps a part becomes a reduce-scatter.
ProductSteps shardy_product(const ProductSplits& said, const Mesh& mesh);

}  // namespace shardscope
