// SPDX-License-Identifier: Apache-2.0
// The TOML form of an experiment: everything that is asked, nothing of what came of it.
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/toml.h"
#include "engine/session/session.h"

namespace shardscope {
namespace {

// An error of a part of the file, with the part's place in front of its own.
Error placed(Error error, const std::string& place) {
  error.where = error.where.empty() ? place : place + ", " + error.where;
  return error;
}

Result<std::string> read_text(const TomlTable& table, const char* key, const char* fallback = "") {
  TRY(auto value, table.string(key));
  return value.value_or(fallback);
}

Result<std::string> read_required(const TomlTable& table, const char* key) {
  TRY(auto value, table.string(key));
  if (!value) return invalid(fmt::format("'{}' is missing", key), table.where());
  return *value;
}

Result<std::optional<int64_t>> read_positive(const TomlTable& table, const char* key) {
  TRY(const auto value, table.integer(key));
  if (value && *value < 1) {
    return invalid(fmt::format("'{}' must be at least 1, got {}", key, *value), table.where(key));
  }
  return value;
}

Result<int64_t> read_size(const TomlTable& table, const char* key) {
  TRY(const auto value, read_positive(table, key));
  if (!value) return invalid(fmt::format("'{}' is missing", key), table.where());
  return *value;
}

Result<std::optional<ElementType>> read_type(const TomlTable& table, const char* key) {
  TRY(const auto word, table.string(key));
  if (!word) return std::optional<ElementType>();
  const auto type = parse_element_type(*word);
  if (!type) {
    return invalid(fmt::format("unknown {} '{}'", key, *word), table.where(key),
                   "use " + problem_type_list());
  }
  return type;
}

// `chip_wraps`: no axis says whether it wraps.
Result<Mesh> read_mesh(const TomlTable& table, bool& chip_wraps) {
  std::vector<MeshAxis> axes;
  TRY(const auto entries, table.tables("axes"));
  size_t said = 0;
  for (const TomlTable& entry : entries) {
    MeshAxis& axis = axes.emplace_back();
    TRY(axis.name, read_required(entry, "name"));
    TRY(axis.size, read_size(entry, "size"));
    TRY(const auto wrap, entry.boolean("wrap"));
    axis.wrap = wrap.value_or(true);
    said += wrap ? 1 : 0;
    TRY_VOID(entry.refuse_unread());
  }
  if (said > 0 && said < axes.size()) {
    return invalid("some axes say whether they wrap, some do not", table.where("axes"),
                   "say wrap of every axis, or of none for the chip's own rule");
  }
  chip_wraps = said == 0 && !axes.empty();
  std::vector<int32_t> order;
  TRY(const auto ids, table.integers("device_order"));
  for (const int64_t id : ids.value_or(std::vector<int64_t>{})) {
    if (id < 0 || id >= Mesh::kMaxDevices) {
      return invalid(
          fmt::format("device {} in the device order, expected 0 to {}", id, Mesh::kMaxDevices - 1),
          table.where("device_order"));
    }
    order.push_back(static_cast<int32_t>(id));
  }
  TRY_VOID(table.refuse_unread());
  auto mesh = Mesh::make(std::move(axes), std::move(order));
  if (!mesh.ok()) return placed(mesh.error(), table.where("axes"));
  return mesh;
}

Result<double> read_speed(const TomlTable& table, bool may_be_zero) {
  TRY(const auto speed, table.number("speed"));
  if (!speed) return invalid("'speed' is missing", table.where());
  if (!(*speed > 0 || (may_be_zero && *speed == 0)) || *speed > 1e9) {
    return invalid(
        fmt::format("'speed' must be {}, got {}", may_be_zero ? "0 or more" : "more than 0", *speed),
        table.where("speed"));
  }
  return *speed;
}

Result<int64_t> read_chip(const TomlTable& table, const char* key) {
  TRY(const auto chip, table.integer(key));
  if (!chip) return invalid(fmt::format("'{}' is missing", key), table.where());
  if (*chip < 0) return invalid(fmt::format("'{}' must be a chip, got {}", key, *chip), table.where(key));
  return *chip;
}

// [[slow_device]] chip, speed and [[slow_link]] a, b, speed.
Result<HardwareOverrides> read_overrides(const TomlTable& root) {
  HardwareOverrides out;
  TRY(const auto devices, root.tables("slow_device"));
  for (const TomlTable& table : devices) {
    DeviceOverride& it = out.devices.emplace_back();
    TRY(it.chip, read_chip(table, "chip"));
    TRY(it.speed, read_speed(table, false));
    TRY_VOID(table.refuse_unread());
  }
  TRY(const auto links, root.tables("slow_link"));
  for (const TomlTable& table : links) {
    LinkOverride& it = out.links.emplace_back();
    TRY(it.a, read_chip(table, "a"));
    TRY(it.b, read_chip(table, "b"));
    TRY(it.speed, read_speed(table, true));
    TRY_VOID(table.refuse_unread());
  }
  return out;
}

// dtype and accumulate over `problem`; a new dtype brings its own accumulate.
Result<void> read_types(const TomlTable& table, MatmulProblem& problem) {
  TRY(const auto dtype, read_type(table, "dtype"));
  TRY(const auto accumulate, read_type(table, "accumulate"));
  if (dtype) {
    problem.dtype = *dtype;
    problem.accumulate = default_accumulate(*dtype);
  }
  if (accumulate) problem.accumulate = *accumulate;
  return {};
}

Result<uint64_t> read_seed(const TomlTable& table) {
  // TOML's integers end at 2^63 - 1; seeds beyond are written as text.
  const auto text = table.string("seed");
  if (text.ok()) {
    if (!*text) return uint64_t{0};
    uint64_t seed = 0;
    for (const char digit : **text) {
      if (digit < '0' || digit > '9' || __builtin_mul_overflow(seed, uint64_t{10}, &seed) ||
          __builtin_add_overflow(seed, static_cast<uint64_t>(digit - '0'), &seed)) {
        return invalid(fmt::format("'seed' must be a whole number below 2^64, got '{}'", **text),
                       table.where("seed"));
      }
    }
    return seed;
  }
  TRY(const auto number, table.integer("seed"));
  if (*number < 0) {
    return invalid(fmt::format("'seed' must not be negative, got {}", *number), table.where("seed"));
  }
  return static_cast<uint64_t>(*number);
}

Result<void> read_problem(const TomlTable& table, Experiment& out) {
  TRY(out.problem.m, read_size(table, "m"));
  TRY(out.problem.k, read_size(table, "k"));
  TRY(out.problem.n, read_size(table, "n"));
  TRY_VOID(read_types(table, out.problem));
  TRY(const std::string fill, read_text(table, "fill", name(Fill::integers)));
  std::optional<Fill> found;
  for (const Fill f : kFills) {
    if (fill == name(f)) found = f;
  }
  if (!found) {
    return invalid(fmt::format("unknown fill '{}'", fill), table.where("fill"),
                   "use integers, normal, arange or jax");
  }
  out.fill = *found;
  TRY(out.seed, read_seed(table));
  TRY_VOID(table.refuse_unread());
  if (const auto fine = validate(out.problem); !fine.ok()) return placed(fine.error(), table.where());
  return {};
}

Result<CheckOptions> read_check(const TomlTable& table) {
  CheckOptions out;
  TRY(out.reference, read_text(table, "reference", kF64Reference));
  if (out.reference != kF64Reference) {
    const auto known = find_strategy(out.reference);
    if (!known.ok()) return placed(known.error(), table.where("reference"));
  }
  for (const auto& [key, value] : {std::pair{"rtol", &out.rtol}, std::pair{"atol", &out.atol}}) {
    TRY(*value, table.number(key));
    if (*value && !(**value >= 0))
      return invalid(fmt::format("'{}' must not be negative, got {}", key, **value), table.where(key));
  }
  TRY_VOID(table.refuse_unread());
  return out;
}

Result<std::optional<PartitionSpec>> read_spec(const TomlTable& table, const char* key) {
  TRY(const auto text, table.string(key));
  if (!text) return std::optional<PartitionSpec>();
  auto spec = PartitionSpec::parse(*text);
  if (!spec.ok()) return placed(spec.error(), table.where(key));
  return std::optional<PartitionSpec>(*std::move(spec));
}

Result<StrategyOptions> read_options(const TomlTable& table) {
  StrategyOptions out;
  TRY(out.slices, read_positive(table, "slices"));
  TRY(out.block, read_positive(table, "block"));
  TRY(out.experts, read_positive(table, "experts"));
  TRY(out.in_lhs, read_spec(table, "in_lhs"));
  TRY(out.in_rhs, read_spec(table, "in_rhs"));
  TRY(out.out, read_spec(table, "out"));
  TRY(const auto axes, table.table("axes"));
  for (const std::string& role : axes ? axes->keys() : std::vector<std::string>{}) {
    TRY(out.axes[role], read_required(*axes, role.c_str()));
  }
  return out;
}

// A problem of the run's own when it sets any part of one, else nothing.
Result<std::optional<MatmulProblem>> read_own_problem(const TomlTable& table, const MatmulProblem& shared) {
  MatmulProblem own = shared;
  bool any = false;
  const auto read = [&](const char* key, int64_t& size) -> Result<void> {
    TRY(const auto value, read_positive(table, key));
    any = any || value;
    size = value.value_or(size);
    return {};
  };
  TRY_VOID(read("m", own.m));
  TRY_VOID(read("k", own.k));
  TRY_VOID(read("n", own.n));
  TRY(const auto dtype, table.string("dtype"));
  TRY(const auto accumulate, table.string("accumulate"));
  any = any || dtype || accumulate;
  TRY_VOID(read_types(table, own));
  if (!any) return std::optional<MatmulProblem>();
  if (const auto fine = validate(own); !fine.ok()) return placed(fine.error(), table.where());
  return std::optional<MatmulProblem>(own);
}

Result<RunRequest> read_run(const TomlTable& table, const MatmulProblem& shared) {
  RunRequest run;
  TRY(run.strategy, read_required(table, "strategy"));
  if (const auto known = find_strategy(run.strategy); !known.ok()) {
    return placed(known.error(), table.where("strategy"));
  }
  TRY(run.label, read_text(table, "label"));
  TRY(run.options, read_options(table));
  TRY(const auto mesh, table.table("mesh"));
  if (mesh) {
    TRY(run.mesh, read_mesh(*mesh, run.chip_wraps));
  }
  TRY(run.problem, read_own_problem(table, shared));
  TRY_VOID(table.refuse_unread());
  return run;
}

std::string mesh_axes_text(const Mesh& mesh, bool chip_wraps) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh.axes()) {
    const std::string wrap = chip_wraps ? "" : fmt::format(", wrap = {}", axis.wrap);
    axes.push_back(fmt::format("{{ name = {}, size = {}{} }}", toml_text(axis.name), axis.size, wrap));
  }
  return axes.empty() ? "[]" : "[ " + join(axes, ", ") + " ]";
}

std::string order_text(const Mesh& mesh) {
  std::vector<std::string> ids;
  for (const int32_t id : mesh.device_order()) ids.push_back(std::to_string(id));
  return "[" + join(ids, ", ") + "]";
}

std::string problem_text(const MatmulProblem& p) {
  return fmt::format("m = {}\nk = {}\nn = {}\ndtype = \"{}\"\naccumulate = \"{}\"\n", p.m, p.k, p.n,
                     name(p.dtype), name(p.accumulate));
}

std::string check_text(const CheckOptions& check) {
  if (check == CheckOptions{}) return "";
  std::string out = fmt::format("\n[check]\nreference = {}\n", toml_text(check.reference));
  if (check.rtol) out += fmt::format("rtol = {}\n", *check.rtol);
  if (check.atol) out += fmt::format("atol = {}\n", *check.atol);
  return out;
}

std::string run_text(const RunRequest& run) {
  std::string out = fmt::format("\n[[run]]\nstrategy = {}\n", toml_text(run.strategy));
  const StrategyOptions& o = run.options;
  if (!run.label.empty()) out += fmt::format("label = {}\n", toml_text(run.label));
  if (o.slices) out += fmt::format("slices = {}\n", *o.slices);
  if (o.block) out += fmt::format("block = {}\n", *o.block);
  if (o.experts) out += fmt::format("experts = {}\n", *o.experts);
  if (o.in_lhs) out += fmt::format("in_lhs = {}\n", toml_text(o.in_lhs->text()));
  if (o.in_rhs) out += fmt::format("in_rhs = {}\n", toml_text(o.in_rhs->text()));
  if (o.out) out += fmt::format("out = {}\n", toml_text(o.out->text()));
  if (!o.axes.empty()) {
    std::vector<std::string> roles;
    for (const auto& [role, axis] : o.axes)
      roles.push_back(fmt::format("{} = {}", toml_text(role), toml_text(axis)));
    out += fmt::format("axes = {{ {} }}\n", join(roles, ", "));
  }
  if (run.problem) out += problem_text(*run.problem);
  if (run.mesh) {
    const std::string order =
        run.mesh->device_order().empty() ? "" : fmt::format(", device_order = {}", order_text(*run.mesh));
    out += fmt::format("mesh = {{ axes = {}{} }}\n", mesh_axes_text(*run.mesh, run.chip_wraps), order);
  }
  return out;
}

}  // namespace

Result<Experiment> parse_experiment(std::string_view toml, std::string_view file_name) {
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  Experiment out;
  TRY(out.title, read_text(root, "title"));
  TRY(out.source, read_text(root, "source"));
  TRY(out.notes, read_text(root, "notes"));
  TRY(auto warnings, root.strings("warnings"));
  out.warnings = std::move(warnings).value_or(std::vector<std::string>{});
  TRY(out.hardware, read_text(root, "hardware", "tpu-v5e"));
  TRY(const auto overlap, root.boolean("overlap"));
  out.overlap = overlap.value_or(true);
  TRY(const std::string collective, read_text(root, "collective", name(CollectiveAlgorithm::automatic)));
  const auto algorithm = parse_collective_algorithm(collective);
  if (!algorithm.ok()) return placed(algorithm.error(), root.where("collective"));
  out.collective = *algorithm;
  TRY(const auto mesh, root.table("mesh"));
  if (!mesh)
    return invalid("[mesh] is missing", root.where(), "write [mesh] axes = [{ name = \"row\", size = 2 }]");
  TRY(out.mesh, read_mesh(*mesh, out.chip_wraps));
  TRY(out.overrides, read_overrides(root));
  TRY(const auto problem, root.table("problem"));
  if (!problem) return invalid("[problem] is missing", root.where(), "write [problem] with m, k and n");
  TRY_VOID(read_problem(*problem, out));
  TRY(const auto check, root.table("check"));
  if (check) {
    TRY(out.check, read_check(*check));
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
  std::string out = fmt::format("title = {}\n", toml_text(e.title));
  if (!e.source.empty()) out += fmt::format("source = {}\n", toml_text(e.source));
  if (!e.notes.empty()) out += fmt::format("notes = {}\n", toml_text(e.notes));
  if (!e.warnings.empty()) {
    std::vector<std::string> texts;
    for (const std::string& warning : e.warnings) texts.push_back(toml_text(warning));
    out += fmt::format("warnings = [{}]\n", join(texts, ", "));
  }
  out += fmt::format("hardware = {}\noverlap = {}\ncollective = \"{}\"\n", toml_text(e.hardware), e.overlap,
                     name(e.collective));
  out += fmt::format("\n[mesh]\naxes = {}\n", mesh_axes_text(e.mesh, e.chip_wraps));
  if (!e.mesh.device_order().empty()) out += fmt::format("device_order = {}\n", order_text(e.mesh));
  const bool plain_seed = e.seed <= static_cast<uint64_t>(INT64_MAX);
  out += fmt::format("\n[problem]\n{}fill = \"{}\"\nseed = {}\n", problem_text(e.problem), name(e.fill),
                     plain_seed ? std::to_string(e.seed) : toml_text(std::to_string(e.seed)));
  for (const DeviceOverride& it : e.overrides.devices) {
    out += fmt::format("\n[[slow_device]]\nchip = {}\nspeed = {}\n", it.chip, toml_text(it.speed));
  }
  for (const LinkOverride& it : e.overrides.links) {
    out += fmt::format("\n[[slow_link]]\na = {}\nb = {}\nspeed = {}\n", it.a, it.b, toml_text(it.speed));
  }
  out += check_text(e.check);
  for (const RunRequest& run : e.runs) out += run_text(run);
  return out;
}

}  // namespace shardscope
