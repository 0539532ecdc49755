// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"

namespace shardscope::inline backend {

// Products of rows in groups (ragged-dot [m,k] · [groups,k,n]) as XLA writes them where a chip has no kernel
// of its own for them, on CPUs and GPUs: the rows once for each group, zeros where they are another one's,
// and one product over groups and k. It takes as many times the flops as there are groups.
Program grouped_products_as_one(Program program);

}  // namespace shardscope::inline backend
