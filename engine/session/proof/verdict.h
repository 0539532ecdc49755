// SPDX-License-Identifier: Apache-2.0
// Whether two programs compute the same, judged in f64, where roundings hide nothing.
#pragma once

#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"

namespace shardscope::inline session {

// Results of the module in f64, and what they are where roundings are others: with arguments that are one
// unit in the last place off, with each operation rounded to a neighbour.
struct ExactResults {
  std::vector<Array> leaves;
  std::vector<std::vector<Array>> moved{};  // [way to move them][leaf]
};

// The first leaf in which `got` is further from the exact results than f64's roundings explain.
struct ExactDifference {
  bool differs = false;
  size_t leaf = 0;
  double largest = 0;           // by which an element differs
  std::vector<size_t> noise{};  // leaves that differ by no more than roundings move them
};
ExactDifference differ(const std::vector<Array>& got, const ExactResults& exact);

// ‖a − b‖ / ‖b‖ over all finite elements; 0 where both are 0.
double relative_error(const Array& a, const Array& b);

// The array with every float moved up or down by a unit in the last place of `type`, at random.
Array moved_by_one_unit(const Array& array, ElementType type, uint64_t seed);

}  // namespace shardscope::inline session
