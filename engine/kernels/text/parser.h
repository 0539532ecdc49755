// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

inline constexpr size_t kMostKernelText = size_t{256} << 10;  // letters

// What can be read of a text, and all that is wrong with it, from top to bottom.
struct ParsedKernel {
  KernelText text;
  std::vector<TextProblem> problems;
};
ParsedKernel parse_kernel_lines(std::string_view text);

// Errors: the first problem, at `file`:line:column.
Result<KernelText> parse_kernel_text(std::string_view text, std::string_view file);
Error problem_error(const TextProblem& problem, std::string_view file);

}  // namespace shardscope::kernels
