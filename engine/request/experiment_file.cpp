// SPDX-License-Identifier: Apache-2.0
#include "engine/request/experiment_file.h"

#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/request/fields.h"
#include "engine/request/file_tables.h"
#include "engine/request/value_text.h"

namespace shardscope::inline request {
namespace {

bool in_file(const Field& field, Scope scope) {
  return field.scope == scope && !field.has(kOwnTables);
}

template <class T>
std::optional<std::string> text_of(const std::optional<T>& value) {
  return value ? std::optional(to_text(*value)) : std::nullopt;
}

// TOML's integers end at 2^63 - 1; numbers beyond are written as text.
Result<std::optional<std::string>> read_count(const TomlTable& table, const Field& field) {
  auto text = table.string(field.file);
  if (text.ok() && field.key == "seed") return text;
  TRY(const auto number, table.integer(field.file));
  return text_of(number);
}

// "a=b,c=d" of a table of texts.
Result<std::optional<std::string>> read_pairs(const TomlTable& table, const Field& field) {
  TRY(const auto pairs, table.table(field.file));
  if (!pairs) return std::optional<std::string>();
  std::map<std::string, std::string> values;
  for (const std::string& key : pairs->keys()) {
    TRY(values[key], read_required(*pairs, key.c_str()));
  }
  return std::optional(to_text(values));
}

// Puts what the file says about a field into `owner`; `said` when it says anything.
template <class Owner>
Result<void> read_field(const TomlTable& table, const Field& field, Owner& owner, bool& said) {
  TRY(const std::optional<std::string> text, read_field_text(table, field));
  if (!text) {
    if (!field.has(kRequired)) return {};
    return invalid(fmt::format("'{}' is missing", field.file), table.where());
  }
  said = true;
  Result<void> fine = check_range(field, *text);
  if (fine.ok()) fine = put(field, owner, *text);
  if (!fine.ok()) return placed(fine.error(), table.where(field.file));
  return {};
}

Result<void> read_section(const TomlTable& table, Scope scope, Experiment& out) {
  bool said = false;
  for (const Field& field : fields()) {
    if (in_file(field, scope)) TRY_VOID(read_field(table, field, out, said));
  }
  return {};
}

// What a run has of its own: fields of the experiment's sections. A problem of its own when it says any part
// of one.
Result<void> read_own(const TomlTable& table, const MatmulProblem& shared, RunRequest& run) {
  run.problem = shared;
  bool own_problem = false;
  for (Field field : fields()) {
    if (!field.run || field.scope == Scope::run || field.has(kOwnTables)) continue;
    field.doors &= ~kRequired;
    bool said = false;
    TRY_VOID(read_field(table, field, run, said));
    own_problem = own_problem || (said && field.scope == Scope::problem);
  }
  if (!own_problem) {
    run.problem.reset();
  } else if (const auto fine = validate(*run.problem); !fine.ok()) {
    return placed(fine.error(), table.where());
  }
  TRY(const auto mesh, table.table("mesh"));
  if (mesh) {
    TRY(run.mesh, read_mesh(*mesh, run.chip_wraps));
  }
  return {};
}

Result<RunRequest> read_run(const TomlTable& table, const MatmulProblem& shared) {
  RunRequest run;
  bool said = false;
  for (const Field& field : fields()) {
    if (field.scope == Scope::run) TRY_VOID(read_field(table, field, run, said));
  }
  TRY_VOID(read_own(table, shared, run));
  TRY_VOID(table.refuse_unread());
  return run;
}

std::string toml_value(const Field& field, const std::string& text) {
  switch (field.spelling) {
    case Spelling::text:
      return toml_text(text);
    case Spelling::flag:
      return text == "on" ? "true" : "false";
    case Spelling::count:
      return parse_int(text) ? text : toml_text(text);
    case Spelling::number:
      return toml_text(parse_double(text).value_or(0));
    case Spelling::list: {
      std::vector<std::string> parts;
      CHECK(from_text(text, parts).ok(), text);
      for (std::string& part : parts) part = toml_text(part);
      return "[" + join(parts, ", ") + "]";
    }
    case Spelling::pairs: {
      std::map<std::string, std::string> pairs;
      CHECK(from_text(text, pairs).ok(), text);
      std::vector<std::string> parts;
      for (const auto& [key, value] : pairs) parts.push_back(toml_text(key) + " = " + toml_text(value));
      return "{ " + join(parts, ", ") + " }";
    }
  }
  return "";
}

std::string line(const Field& field, const std::string& text) {
  return text.empty() ? "" : fmt::format("{} = {}\n", field.file, toml_value(field, text));
}

std::string section_toml(const Experiment& experiment, Scope scope) {
  std::string out;
  for (const Field& field : fields()) {
    if (in_file(field, scope)) out += line(field, field.experiment->print(experiment));
  }
  return out;
}

std::string run_toml(const RunRequest& run) {
  std::string out = "\n[[run]]\n", own;
  for (const Field& field : fields()) {
    if (!field.run || field.has(kOwnTables)) continue;
    (field.scope == Scope::run ? out : own) += line(field, field.run->print(run));
  }
  if (run.mesh) {
    const std::string order = run.mesh->device_order().empty()
                                  ? ""
                                  : fmt::format(", device_order = {}", device_order_toml(*run.mesh));
    own += fmt::format("mesh = {{ axes = {}{} }}\n", mesh_axes_toml(*run.mesh, run.chip_wraps), order);
  }
  return out + own;
}

}  // namespace

Result<std::optional<std::string>> read_field_text(const TomlTable& table, const Field& field) {
  switch (field.spelling) {
    case Spelling::text:
      return table.string(field.file);
    case Spelling::flag: {
      TRY(const auto flag, table.boolean(field.file));
      return text_of(flag);
    }
    case Spelling::count:
      return read_count(table, field);
    case Spelling::number: {
      TRY(const auto number, table.number(field.file));
      return text_of(number);
    }
    case Spelling::list: {
      TRY(const auto texts, table.strings(field.file));
      return text_of(texts);
    }
    case Spelling::pairs:
      return read_pairs(table, field);
  }
  return std::optional<std::string>();
}

Result<Experiment> parse_experiment(std::string_view toml, std::string_view file_name) {
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  return read_experiment(root);
}

Result<Experiment> read_experiment(const TomlTable& root) {
  TRY(const auto module, root.string("module"));
  if (module)
    return invalid("this preset is of a module", root.where("module"), "run it with `shardscope hlo run`");
  Experiment out;
  TRY_VOID(read_section(root, Scope::experiment, out));
  // What a list of presets says of it (preset_catalogue.h) is not part of what is asked.
  TRY(const auto preset, root.table("preset"));
  if (preset) {
    TRY_VOID(preset->string("topic"));
    TRY_VOID(preset->refuse_unread());
  }
  TRY(const auto mesh, root.table("mesh"));
  if (!mesh)
    return invalid("[mesh] is missing", root.where(), "write [mesh] axes = [{ name = \"row\", size = 2 }]");
  TRY(out.mesh, read_mesh(*mesh, out.chip_wraps));
  TRY(HardwareOverrides tables, read_overrides(root));
  tables.axes = std::move(out.overrides.axes);  // a key of the top
  out.overrides = std::move(tables);
  TRY(const auto problem, root.table("problem"));
  if (!problem) return invalid("[problem] is missing", root.where(), "write [problem] with m, k and n");
  TRY_VOID(read_section(*problem, Scope::problem, out));
  TRY_VOID(problem->refuse_unread());
  if (const auto fine = validate(out.problem); !fine.ok()) return placed(fine.error(), problem->where());
  TRY(const auto check, root.table("check"));
  if (check) {
    TRY_VOID(read_section(*check, Scope::check, out));
    TRY_VOID(check->refuse_unread());
  }
  TRY(const auto runs, root.tables("run"));
  for (const TomlTable& table : runs) {
    TRY(auto run, read_run(table, out.problem));
    out.runs.push_back(std::move(run));
  }
  TRY_VOID(root.refuse_unread());
  return out;
}

std::string experiment_toml(const Experiment& e) {
  std::string out = section_toml(e, Scope::experiment);
  out += fmt::format("\n[mesh]\naxes = {}\n", mesh_axes_toml(e.mesh, e.chip_wraps));
  if (!e.mesh.device_order().empty()) out += fmt::format("device_order = {}\n", device_order_toml(e.mesh));
  out += "\n[problem]\n" + section_toml(e, Scope::problem) + overrides_toml(e.overrides);
  if (e.check != CheckOptions{}) out += "\n[check]\n" + section_toml(e, Scope::check);
  for (const RunRequest& run : e.runs) out += run_toml(run);
  return out;
}

}  // namespace shardscope::inline request
