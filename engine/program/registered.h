// SPDX-License-Identifier: Apache-2.0
// Operations that a user registers, as computations: NAME says what a custom-call of target NAME does,
// NAME.backward what becomes of cotangents: it takes the operands, then a cotangent for each array of the
// result, and gives one for each operand.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

inline constexpr std::string_view kBackward = ".backward";

// What the root of NAME says among its frontend attributes is said of every call of NAME that does not say it
// itself: how NAME is sharded (in Shardy's words, "sdy.sharding_rule" or as custom-calls have it), and what
// it takes, of an operation of scalars for each element.
inline constexpr const char* kSaidRule = "xla.sdy.sharding_rule";
inline constexpr const char* kSaidFlops = "flops";
inline constexpr const char* kSaidBytes = "bytes";

struct OperationCost {
  std::optional<double> flops, bytes;
};
OperationCost operation_cost(const Instruction& call);
// Whether a call says how it is sharded or what it takes: then it is one kernel.
bool is_whole_call(const Instruction& call);
// Such a call as it stands in a partitioned program: a fusion that names its operation.
inline constexpr const char* kSaidOperation = "operation";
bool is_operation(const Instruction& fusion);

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

}  // namespace shardscope::inline program
