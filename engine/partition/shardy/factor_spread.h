// SPDX-License-Identifier: Apache-2.0
// One operation's arrays seen by its factors, and what their axes become when each factor is cut alike
// wherever it is.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/shardy/factor_rule.h"

namespace shardscope::inline partitioner {

// Which way a factor's axes may go.
enum class FactorDirection { none, forward, backward, both };

// How an array cuts one of its factors.
struct FactorAxes {
  AxisList axes;
  AxisList overflow;  // of its dimension, that do not fit the factor: nothing behind it can be cut
  bool closed = false;
  bool minor_most = true;  // of its dimension
};

// An array by factors; none where it does not have one.
struct ArrayByFactors {
  std::vector<std::optional<FactorAxes>> factors;
  AxisList replicated, unreduced;
  int64_t elements = 1;
};
ArrayByFactors by_factors(const FactorRule& rule, const FactorRule::Mapping& mapping, const ArrayAxes& array);
// The other way: the array's dimensions, closed as they were.
ArrayAxes by_dims(const FactorRule& rule, const FactorRule::Mapping& mapping, const ArrayByFactors& array,
                  const ArrayAxes& was);

// Cuts the factors further: each factor's axes are what all arrays agree on, the longest; where two factors
// want one axis of an array, the one whose axes come from the larger array gets it. Returns for each array
// whether it changed. Operands come first in `arrays`.
std::vector<bool> spread_factors(const FactorRule& rule, std::vector<ArrayByFactors>& arrays,
                                 const std::function<FactorDirection(size_t factor)>& direction);

}  // namespace shardscope::inline partitioner
