// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

// The text of a kernel as this house writes it: parsed again it is equal.
std::string print_kernel(const KernelText& text);
std::string print_expression(const KernelText& text, const Expr& expression);

}  // namespace shardscope::kernels
