// SPDX-License-Identifier: Apache-2.0
// Arrays as text, both ways: as numpy prints them, and as somebody types them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {

// What numpy's str() gives with its default options: eight digits, columns aligned, rows wrapped at 75
// characters, of more than 1,000 elements three at each end of each dimension.
std::string numpy_text(const Array& array);

// "3", "[[1,2],[3,4]]" (or with braces) as an array of the shape; one number fills it. Errors: another shape,
// numbers that the type does not have.
Result<Array> parse_array(std::string_view text, ElementType type, const std::vector<int64_t>& dims);

// "f32[2,3]".
std::string shape_words(ElementType type, const std::vector<int64_t>& dims);

}  // namespace shardscope::inline numerics
