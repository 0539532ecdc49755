// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/experiment_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/options/backend_option.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {
namespace {

const char* type_name(Spelling spelling) {
  return spelling == Spelling::count ? "INT" : spelling == Spelling::number ? "FLOAT" : "TEXT";
}

template <class Owner>
Result<void> lay_over(const Field& field, const ExperimentOptions& options, Owner& owner) {
  const auto typed = options.fields.find(field.key);
  if (typed == options.fields.end()) return {};
  const Result<void> fine = put(field, owner, typed->second);
  return fine.ok() ? fine : placed(fine.error(), "--" + field.key);
}

Result<void> fit_size(const char* key, const ExperimentOptions& options, std::optional<int64_t> known,
                      int64_t& size) {
  if (known && options.says(key) && size != *known) {
    return invalid(fmt::format("the arrays have {}={}, the option says {}", key, *known, size),
                   fmt::format("--{}", key));
  }
  if (known) size = *known;
  if (size != 0 || options.says(key)) return {};
  return invalid(fmt::format("{} is missing", key), fmt::format("--{}", key),
                 "give a preset, the size or the arrays");
}

}  // namespace

void add_field_option(CLI::App& command, const Field& field,
                      std::map<std::string, std::string, std::less<>>& typed) {
  const std::string option = "--" + field.key;
  if (field.has(kRepeats)) {
    const auto keep = [&typed, key = field.key](const std::vector<std::string>& parts) {
      typed[key] = join(parts, ",");
    };
    command.add_option_function<std::vector<std::string>>(option, keep, help_text(field))->delimiter(',');
    return;
  }
  const auto keep = [&typed, key = field.key](const std::string& text) { typed[key] = text; };
  command.add_option_function<std::string>(option, keep, help_text(field))
      ->type_name(type_name(field.spelling));
}

Result<Hardware> typed_hardware(const std::map<std::string, std::string, std::less<>>& typed) {
  Experiment asked;
  if (const auto text = typed.find("hardware"); text != typed.end()) {
    const Result<void> fine = put(*find_field("hardware"), asked, text->second);
    if (!fine.ok()) return placed(fine.error(), "--hardware");
  }
  return find_hardware(asked.hardware);
}

void add_request_options(CLI::App& command, const char* what, ExperimentOptions& o) {
  command.add_option("preset", o.preset, what);
  for (const Field& field : fields()) {
    if (field.has(kOption)) add_field_option(command, field, o.fields);
  }
}

void add_experiment_options(CLI::App& command, ExperimentOptions& o) {
  add_request_options(command, "A built-in preset or an experiment file (.toml)", o);
  command
      .add_option_function<std::string>(
          "--check",
          [&o](const std::string& text) { o.fields["reference"] = text == "exact" ? kF64Reference : text; },
          "exact: every element against the reference; quick: the same as --reference quick (default: exact)")
      ->check(CLI::IsMember({"exact", "quick"}))
      ->excludes("--reference");
  command.add_option("--lhs", o.lhs, "X from an NPY file")->type_name(kInputFile);
  command.add_option("--rhs", o.rhs, "W from an NPY file")->type_name(kInputFile);
  add_backend(command);
  command.add_option("--db", o.db, "Record into this workspace file")->type_name(kWorkspaceFile);
  command.add_flag("--json", o.json, "One JSON object on stdout");
  command.add_flag("--quiet", o.quiet, kQuietHelp);
}

Result<Experiment> typed_experiment(const ExperimentOptions& options) {
  Experiment experiment;
  if (!options.preset.empty()) {
    TRY(experiment, find_experiment(options.preset));
  } else if (!options.says("mesh")) {
    return invalid("the mesh is missing", "--mesh", "give a preset or --mesh row=2,col=4 --m --k --n");
  }
  for (const Field& field : fields()) {
    if (field.experiment) TRY_VOID(lay_over(field, options, experiment));
  }
  return experiment;
}

Result<void> lay_over_run(const ExperimentOptions& options, RunRequest& run) {
  for (const Field& field : fields()) {
    if (field.scope == Scope::run) TRY_VOID(lay_over(field, options, run));
  }
  return {};
}

Result<RunRequest> pick_run(const ExperimentOptions& options, const std::optional<std::string>& strategy,
                            const Experiment& experiment) {
  if (strategy) {
    TRY(const Strategy* wanted, find_strategy(*strategy));
    return run_of(experiment, *wanted);
  }
  if (experiment.runs.size() == 1) return experiment.runs.front();
  if (options.preset.empty())
    return invalid("the strategy is missing", "--strategy", "see shardscope strategies");
  std::vector<std::string> names;
  for (const RunRequest& run : requests_of(experiment)) names.push_back(run.strategy);
  return invalid(fmt::format("the preset has {} strategies", names.size()), "--strategy",
                 "name one of " + join(names, ", "));
}

RunRequest run_of(const Experiment& experiment, const Strategy& strategy) {
  for (const RunRequest& run : experiment.runs) {
    const auto named = find_strategy(run.strategy);
    if (named.ok() && *named == &strategy) return run;
  }
  return {.strategy = std::string(strategy.id)};
}

Result<void> fit_problem(const ExperimentOptions& options, const KnownSizes& sizes, Experiment& experiment) {
  MatmulProblem& problem = experiment.problem;
  TRY_VOID(fit_size("m", options, sizes.m, problem.m));
  TRY_VOID(fit_size("k", options, sizes.k, problem.k));
  TRY_VOID(fit_size("n", options, sizes.n, problem.n));
  if (sizes.dtype && !options.says("dtype")) {
    problem.dtype = *sizes.dtype;
    if (!options.says("accumulate")) problem.accumulate = default_accumulate(*sizes.dtype);
  }
  return validate(problem);
}

Result<UserArrays> read_user_arrays(const ExperimentOptions& options, const StoredOrientation& stored) {
  UserArrays out;
  std::optional<ElementType> wanted;
  if (const auto typed = options.fields.find("dtype"); typed != options.fields.end())
    wanted = parse_element_type(typed->second);
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

std::vector<std::string> typed_words(const ExperimentOptions& options) {
  std::vector<std::string> out;
  if (!options.preset.empty()) out.push_back(options.preset);
  for (const auto& [key, text] : options.fields) out.insert(out.end(), {"--" + key, text});
  if (options.lhs) out.insert(out.end(), {"--lhs", *options.lhs});
  if (options.rhs) out.insert(out.end(), {"--rhs", *options.rhs});
  if (!options.db.empty()) out.insert(out.end(), {"--db", options.db});
  return out;
}

}  // namespace shardscope::inline cli
