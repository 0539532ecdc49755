// SPDX-License-Identifier: Apache-2.0
// Elements from one type to another, and work on long arrays cut in stretches.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"
#include "engine/numerics/array/loops.h"

namespace shardscope::inline numerics {

// Rounds to nearest even, or cuts off towards zero for integers, which hold the nearest they have of a float
// and wrap others; a complex number becomes its real part.
void convert_elements(ElementType from, const std::byte* in, ElementType to, std::byte* out, int64_t count);

// Elements [first, first + count) of an array.
std::vector<double> as_f64(const Array& array, int64_t first, int64_t count);

// The same numbers bit for bit, and every one of them finite: they differ by 0 and by nothing else.
bool equal_and_finite(const Array& a, const Array& b);

// Calls body(array, first, count) for stretches of arrays of `elements` elements each, on all workers.
using StretchBody = std::function<void(size_t array, int64_t first, int64_t count)>;
void for_stretches(size_t arrays, int64_t elements, const Workers& workers, const std::stop_token& stop,
                   const StretchBody& body);
// The same as one of the loops of an execution.
void for_stretches(size_t arrays, int64_t elements, Loops& loops, StretchBody body);

}  // namespace shardscope::inline numerics
