// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/model_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/toml.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> model_preset_files();
}  // namespace shardscope::embedded

namespace shardscope::inline tuner {

namespace {

constexpr int64_t kMostFeatures = int64_t{1} << 24;
constexpr int64_t kMostTokens = int64_t{1} << 32;
constexpr size_t kMostLayers = 64;

Result<std::optional<int64_t>> read_extent(const TomlTable& table, const char* key, int64_t most) {
  TRY(const auto value, table.integer(key));
  if (value && (*value < 1 || *value > most))
    return invalid(fmt::format("'{}' must be 1 to {}, got {}", key, most, *value), table.where(key));
  return value;
}

Result<int64_t> need_extent(const TomlTable& table, const char* key, int64_t most) {
  TRY(const auto value, read_extent(table, key, most));
  if (!value) return invalid(fmt::format("'{}' is missing", key), table.where());
  return *value;
}

// The products of a transformer block of width d; both halves are added to what they read.
std::vector<ModelLayer> transformer_block(int64_t d) {
  return {{"qkv", d, 3 * d, ""}, {"proj", d, d, "input"}, {"fc1", d, 4 * d, ""}, {"fc2", 4 * d, d, "proj"}};
}

Result<ModelLayer> read_layer(const TomlTable& table, const std::vector<ModelLayer>& before) {
  ModelLayer layer;
  TRY(const auto name, table.string("name"));
  if (!name || name->empty()) return invalid("'name' is missing", table.where());
  layer.name = *name;
  const auto called = [](const std::string& wanted) {
    return [&wanted](const ModelLayer& l) { return l.name == wanted; };
  };
  if (layer.name == "input" || std::any_of(before.begin(), before.end(), called(layer.name)))
    return invalid(fmt::format("layer name '{}' is taken", layer.name), table.where("name"));
  TRY(layer.inputs, need_extent(table, "inputs", kMostFeatures));
  TRY(layer.outputs, need_extent(table, "outputs", kMostFeatures));
  TRY(const auto residual, table.string("residual"));
  layer.residual = residual.value_or("");
  if (!layer.residual.empty() && layer.residual != "input" &&
      std::none_of(before.begin(), before.end(), called(layer.residual))) {
    return invalid(fmt::format("residual '{}' is no earlier layer", layer.residual), table.where("residual"),
                   "name one, or input");
  }
  TRY_VOID(table.refuse_unread());
  return layer;
}

}  // namespace

Result<TuneModel> parse_model(std::string_view toml, std::string_view file_name) {
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  TuneModel model;
  TRY(const auto name, root.string("name"));
  if (!name || name->empty()) return invalid("'name' is missing", root.where());
  model.name = *name;
  TRY(const auto title, root.string("title"));
  TRY(const auto source, root.string("source"));
  model.title = title.value_or(model.name);
  model.source = source.value_or("");
  TRY(const auto hidden, read_extent(root, "hidden", kMostFeatures / 4));
  TRY(const auto sequence, read_extent(root, "sequence", kMostTokens));
  model.sequence = sequence.value_or(2048);
  TRY(model.batch, read_extent(root, "batch", kMostTokens / model.sequence));
  TRY(const auto layers, root.tables("layer"));
  if (layers.size() > kMostLayers)
    return invalid(fmt::format("at most {} layers, got {}", kMostLayers, layers.size()), root.where("layer"));
  for (const TomlTable& table : layers) {
    TRY(const ModelLayer layer, read_layer(table, model.layers));
    model.layers.push_back(layer);
  }
  TRY_VOID(root.refuse_unread());
  if (hidden && !model.layers.empty())
    return invalid("both 'hidden' and [[layer]]", root.where("hidden"), "say one of them");
  if (!hidden && model.layers.empty())
    return invalid("no layer", root.where(), "say hidden = 12288, or [[layer]] name, inputs, outputs");
  if (hidden) model.layers = transformer_block(*hidden);
  return model;
}

std::vector<std::string> model_preset_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::model_preset_files()) names.emplace_back(file.name);
  return names;
}

Result<TuneModel> find_model(std::string_view name_or_path) {
  for (const EmbeddedFile& file : embedded::model_preset_files()) {
    if (file.name == name_or_path) return parse_model(file.text, fmt::format("{}.toml", file.name));
  }
  const std::string path(name_or_path);
  const auto text = read_file(path);
  if (text.ok()) return parse_model(*text, path);
  if (path.find('/') != std::string::npos || path.ends_with(".toml")) return text.error();
  const std::vector<std::string> names = model_preset_names();
  const auto near = nearest(path, names);
  return invalid(fmt::format("unknown model '{}'", path), "--model",
                 near ? fmt::format("did you mean {}", *near)
                      : fmt::format("use {}, or the path of a file", join(names, ", ")));
}

}  // namespace shardscope::inline tuner
