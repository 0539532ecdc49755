// SPDX-License-Identifier: Apache-2.0
#include "engine/session/plan.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

#include "engine/kernels/time/calls.h"
#include "engine/program/analysis/written_out.h"
#include "engine/request/fields.h"
#include "engine/schedule/schedule.h"
#include "engine/session/fastest_plan.h"
#include "engine/session/mesh_limit.h"
#include "engine/session/session.h"
#include "engine/strategies/looped.h"

namespace shardscope::inline session {
namespace {

// Sizes are the problem's own to refuse.
Result<void> check_options(const Experiment& experiment, const RunRequest& request) {
  for (const Field& field : fields()) {
    if (field.scope == Scope::problem || field.execution) continue;
    const std::string text =
        field.experiment ? field.experiment->print(experiment) : field.run->print(request);
    if (const auto fine = check_range(field, text); !fine.ok()) return placed(fine.error(), "--" + field.key);
  }
  return {};
}

// Kernels are timed on chips that are all alike.
Result<void> check_kernels(KernelTiming timing, const HardwareOverrides& overrides) {
  if (overrides.empty() || timing == KernelTiming::off || timing == KernelTiming::dots) return {};
  return invalid("the kernels of collectives support no slow device or link", "--kernels",
                 "say --kernels dots, or leave out --slow-device, --slow-link and --link");
}

// No collective of the program goes by what was asked for.
bool ignores_algorithm(const Program& program, const Hardware& hardware, CollectiveAlgorithm wanted) {
  if (wanted == CollectiveAlgorithm::automatic) return false;
  if (wanted == CollectiveAlgorithm::nccl) return !hardware.nccl;
  const std::vector<Instruction>& entry = program.entry_computation().instructions;
  return std::none_of(entry.begin(), entry.end(),
                      [&](const Instruction& i) { return i.algorithm == name(wanted); });
}

Result<Program> only_plan(Plan& plan, const StrategyOptions& options, std::optional<int64_t> fewest_rounds,
                          const std::stop_token& stop) {
  const auto& [mesh, problem] = std::tie(plan.request.mesh, plan.request.problem);
  TRY(Program program, fewest_rounds
                           ? plan_looped(*plan.strategy, mesh, problem, options, *fewest_rounds, stop)
                           : plan.strategy->plan(mesh, problem, options, stop));
  return resolve_collectives(std::move(program), plan.hardware, plan.request.collective, plan.fastest, stop);
}

}  // namespace

Result<Plan> make_plan(const Experiment& experiment, const RunRequest& request, const Hardware& hardware,
                       const std::stop_token& stop, std::optional<int64_t> fewest_rounds,
                       const FastestAlgorithms* before) {
  Plan plan;
  if (before != nullptr) plan.fastest = FastestAlgorithms(before);
  TRY(plan.request, resolve(experiment, request, hardware));
  TRY(plan.strategy, find_strategy(plan.request.strategy));
  TRY(PlacedMesh machine, machine_of(experiment, request, hardware));
  plan.hardware = std::move(machine.hardware);
  TRY_VOID(check_options(experiment, request));
  const Strategy& strategy = *plan.strategy;
  if (strategy.plans != nullptr) {
    TRY(plan.program, fastest_plan(plan, request.options, stop));
  } else {
    TRY(plan.program, only_plan(plan, request.options, fewest_rounds, stop));
  }
  TRY(plan.hardware, changed(std::move(plan.hardware), experiment.chip));
  plan.ignored_options = ignored_options(*plan.strategy, request);
  if (ignores_algorithm(plan.program, plan.hardware, plan.request.collective))
    plan.ignored_options.emplace_back("collective");
  return plan;
}

Result<TimedPlan> time_plan(const Plan& plan, ScheduleOptions options, std::stop_token stop) {
  const Experiment& experiment = plan.request.experiment;
  TRY_VOID(check_kernels(experiment.kernels, experiment.overrides));
  kernels::KernelCalls called = kernels::kernel_calls(plan.program, plan.hardware, experiment.kernels);
  TimedPlan out;
  out.overlap = experiment.overlap;
  for (const KernelCall& call : called.calls) out.overlap = out.overlap && !call.is_collective();
  options.overlap = experiment.overlap;
  options.collective = plan.request.collective;
  options.overrides = experiment.overrides;
  options.module = experiment.module;
  options.calls = std::move(called.calls);
  options.fastest = &plan.fastest;
  TRY(out.timeline, schedule(plan.program, plan.hardware, options, stop));
  std::move(called.notes.begin(), called.notes.end(), std::back_inserter(out.timeline.assumptions));
  return out;
}

Result<TotalsPlan> plan_totals(const Experiment& experiment, const RunRequest& request,
                               const Hardware& hardware, const std::stop_token& stop) {
  constexpr int64_t kFewestRounds = 1024;  // fewer are planned as soon
  TotalsPlan out;
  const bool as_it_is = experiment.chip == ChipChanges() && experiment.kernels == KernelTiming::off;
  TRY(out.plan,
      make_plan(experiment, request, hardware, stop, as_it_is ? std::optional(kFewestRounds) : std::nullopt));
  if (!has_parts(out.plan.program)) return out;
  ScheduleOptions options;
  options.overlap = experiment.overlap;
  options.collective = out.plan.request.collective;
  options.overrides = experiment.overrides;
  options.module = experiment.module;
  options.fastest = &out.plan.fastest;
  options.keep_events = false;
  options.only_by_loops = true;
  TRY(Timeline timeline, schedule(out.plan.program, out.plan.hardware, options, stop));
  if (timeline.devices > 0) {
    out.timed = TimedPlan{std::move(timeline), experiment.overlap};
    return out;
  }
  TRY(out.plan, make_plan(experiment, request, hardware, stop));
  return out;
}

Result<StoredOrientation> stored_orientation(const Mesh& mesh, const RunRequest& request) {
  TRY(const Strategy* strategy, find_strategy(request.strategy));
  TRY_VOID(check_options({}, request));
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
    if (s.kind != StrategyKind::broken) out.push_back({.strategy = std::string(s.id)});
  }
  return out;
}

std::optional<std::string> reason_against(const Experiment& experiment, const RunRequest& request,
                                          const std::stop_token& stop) {
  if (const auto fits = check_size_of(experiment.mesh); !fits.ok()) return fits.error().text();
  const Result<Hardware> hardware = find_hardware(experiment.hardware);
  if (!hardware.ok()) return hardware.error().text();
  const Result<Plan> plan = make_plan(experiment, request, *hardware, stop);
  if (!plan.ok()) return plan.error().text();
  return std::nullopt;
}

}  // namespace shardscope::inline session
