// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Operations of the vector units in a fused computation: an element is computed as often as its readers ask
// for it, but what is reduced along whole rows once a row. Of transcendental functions several each.
double recomputed_operations(const Computation& fused);

}  // namespace shardscope::inline backend
