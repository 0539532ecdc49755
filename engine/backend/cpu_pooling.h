// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// The same without select-and-scatter, as XLA's SelectAndScatterExpander writes it: places by dimension go
// with the values through the windows, and the source is scattered to those that were selected.
Computation pooled_by_places(const Computation& computation, FreshNames& fresh);

}  // namespace shardscope::inline backend
