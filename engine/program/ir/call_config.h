// SPDX-License-Identifier: Apache-2.0
// What a custom-call is told, in backend_config.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

// Of the typed interface, {uplo = 76 : ui8, lower = true}: the text behind the key without its type; empty:
// it is not told.
std::string_view call_option(const Instruction& custom_call, std::string_view key);
std::optional<int64_t> call_number(const Instruction& custom_call, std::string_view key);  // true is 1

// Of any writing, JSON among them: the text behind `key` and what separates it from a value; empty: it has no
// such key.
std::string_view config_behind(const Instruction& i, std::string_view key);
// The next number of such a text, over quotes, blanks, colons and brackets of whichever writing.
std::optional<double> number_at(std::string_view text);
// "lhs_contracting_dimensions":["1"], of an array of so many dimensions; none: it does not say.
std::optional<std::vector<int64_t>> config_dims(const Instruction& i, std::string_view key, size_t rank);

}  // namespace shardscope::inline program
