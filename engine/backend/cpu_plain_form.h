// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// The same as XLA's compiler for CPUs simplifies it before it looks at arrays: products read matrices that
// are transposed for them as they lie (its TransposeFolding), a scatter of one window is an update
// (ScatterExpander), a convolution in groups of batches is one of all with all, of which each group's block
// is kept (ConvolutionGroupConverter).
// `late`: the names of products that XLA writes behind all others, so that they come last of what reads the
// same, are added to it.
Computation in_plain_form(const Program& program, const Computation& computation, FreshNames& fresh,
                          std::set<std::string>& late);

}  // namespace shardscope::inline backend
