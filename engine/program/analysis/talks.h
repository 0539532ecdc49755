// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Whether devices exchange something in a computation, or in what it runs.
bool talks(const Program& program, const Computation& computation);

}  // namespace shardscope::inline program
