// SPDX-License-Identifier: Apache-2.0
// Which fusions can stand as one piece of work, and which are arithmetic on numbers that loops count with.
#pragma once

#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// By computation: whether a fusion of it is one piece of work: it holds no collective, loop, branch or call.
std::vector<bool> fusions_to_keep(const Program& program);

// The computation with fusions of scalars alone written out in it, so that what a loop counts can be
// computed.
Computation without_scalar_fusions(const Program& program, const Computation& computation);

}  // namespace shardscope::inline program
