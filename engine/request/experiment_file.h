// SPDX-License-Identifier: Apache-2.0
// The TOML form of an experiment: everything that is asked, nothing of what came of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/toml.h"
#include "engine/request/experiment.h"

namespace shardscope::inline request {

struct Field;

Result<Experiment> parse_experiment(std::string_view toml, std::string_view file_name);
Result<Experiment> read_experiment(const TomlTable& root);  // of a file that has several
// A field's value as its text; nothing when the table does not say it.
Result<std::optional<std::string>> read_field_text(const TomlTable& table, const Field& field);
std::string experiment_toml(const Experiment& experiment);  // parse_experiment reads it back, equal

}  // namespace shardscope::inline request
