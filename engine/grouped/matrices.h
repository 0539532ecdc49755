// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/numerics/array.h"

namespace shardscope {

// Of a stack of matrices [groups, rows, columns], those of groups [first, first + count).
Array own_matrices(const Array& all, int64_t first, int64_t count);

}  // namespace shardscope
