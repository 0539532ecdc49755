// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/experiment_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/collectives/algorithm_table.h"

namespace shardscope {
namespace {

Result<ElementType> parse_dtype(const std::string& text, const char* option) {
  const auto type = parse_element_type(text);
  if (!type) return invalid(fmt::format("unknown type '{}'", text), option, "use " + problem_type_list());
  return *type;
}

Result<bool> parse_on_off(const std::string& text, const char* option) {
  if (text == "on") return true;
  if (text == "off") return false;
  return invalid(fmt::format("expected on or off, got '{}'", text), option);
}

Result<Fill> parse_fill(const std::string& text) {
  for (Fill fill : kFills) {
    if (text == name(fill)) return fill;
  }
  return invalid(fmt::format("unknown fill '{}'", text), "--fill", "use integers, normal, arange or jax");
}

Result<std::vector<int32_t>> parse_device_order(const std::string& text) {
  std::vector<int32_t> order;
  for (const std::string& part : split(text, ',')) {
    const auto id = parse_int(trim(part));
    if (!id || *id < 0 || *id >= Mesh::kMaxDevices) {
      return invalid(fmt::format("'{}' is no device id", trim(part)), "--device-order",
                     "write ids as in 0,2,1,3");
    }
    order.push_back(static_cast<int32_t>(*id));
  }
  return order;
}

// "row=b,col=a" into a map.
Result<std::map<std::string, std::string>> parse_axes(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
      return invalid(fmt::format("'{}' names no role", trim(part)), "--axes",
                     "write role=axis, as in row=b,col=a");
    }
    const std::string role(trim(std::string_view(part).substr(0, equals)));
    const std::string axis(trim(std::string_view(part).substr(equals + 1)));
    if (!out.emplace(role, axis).second)
      return invalid(fmt::format("role '{}' is there twice", role), "--axes");
  }
  return out;
}

Result<int64_t> pick_size(const char* option, const std::optional<int64_t>& typed,
                          const std::optional<int64_t>& from_file, int64_t from_preset) {
  if (typed && from_file && *typed != *from_file) {
    return invalid(fmt::format("the arrays have {}={}, the option says {}", option, *from_file, *typed),
                   fmt::format("--{}", option));
  }
  if (typed) return *typed;
  if (from_file) return *from_file;
  if (from_preset > 0) return from_preset;
  return invalid(fmt::format("{} is missing", option), fmt::format("--{}", option),
                 "give a preset, the size or the arrays");
}

Result<MatmulProblem> make_problem(const ExperimentOptions& options, const KnownSizes& sizes,
                                   const MatmulProblem& base) {
  MatmulProblem problem = base;
  TRY(problem.m, pick_size("m", options.m, sizes.m, base.m));
  TRY(problem.k, pick_size("k", options.k, sizes.k, base.k));
  TRY(problem.n, pick_size("n", options.n, sizes.n, base.n));
  const bool new_type = options.dtype || sizes.dtype;
  if (options.dtype) {
    TRY(problem.dtype, parse_dtype(*options.dtype, "--dtype"));
  } else if (sizes.dtype) {
    problem.dtype = *sizes.dtype;
  }
  if (new_type) problem.accumulate = default_accumulate(problem.dtype);
  if (options.accumulate) {
    TRY(problem.accumulate, parse_dtype(*options.accumulate, "--accumulate"));
  }
  TRY_VOID(validate(problem));
  return problem;
}

// What was typed replaces the preset's overrides of that sort.
Result<HardwareOverrides> make_overrides(const ExperimentOptions& options, HardwareOverrides base) {
  if (!options.slow_devices.empty()) base.devices.clear();
  if (!options.slow_links.empty()) base.links.clear();
  for (const std::string& text : options.slow_devices) {
    TRY(base.devices.emplace_back(), parse_device_override(text));
  }
  for (const std::string& text : options.slow_links) {
    TRY(base.links.emplace_back(), parse_link_override(text));
  }
  return base;
}

}  // namespace

void add_experiment_options(CLI::App& command, ExperimentOptions& o) {
  command.add_option("preset", o.preset, "A built-in preset or an experiment file (.toml)");
  command.add_option("--mesh", o.mesh, "Mesh axes, as in row=2,col=4");
  command.add_option("--wrap", o.wrap,
                     "Axes whose links close to a ring: all, none or names (default: as on the chip)");
  command.add_option("--device-order", o.device_order, "Chip of each logical device, as in 0,2,1,3");
  command.add_option("--axes", o.axes, "Which mesh axis plays which role, as in row=b,col=a");
  command.add_option("--m", o.m, "Rows of X and Y");
  command.add_option("--k", o.k, "Columns of X, rows of W");
  command.add_option("--n", o.n, "Columns of W and Y");
  command.add_option("--dtype", o.dtype, problem_type_list() + " (default f32)");
  command.add_option("--accumulate", o.accumulate, "Partial sums of 16-bit types: f32 or bf16 (default f32)");
  command.add_option("--slices", o.slices, "Slices S of meshslice (default: the largest legal up to 8)");
  command.add_option("--block", o.block, "Block width b of meshslice (default: the largest legal up to 8)");
  command.add_option("--experts", o.experts, "Experts of moe.expert_parallel (default: two for each device)");
  command.add_option("--in-lhs", o.in_lhs,
                     "Sharding of X for strategies that re-plan, as in \"P('row','col')\"");
  command.add_option("--in-rhs", o.in_rhs, "Sharding of W");
  command.add_option("--out-spec", o.out_spec, "Sharding of Y");
  command.add_option("--hardware", o.hardware, "A chip preset or a hardware file (default tpu-v5e)");
  command.add_option("--slow-device", o.slow_devices, "Chips at a share of their speed, as in 3=0.5")
      ->delimiter(',');
  command
      .add_option("--slow-link", o.slow_links,
                  "Links at a share of their bandwidth, 0 broken, as in 0-1=0.25")
      ->delimiter(',');
  command.add_option("--overlap", o.overlap, "on: by dependencies; off: in program order (default on)");
  command.add_option("--collective", o.collective, "Algorithm of collectives: " + legality_help());
  command.add_option(
      "--fill", o.fill,
      "integers (exact), normal, arange or jax (jax.random.normal of two keys split from key(seed); default "
      "integers)");
  command.add_option("--seed", o.seed, "Seed of the fill (default 0)");
  command.add_option("--lhs", o.lhs, "X from an NPY file");
  command.add_option("--rhs", o.rhs, "W from an NPY file");
  command.add_option("--rtol", o.rtol, "Relative tolerance of the check");
  command.add_option("--atol", o.atol, "Absolute tolerance of the check");
  command.add_option("--reference", o.reference,
                     "What results are compared with: f64 (the product in f64, rounded once) or a strategy "
                     "(default f64)");
  command.add_option("--numerics", o.numerics, "on: run and check the numbers; off: time only (default on)");
  command
      .add_option("--events", o.events,
                  "all: keep every event; auto: totals only above 20 million (default auto)")
      ->check(CLI::IsMember({"all", "auto"}));
  command.add_option("--kernels", o.kernels,
                     "What takes the time of the kernels that stand for it: off, dots, collectives or all "
                     "(default off); with collectives the run is in program order");
  command.add_option("--repeat", o.repeat, "Timed executions of the program (default 1)");
  command.add_option("--warmup", o.warmup, "Executions before the timed ones (default 0)");
  command.add_option("--threads", o.threads, "Threads of the simulation (default: all)");
  command.add_option("--db", o.db, "Record into this workspace file");
  command.add_flag("--json", o.json, "One JSON object on stdout");
  command.add_flag("--quiet", o.quiet, "No progress on stderr");
}

Result<Mesh> make_mesh(const ExperimentOptions& options, const Mesh& base) {
  Mesh mesh = base;
  if (options.mesh) {
    TRY(mesh, Mesh::parse(*options.mesh));
  }
  if (options.wrap) {
    TRY(mesh, with_wrap(mesh, *options.wrap));
  }
  if (options.device_order) {
    TRY(auto order, parse_device_order(*options.device_order));
    TRY(mesh, Mesh::make(mesh.axes(), std::move(order)));
  }
  return mesh;
}

Result<StrategyOptions> make_strategy_options(const ExperimentOptions& options, StrategyOptions base) {
  if (options.axes) {
    TRY(base.axes, parse_axes(*options.axes));
  }
  if (options.slices) base.slices = options.slices;
  if (options.block) base.block = options.block;
  if (options.experts) base.experts = options.experts;
  for (const auto& [text, spec, option] : {std::tuple{&options.in_lhs, &base.in_lhs, "--in-lhs"},
                                           std::tuple{&options.in_rhs, &base.in_rhs, "--in-rhs"},
                                           std::tuple{&options.out_spec, &base.out, "--out-spec"}}) {
    if (!text->has_value()) continue;
    Result<PartitionSpec> parsed = PartitionSpec::parse(**text);
    if (!parsed.ok()) {
      Error error = parsed.error();
      error.where = error.where.empty() ? option : fmt::format("{}, {}", option, error.where);
      return error;
    }
    *spec = *std::move(parsed);
  }
  return base;
}

Result<Experiment> make_experiment(const ExperimentOptions& options, const KnownSizes& sizes) {
  Experiment experiment;
  if (!options.preset.empty()) {
    TRY(experiment, find_experiment(options.preset));
  } else if (!options.mesh) {
    return invalid("the mesh is missing", "--mesh", "give a preset or --mesh row=2,col=4 --m --k --n");
  }
  TRY(experiment.mesh, make_mesh(options, experiment.mesh));
  if (options.wrap) {
    experiment.chip_wraps = false;
  } else if (options.mesh) {
    experiment.chip_wraps = true;
  }
  TRY(experiment.overrides, make_overrides(options, experiment.overrides));
  TRY(experiment.problem, make_problem(options, sizes, experiment.problem));
  const bool other_mesh = options.mesh || options.wrap || options.device_order;
  const bool other_problem = options.m || options.k || options.n || options.dtype || options.accumulate;
  if (options.hardware) experiment.hardware = *options.hardware;
  if (options.overlap) {
    TRY(experiment.overlap, parse_on_off(*options.overlap, "--overlap"));
  }
  if (options.collective) {
    TRY(experiment.collective, parse_collective_algorithm(*options.collective));
  }
  if (options.fill) {
    TRY(experiment.fill, parse_fill(*options.fill));
  }
  if (options.seed) experiment.seed = *options.seed;
  if (options.reference) experiment.check.reference = *options.reference;
  for (RunRequest& run : experiment.runs) {
    TRY(run.options, make_strategy_options(options, run.options));
    // What was typed counts for every run, also for one that a preset gives a mesh or sizes of its own.
    if (other_mesh) run.mesh.reset();
    if (other_problem) run.problem.reset();
  }
  return experiment;
}

Result<UserArrays> read_user_arrays(const ExperimentOptions& options, const StoredOrientation& stored) {
  UserArrays out;
  std::optional<ElementType> wanted;
  if (options.dtype) {
    TRY(wanted, parse_dtype(*options.dtype, "--dtype"));
  }
  if (options.lhs) {
    TRY(Array lhs, read_npy(*options.lhs, wanted));
    out.lhs = stored.lhs_transposed ? transposed(lhs) : lhs;
    out.sizes = {out.lhs->dims()[0], out.lhs->dims()[1], std::nullopt, lhs.type()};
  }
  if (options.rhs) {
    TRY(Array rhs, read_npy(*options.rhs, wanted ? wanted : out.sizes.dtype));
    out.rhs = stored.rhs_transposed ? transposed(rhs) : rhs;
    if (out.lhs && out.lhs->type() != rhs.type()) {
      return invalid(
          fmt::format("the arrays have different types, {} and {}", name(out.lhs->type()), name(rhs.type())),
          *options.rhs, "say --dtype");
    }
    if (out.sizes.k && *out.sizes.k != out.rhs->dims()[0]) {
      return invalid(fmt::format("the arrays disagree on k: {} and {}", *out.sizes.k, out.rhs->dims()[0]),
                     *options.rhs, "check the strategy's stored orientation");
    }
    out.sizes.k = out.rhs->dims()[0];
    out.sizes.n = out.rhs->dims()[1];
    out.sizes.dtype = rhs.type();
  }
  return out;
}

}  // namespace shardscope
