// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_preset.h"

#include <filesystem>
#include <fmt/format.h>

#include "engine/base/read_file.h"
#include "engine/base/toml.h"
#include "engine/request/experiment_file.h"
#include "engine/request/fields.h"
#include "engine/session/hlo_presets.h"

namespace shardscope::inline session {
namespace {

// A name, or a path from the preset's folder.
std::string path_from(const std::string& preset, const std::string& said) {
  const std::filesystem::path path(said);
  if (path.is_absolute() || (!path.has_extension() && !path.has_parent_path())) return said;
  return (std::filesystem::path(preset).parent_path() / path).string();
}

Result<PresetText> read_operation(const TomlTable& table, const std::string& preset) {
  TRY(const auto file, table.string("file"));
  TRY(const auto hlo, table.string("hlo"));
  TRY_VOID(table.refuse_unread());
  if (file.has_value() == hlo.has_value())
    return invalid("an operation has either a file or its text", table.where(),
                   "write file = \"adam\" or hlo = \"HloModule …\"");
  if (hlo) return PresetText{table.where(), *hlo};
  const std::string name = path_from(preset, *file);
  Result<std::string> text = find_operations(name);
  if (!text.ok()) return placed(text.error(), table.where("file"));
  return PresetText{name, *std::move(text)};
}

}  // namespace

bool is_module_preset(std::string_view path) {
  return path.ends_with(".toml");
}

Result<ModulePreset> read_module_preset(const std::string& path) {
  TRY(const std::string toml, read_file(path));
  TRY(const TomlTable root, TomlTable::parse(toml, path));
  ModulePreset out;
  TRY(const auto title, root.string("title"));
  out.title = title.value_or("");
  TRY(const auto module, root.string("module"));
  if (!module)
    return invalid(
        "'module' is missing", root.where(),
        "write module = \"two_layers_step\" or a file; an experiment of strategies is for run and sweep");
  out.module.name = path_from(path, *module);
  Result<std::string> text = find_module(out.module.name);
  if (!text.ok()) return placed(text.error(), root.where("module"));
  out.module.text = *std::move(text);
  TRY(const auto operations, root.tables("operation"));
  for (const TomlTable& table : operations) {
    TRY(out.operations.emplace_back(), read_operation(table, path));
  }
  for (const Field& field : fields()) {
    if (!field.has(kModule) || !field.experiment) continue;
    TRY(const auto said, read_field_text(root, field));
    if (said) out.asked[field.key] = *said;
  }
  TRY_VOID(root.refuse_unread());
  return out;
}

}  // namespace shardscope::inline session
