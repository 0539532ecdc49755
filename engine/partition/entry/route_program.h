// SPDX-License-Identifier: Apache-2.0
// An array that goes from one split to another step by step, as a program of its own.
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/partition/types/partitioned.h"
#include "engine/sharding/product_steps.h"

namespace shardscope::inline partitioner {

struct RouteArray {
  const Mesh& mesh;
  Shape shape;  // of the whole array
  Combining combining = Combining::sum;
};

// What every device does, and what it means: the module is the array itself. Partial results are a dimension
// of their own in front, over which the module reduces; where they are left in the end the program combines
// them behind the last step, so that there is something to compare. `steps` lead from `from` on.
Result<Partitioned> route_stage(const RouteArray& array, const AxisSplit& from,
                                const std::vector<SplitStep>& steps);

// The step alone. No verify: it is what route_stage writes.
Program step_program(const RouteArray& array, const SplitStep& step);

// A product whose operands go to where they are multiplied step by step, and whose result goes from there.
struct ProductArrays {
  const Mesh& mesh;
  ElementType type = ElementType::f32;
  ProductSplits said;
};
Result<Partitioned> product_stage(const ProductArrays& product, const ProductSteps& steps);

}  // namespace shardscope::inline partitioner
