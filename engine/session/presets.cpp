// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/session/session.h"

namespace shardscope {

std::span<const EmbeddedFile> experiment_preset_files();

std::vector<ExperimentPreset> experiment_presets() {
  std::vector<ExperimentPreset> presets;
  for (const EmbeddedFile& file : experiment_preset_files()) {
    const auto experiment = parse_experiment(file.text, fmt::format("{}.toml", file.name));
    CHECK(experiment.ok(), experiment.ok() ? "" : experiment.error().text());
    presets.push_back({std::string(file.name), experiment->title});
  }
  std::stable_partition(presets.begin(), presets.end(),
                        [](const ExperimentPreset& p) { return p.name == "default"; });
  return presets;
}

std::string_view experiment_preset_text(std::string_view name) {
  for (const EmbeddedFile& file : experiment_preset_files())
    if (file.name == name) return file.text;
  return {};
}

Result<Experiment> find_experiment(std::string_view name_or_path) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : experiment_preset_files()) {
    if (file.name == name_or_path) return parse_experiment(file.text, fmt::format("{}.toml", file.name));
    names.emplace_back(file.name);
  }
  const std::string path(name_or_path);
  const auto text = read_file(path);
  if (text.ok()) return parse_experiment(*text, path);
  // With a folder or an ending it is a path, not the name of a preset.
  if (path.find('/') != std::string::npos || path.ends_with(".toml")) return text.error();
  const auto near = nearest(path, names);
  return invalid(fmt::format("unknown preset '{}'", path), "",
                 near ? fmt::format("did you mean '{}'?", *near)
                      : fmt::format("use one of {}, or the path of a file", join(names, ", ")));
}

}  // namespace shardscope
