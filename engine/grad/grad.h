// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline grad {

// What the backward pass keeps of the forward pass; the rest it computes again where it needs it.
//   none  all that it reads
//   dots  results of products, collectives, loops and branches
//   all   parameters, and of loops their results and the state of each round
enum class Remat : unsigned char { none, dots, all };
Result<Remat> parse_remat(const std::string& text);

struct GradRequest {
  std::string of;               // a result by its number ("0", "result.1"), or an instruction of the entry
  std::vector<std::string> by;  // parameters by name or number
  Remat remat = Remat::none;
  std::stop_token stop{};
  // Computations NAME.backward say the derivative of calls of NAME (program/registered.h); else NAME is
  // differentiated itself.
  bool own_backwards = true;
};

// Reverse mode: the module of the gradient of `of` by each of `by`, in that order. It has the parameters of
// the module; where `of` is no scalar its cotangent is one more, "OF.bar". On several devices of a module
// that is written for one the gradient is that of the sum over devices. Errors name the instruction that has
// no derivative.
Result<Program> gradient(const Program& module, const GradRequest& request);

}  // namespace shardscope::inline grad
