// SPDX-License-Identifier: Apache-2.0
// A text of several modules: which of them is read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline program {

// With what belongs to it before and behind.
struct OneModule {
  std::string_view name;
  size_t start = 0, end = 0;
};

struct ChosenModule {
  size_t start = 0, end = 0;
  std::vector<std::string> others{};  // names, in the text's order
};
// The part called `wanted`, the first where that is empty. Errors: none is called so.
Result<ChosenModule> choose_module(const std::vector<OneModule>& parts, std::string_view wanted,
                                   std::string_view file_name);

}  // namespace shardscope::inline program
