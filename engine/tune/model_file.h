// SPDX-License-Identifier: Apache-2.0
// Model files: presets/models/*.toml. `hidden = d` alone stands for a transformer block's four products,
// d→3d, d→d, d→4d and 4d→d; [[layer]] tables (name, inputs, outputs, residual) say them one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/study/tuning.h"

namespace shardscope::inline tuner {

Result<TuneModel> parse_model(std::string_view toml, std::string_view file_name);
std::vector<std::string> model_preset_names();
// A preset's name or the path of a file.
Result<TuneModel> find_model(std::string_view name_or_path);

}  // namespace shardscope::inline tuner
