// SPDX-License-Identifier: Apache-2.0
// Where a function's arguments and their shardings stand in a line of StableHLO, without reading the module:
// for texts that are being edited.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/program/text/hlo_lines.h"

namespace shardscope::inline program {

struct MlirLineArgument {
  std::string_view name;               // "arg0"
  TextSpan whole;                      // from its '%' to the end of its type and attributes
  std::optional<TextSpan> attributes;  // with the braces
  size_t type_end = 0;
};
// Those of the function that a line opens; none on other lines.
std::vector<MlirLineArgument> mlir_arguments_on(std::string_view line);

// The line with this attribute, "sdy.sharding = …" or "mhlo.sharding = …", as the argument's only sharding;
// "" takes it away. A line without the argument stays as it is.
std::string with_argument_sharding(std::string_view line, std::string_view argument,
                                   std::string_view attribute);
// The value of either attribute as written.
std::optional<std::string> argument_sharding_on(std::string_view line, std::string_view argument);
// "mesh" of "sdy.mesh @mesh = …".
std::optional<std::string_view> mlir_mesh_on(std::string_view line);

}  // namespace shardscope::inline program
