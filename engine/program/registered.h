// SPDX-License-Identifier: Apache-2.0
// Operations that a user registers, as computations: NAME says what a custom-call of target NAME does,
// NAME.backward what becomes of cotangents: it takes the operands, then a cotangent for each array of the
// result, and gives one for each operand.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope {

inline constexpr std::string_view kBackward = ".backward";

// The computation of this name, or null.
const Computation* computation_named(const Program& program, std::string_view name);

// The module with calls in place of the custom-calls whose target is a computation of `library`, whose
// computations it then has too; `library` may be the module itself. Errors: a custom-call of other shapes
// than the operation takes.
Result<Program> with_operations(const Program& module, const Program& library);
// The same module, if it has such custom-calls of its own computations.
Result<Program> with_own_operations(Program module);

// Whether the signature of NAME.backward fits NAME's, for every NAME that has one.
Result<void> check_operations(const Program& library);

}  // namespace shardscope
