// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline session {

// A compiled-in module as HLO text.
struct HloPreset {
  std::string name;   // "mlp"
  std::string title;  // the first line of its comment
  std::string text;
  std::string stablehlo;  // the same module as frameworks print it today; "" where none prints it
};
std::vector<HloPreset> hlo_presets();  // by name

// The text of a compiled-in module by its name, in StableHLO as "mlp.mlir", or of a file.
Result<std::string> find_module(const std::string& name_or_path);
bool is_module_name(const std::string& name);

// The text of operations that somebody names: a compiled-in file of presets/operations, "adam", or the path
// of one. Errors: there is neither.
Result<std::string> find_operations(const std::string& name_or_path);

}  // namespace shardscope::inline session
