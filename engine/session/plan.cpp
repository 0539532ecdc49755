// SPDX-License-Identifier: Apache-2.0
#include "engine/session/plan.h"

#include <algorithm>
#include <numeric>

#include "engine/schedule/schedule.h"
#include "engine/session/session.h"

namespace shardscope {
namespace {

bool reads(const Strategy& strategy, std::string_view option) {
  return std::find(strategy.options.begin(), strategy.options.end(), option) != strategy.options.end();
}

std::vector<std::string> ignored(const Strategy& strategy, const StrategyOptions& options) {
  std::vector<std::string> out;
  const auto note = [&](bool given, const char* option) {
    if (given && !reads(strategy, option)) out.emplace_back(option);
  };
  note(options.slices.has_value(), "slices");
  note(options.block.has_value(), "block");
  note(options.experts.has_value(), "experts");
  note(options.in_lhs.has_value(), "in-lhs");
  note(options.in_rhs.has_value(), "in-rhs");
  note(options.out.has_value(), "out-spec");
  return out;
}

Result<void> check_options(const StrategyOptions& options) {
  for (const auto& [value, option] : {std::pair{options.slices, "slices"}, std::pair{options.block, "block"},
                                      std::pair{options.experts, "experts"}}) {
    if (value && *value < 1) {
      return invalid(std::string(option) + " must be at least 1, got " + std::to_string(*value),
                     std::string("--") + option);
    }
  }
  return {};
}

}  // namespace

Result<Plan> make_plan(const Experiment& experiment, const RunRequest& request, const Hardware& hardware) {
  Plan plan;
  TRY(plan.strategy, find_strategy(request.strategy));
  plan.mesh = request.mesh.value_or(experiment.mesh);
  if (request.mesh ? request.chip_wraps : experiment.chip_wraps) {
    plan.mesh = with_chip_wraps(plan.mesh, hardware);
  }
  plan.problem = request.problem.value_or(experiment.problem);
  plan.hardware = hardware;
  TRY_VOID(validate(plan.problem));
  TRY_VOID(check_options(request.options));
  TRY(Program program, plan.strategy->plan(plan.mesh, plan.problem, request.options));
  TRY(plan.program, resolve_collectives(std::move(program), hardware, experiment.collective));
  plan.ignored_options = ignored(*plan.strategy, request.options);
  return plan;
}

Result<StoredOrientation> stored_orientation(const Mesh& mesh, const RunRequest& request) {
  TRY(const Strategy* strategy, find_strategy(request.strategy));
  TRY_VOID(check_options(request.options));
  // Orientation does not depend on sizes, so a size that every split divides is planned and looked at.
  int64_t size =
      64 * mesh.device_count() * request.options.slices.value_or(1) * request.options.block.value_or(1);
  for (const MeshAxis& axis : mesh.axes()) size = std::lcm(size, axis.size * axis.size);
  const MatmulProblem probe{size, size, size, ElementType::f32, ElementType::f32};
  TRY(const Program program, strategy->plan(mesh, probe, request.options));
  StoredOrientation out;
  for (const ArrayInfo& input : program.inputs) {
    if (input.role == ArrayRole::lhs) out.lhs_transposed = input.transposed;
    if (input.role == ArrayRole::rhs) out.rhs_transposed = input.transposed;
  }
  return out;
}

std::vector<RunRequest> requests_of(const Experiment& experiment) {
  if (!experiment.runs.empty()) return experiment.runs;
  std::vector<RunRequest> out;
  for (const Strategy& s : strategies()) {
    if (s.kind != StrategyKind::broken)
      out.push_back({std::string(s.id), {}, "", std::nullopt, std::nullopt});
  }
  return out;
}

std::optional<std::string> reason_against(const Experiment& experiment, const RunRequest& request) {
  const Result<Hardware> hardware = find_hardware(experiment.hardware);
  if (!hardware.ok()) return hardware.error().text();
  const Result<Plan> plan = make_plan(experiment, request, *hardware);
  if (!plan.ok()) return plan.error().text();
  return std::nullopt;
}

}  // namespace shardscope
