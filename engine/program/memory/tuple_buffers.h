// SPDX-License-Identifier: Apache-2.0
// The buffers of a value in a row: of a tuple its table of places, then those of its elements, each likewise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// An array of a shape by what leads there: {1, 0} is element 0 of element 1, {} all of it.
using LeafPath = std::vector<int64_t>;

// Tables and arrays; of an array 1.
size_t buffer_count(const Shape& shape);
// Where element `which` of a tuple begins.
size_t buffer_place(const Shape& tuple, int64_t which);
// Of the buffers of a tuple those of that element; all of them where it is no tuple of so many.
std::vector<int32_t> buffers_of_element(const Shape& tuple, const std::vector<int32_t>& buffers,
                                        int64_t which);
// Where the array stands that a path leads to; none: it leads nowhere or to a tuple.
std::optional<size_t> buffer_at(const Shape& shape, const LeafPath& path);

}  // namespace shardscope::inline program
