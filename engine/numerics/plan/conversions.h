// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// A scheduled module whose instructions read or write another precision than they compute in (XLA:TPU leaves
// such conversions out) with these as instructions of their own: operands become what the called computation
// takes, else the widest type among operands and result; the result is rounded to its own type at the end.
// Products keep their factors as they are. None: there is no such instruction.
std::optional<Program> with_conversions(const Program& program);

}  // namespace shardscope::inline numerics
