// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/parallel.h"
#include "engine/numerics/array/array.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// A matrix with elements in {-1,0,1}, at most `terms` of them not 0 in any row or column. Element (i,j) is a
// function of (seed, i, j) alone.
Array sparse_matrix(ElementType type, int64_t rows, int64_t columns, int64_t terms, uint64_t seed,
                    const Workers& workers);

// The largest such `terms`, a power of two, for which no partial sum of the chain that `program` defines is
// larger than `limit`, by the bound |A·B| <= |A|·|B|·min(summed, terms when A or B is an input). 0 when even
// single terms are too many.
Result<int64_t> largest_terms(const Program& program, double limit);

}  // namespace shardscope::inline numerics
