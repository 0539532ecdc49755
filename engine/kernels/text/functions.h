// SPDX-License-Identifier: Apache-2.0
// What the functions of the language do.
#pragma once

#include <string>
#include <vector>

#include "engine/kernels/text/builtins.h"
#include "engine/kernels/text/lowering.h"

namespace shardscope::kernels {

struct Call {
  Evaluator& evaluator;
  const Expr& expression;
  std::vector<Value> given;     // by parameter; nothing where it was left out
  const std::string* declared;  // the name that what it makes is given to
};

Value call_builtin(int place, Call call);

// Errors fail in the evaluator.
Extent extent_of(Evaluator& evaluator, const TextPlace& place, const Value& shape);

}  // namespace shardscope::kernels
