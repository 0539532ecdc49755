// SPDX-License-Identifier: Apache-2.0
// Which parameters' memory results take: a module's input_output_alias and buffer_donor.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

inline constexpr std::string_view kAliases = "input_output_alias";
inline constexpr std::string_view kDonors = "buffer_donor";

// Places are paths into tuples; empty: the whole.
struct InputOutputAlias {
  std::vector<int64_t> result;
  int64_t parameter = 0;
  std::vector<int64_t> place;
  bool operator==(const InputOutputAlias&) const = default;
};
// "{ {0}: (0, {0}, may-alias), {1}: 2 }" of kAliases; "{ (0, {0}) }" of kDonors, whose results are empty.
Result<std::vector<InputOutputAlias>> read_aliases(std::string_view key, std::string_view value);
// Those that a module says, in its order.
std::vector<InputOutputAlias> aliases_of(const Program& module);

}  // namespace shardscope::inline program
