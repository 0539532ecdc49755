// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grouped/grouped_run.h"

namespace shardscope::inline grouped {

// Of a stack of matrices [groups, rows, columns], those of groups [first, first + count).
Array own_matrices(const Array& all, int64_t first, int64_t count);

// A left operand [rows, columns] as the problem fills them.
Array filled_matrix(ElementType type, std::vector<int64_t> dims, const GroupedProblem& problem,
                    const Workers& workers);

}  // namespace shardscope::inline grouped
