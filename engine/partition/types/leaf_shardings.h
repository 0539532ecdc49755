// SPDX-License-Identifier: Apache-2.0
// An instruction's arrays, its own or a tuple's, and what the module says of how each is cut.
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// The shardings of the leaves of an instruction's shape: its own, or replicated.
Result<std::vector<HloSharding>> leaf_shardings(const Instruction& instruction);
// Whether it has any.
bool has_sharding(const Instruction& instruction);
// One of each leaf, instead of what it had, in whatever words.
void put_shardings(std::vector<HloSharding> leaves, Instruction& instruction);
size_t leaf_count(const Shape& shape);
std::vector<Shape> leaves_of(const Shape& shape);
const Shape& nth_leaf(const Shape& shape, size_t n);  // n < leaf_count

}  // namespace shardscope::inline partitioner
