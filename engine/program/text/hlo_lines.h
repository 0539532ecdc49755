// SPDX-License-Identifier: Apache-2.0
// Where names and shardings stand in a line of HLO text, without reading the module: for texts that are
// being edited.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope::inline program {

// Characters [begin, end) of a line.
struct TextSpan {
  size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};

// The name of the instruction that the line defines, without '%'; empty: it defines none.
std::string_view instruction_on(std::string_view line);
// The value of one of its attributes: of "sharding" with the braces.
std::optional<TextSpan> attribute_on(std::string_view line, std::string_view key);
std::optional<TextSpan> sharding_on(std::string_view line);
// The line with this sharding; "" takes the attribute away. A line without an instruction stays as it is.
std::string with_sharding(std::string_view line, std::string_view sharding);

}  // namespace shardscope::inline program
