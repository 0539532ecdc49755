// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace shardscope {

// A compiled-in module as HLO text.
struct HloPreset {
  std::string name;   // "mlp"
  std::string title;  // the first line of its comment
  std::string text;
  std::string stablehlo;  // the same module as frameworks print it today; "" where none prints it
};
std::vector<HloPreset> hlo_presets();  // by name

}  // namespace shardscope
