// SPDX-License-Identifier: Apache-2.0
// The files of presets/ that are compiled in.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <span>

#include "engine/base/check.h"
#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/search.h"
#include "engine/base/text.h"
#include "engine/base/toml.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/module_form.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/preset_catalogue.h"
#include "engine/session/session.h"
#include "engine/strategies/strategy.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> experiment_preset_files();
std::span<const EmbeddedFile> hlo_preset_files();
std::span<const EmbeddedFile> operation_preset_files();
std::span<const EmbeddedFile> stablehlo_preset_files();
}  // namespace shardscope::embedded

namespace shardscope::inline session {

namespace {

// A file's first key, read without the rest of it: a window lists all presets when it opens.
std::string title_of(const EmbeddedFile& file) {
  const size_t key = file.text.find("\ntitle = ") + 1;
  const std::string_view line = file.text.substr(key, file.text.find('\n', key) - key);
  const auto table = TomlTable::parse(line, file.name);
  CHECK(table.ok(), file.name);
  const auto title = table->string("title");
  CHECK(title.ok() && *title, file.name);
  return **title;
}

// In any form but bytes that nobody knows.
bool is_module(std::string_view text) {
  const ModuleForm form = module_form(text);
  if (form != ModuleForm::text) return form != ModuleForm::unknown;
  return is_mlir(text) || trim(text).starts_with("HloModule");
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::vector<ExperimentPreset> experiment_presets() {
  std::vector<ExperimentPreset> presets;
  for (const EmbeddedFile& file : embedded::experiment_preset_files())
    presets.push_back({std::string(file.name), title_of(file)});
  std::stable_partition(presets.begin(), presets.end(),
                        [](const ExperimentPreset& p) { return p.name == "default"; });
  return presets;
}

std::string_view experiment_preset_text(std::string_view name) {
  for (const EmbeddedFile& file : embedded::experiment_preset_files())
    if (file.name == name) return file.text;
  return {};
}

Result<Experiment> find_experiment(std::string_view name_or_path) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::experiment_preset_files()) {
    if (file.name == name_or_path) return parse_experiment(file.text, fmt::format("{}.toml", file.name));
    names.emplace_back(file.name);
  }
  const std::string path(name_or_path);
  const auto text = read_file(path);
  if (text.ok() && is_module(*text))
    return invalid("a module, expected an experiment", path, fmt::format("say shardscope hlo run {}", path));
  if (text.ok()) return parse_experiment(*text, path);
  // With a folder or an ending it is a path, not the name of a preset.
  if (path.find('/') != std::string::npos || path.ends_with(".toml") || is_folder(path)) return text.error();
  if (const auto strategy = find_strategy(path); strategy.ok())
    return invalid(fmt::format("'{}' is a strategy, not a preset", path), "",
                   fmt::format("say --strategy {}", (*strategy)->id));
  const auto near = nearest(path, names);
  return invalid(fmt::format("unknown preset '{}'", path), "",
                 near ? fmt::format("did you mean '{}'?", *near)
                      : fmt::format("use one of {}, or the path of a file", join(names, ", ")));
}

namespace {

constexpr int64_t kMostText = int64_t{1} << 30;

std::optional<std::string> module_named(const std::string& name) {
  for (const HloPreset& preset : hlo_presets()) {
    if (preset.name == name) return preset.text;
    if (preset.name + ".mlir" == name && !preset.stablehlo.empty()) return preset.stablehlo;
  }
  return std::nullopt;
}

// Neither a folder nor an ending: it was meant as a name.
bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.find('.') != std::string::npos;
}

}  // namespace

bool is_module_name(const std::string& name) {
  return module_named(name).has_value();
}

Result<std::string> find_module(const std::string& name_or_path) {
  if (auto text = module_named(name_or_path)) return *std::move(text);
  auto text = read_file(name_or_path, kMostText);
  if (text.ok() || is_path(name_or_path) || is_folder(name_or_path)) return text;
  std::vector<std::string> names;
  for (const HloPreset& preset : hlo_presets()) names.push_back(preset.name);
  const auto near = nearest(name_or_path, names);
  return invalid(fmt::format("no module is called '{}'", name_or_path), "",
                 near ? fmt::format("did you mean {}?", *near)
                      : fmt::format("use one of {}, or the path of a file", join(names, ", ")));
}

Result<std::string> find_operations(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::operation_preset_files()) {
    if (file.name == name_or_path) return std::string(file.text);
    names.emplace_back(file.name);
  }
  auto text = read_file(name_or_path, kMostText);
  if (text.ok() || is_path(name_or_path) || is_folder(name_or_path)) return text;
  return invalid(fmt::format("no operations are called '{}'", name_or_path), "--operation",
                 fmt::format("use one of {}, or the path of a file", join(names, ", ")));
}

std::vector<HloPreset> hlo_presets() {
  std::vector<HloPreset> out;
  for (const EmbeddedFile& file : embedded::hlo_preset_files()) {
    const std::vector<std::string> lines = split(file.text, '\n');
    HloPreset preset{std::string(file.name), "", std::string(file.text), ""};
    for (const EmbeddedFile& other : embedded::stablehlo_preset_files())
      if (other.name == file.name) preset.stablehlo = other.text;
    if (lines.size() > 1 && lines[1].starts_with("// ")) preset.title = lines[1].substr(3);
    out.push_back(std::move(preset));
  }
  return out;
}

namespace {

// Its test asks that every file says it.
std::string topic_of(const std::string& name) {
  const auto root = TomlTable::parse(experiment_preset_text(name), name + ".toml");
  CHECK(root.ok(), name);
  const auto about = root->table("preset");
  if (!about.ok() || !*about) return "";
  const auto topic = (*about)->string("topic");
  return topic.ok() ? topic->value_or("") : "";
}

std::vector<CataloguedPreset> make_catalogue() {
  std::vector<CataloguedPreset> out;
  for (const ExperimentPreset& preset : experiment_presets()) {
    auto experiment = find_experiment(preset.name);
    CHECK(experiment.ok(), preset.name);
    const int64_t devices = experiment->mesh.device_count();
    const auto strategies = static_cast<int64_t>(experiment->runs.size());
    out.push_back({preset.name, topic_of(preset.name), devices, strategies, std::move(*experiment)});
  }
  return out;
}

Searched searched(const CataloguedPreset& preset) {
  const Experiment& e = preset.experiment;
  std::string text = e.source + ' ' + e.notes + ' ' + preset.topic;
  for (const RunRequest& run : e.runs) text += ' ' + run.strategy;
  return Searched({preset.name, e.title}, text);
}

// All but the words.
bool of_kind(const CataloguedPreset& preset, const PresetFilter& filter) {
  if (!filter.topic.empty() && preset.topic != filter.topic) return false;
  if (filter.with_paper_only && preset.experiment.source.empty()) return false;
  return std::ranges::none_of(preset_sizes(), [&](const PresetSize& size) {
    return size.name == filter.size && (preset.devices <= size.more_than || preset.devices > size.up_to);
  });
}

}  // namespace

const std::vector<CataloguedPreset>& preset_catalogue() {
  static const std::vector<CataloguedPreset> kCatalogue = make_catalogue();
  return kCatalogue;
}

std::vector<std::string> preset_topics() {
  std::set<std::string> out;
  for (const CataloguedPreset& preset : preset_catalogue()) out.insert(preset.topic);
  return {out.begin(), out.end()};
}

const std::vector<PresetSize>& preset_sizes() {
  static const std::vector<PresetSize> kSizes = {
      {"up to 4 devices", 0, 4},
      {"5 to 8 devices", 4, 8},
      {"9 to 16 devices", 8, 16},
      {"more than 16 devices", 16, INT64_MAX},
  };
  return kSizes;
}

bool passes(const CataloguedPreset& preset, const PresetFilter& filter) {
  return of_kind(preset, filter) && Search(filter.words).finds(searched(preset));
}

std::vector<size_t> found_presets(const PresetFilter& filter) {
  std::vector<size_t> out = found_in(preset_catalogue(), Search(filter.words), searched);
  std::erase_if(out, [&](size_t place) { return !of_kind(preset_catalogue()[place], filter); });
  return out;
}

}  // namespace shardscope::inline session
