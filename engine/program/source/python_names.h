// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope::inline program {

// Names of one scope of Python, each given once: identifiers that are no keyword and none of those that the
// scope already has.
class PythonNames {
 public:
  explicit PythonNames(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}
  // "collective-permute.1" is collective_permute_1; with a further _2 when that is taken.
  std::string name(std::string_view text);

 private:
  std::set<std::string> taken_;
};

// In double quotes, as Python reads it.
std::string python_string(std::string_view text);
// "(1, 2)", "(1,)", "()".
std::string python_tuple(const std::vector<int64_t>& values);
std::string python_tuple(const std::vector<std::string>& parts);

}  // namespace shardscope::inline program
