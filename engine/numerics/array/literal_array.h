// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/numerics/array/array.h"

namespace shardscope::inline numerics {

// The array that an HLO literal says: "3", "{ {1, -inf}, {nan(0x400001), 2} }", "{(1, 2)}", "{true}". Every
// bit as written: integers of 64 bits, what is no number with its own. None: no text of so many elements of
// the type.
std::optional<Array> literal_array(std::string_view literal, ElementType type, std::vector<int64_t> dims);

}  // namespace shardscope::inline numerics
