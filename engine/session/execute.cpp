// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <map>
#include <utility>

#include "engine/schedule/schedule.h"
#include "engine/session/created.h"
#include "engine/session/data_cache.h"
#include "engine/session/plan.h"
#include "engine/session/session.h"

namespace shardscope {
namespace {

// One run's share of the job's progress bar.
struct ProgressShare {
  const ExecutionOptions& options;
  std::string strategy;
  double first = 0;
  double width = 1;

  void tell(const char* phase, double fraction) const {
    if (options.progress) options.progress({strategy + ": " + phase, first + width * fraction});
  }
};

// Kernels are timed on chips that are all alike.
Result<void> check_kernels(kernels::KernelTiming timing, const HardwareOverrides& overrides) {
  const bool alike = overrides.devices.empty() && overrides.links.empty();
  if (alike || timing == kernels::KernelTiming::off || timing == kernels::KernelTiming::dots) return {};
  return invalid("the collectives' kernels know no slow device and no slow link", "--kernels",
                 "say --kernels dots, or leave out --slow-device and --slow-link");
}

constexpr double kTimingShare = 0.2;  // of a run's progress; the numbers take the rest

Result<RunPtr> run_plan(const Experiment& experiment, const RunRequest& request, Plan plan, DataCache& cache,
                        const ExecutionOptions& options, const Workers& workers, std::stop_token stop,
                        const ProgressShare& share, Array* result) {
  auto run = std::make_shared<Run>();
  run->strategy = plan.strategy->id;
  run->kind = plan.strategy->kind;
  run->label = request.label;
  run->experiment_title = experiment.title;
  run->mesh = plan.mesh;
  run->overrides = experiment.overrides;
  run->problem = plan.problem;
  run->fill = experiment.fill;
  run->seed = experiment.seed;
  run->overlap = experiment.overlap;
  run->collective = experiment.collective;
  run->options = request.options;
  std::shared_ptr<const ReferenceRun> reference;
  if (options.numerics) {
    TRY(reference, cache.reference(plan.mesh, plan.problem, plan.hardware));
  }
  run->ignored_options = std::move(plan.ignored_options);
  run->hardware = std::move(plan.hardware);
  run->program = std::move(plan.program);
  run->created = utc_now();

  share.tell("timing", 0);
  ScheduleOptions timing;
  timing.overlap = experiment.overlap;
  timing.collective = experiment.collective;
  timing.overrides = experiment.overrides;
  timing.most_events = options.most_events;
  timing.progress = [&](double f) { share.tell("timing", f * kTimingShare); };
  TRY_VOID(check_kernels(options.kernel_timing, experiment.overrides));
  kernels::KernelCalls called = kernels::kernel_calls(run->program, run->hardware, options.kernel_timing);
  for (const KernelCall& call : called.calls) run->overlap = run->overlap && !call.is_collective();
  timing.calls = std::move(called.calls);
  TRY(run->timeline, schedule(run->program, run->hardware, timing, stop));
  std::move(called.notes.begin(), called.notes.end(), std::back_inserter(run->timeline.assumptions));

  if (options.numerics) {
    share.tell("numbers", kTimingShare);
    TRY(const auto data, cache.data(run->problem));
    NumericsOptions numerics = options.numerics_options;
    if (!numerics.rtol) numerics.rtol = experiment.check.rtol;
    if (!numerics.atol) numerics.atol = experiment.check.atol;
    numerics.reference = std::move(reference);
    numerics.progress = [&](double f) { share.tell("numbers", kTimingShare + f * (1 - kTimingShare)); };
    TRY(NumericsOutcome outcome, run_numerics(run->program, *data, numerics, workers, stop));
    run->numerics = std::move(outcome.report);
    run->measured = outcome.measured;
    if (result != nullptr) *result = std::move(outcome.result);
  }
  if (options.workspace) {
    TRY(run->id, options.workspace->reserve_id());
    TRY_VOID(options.workspace->record(run));
  }
  share.tell("done", 1);
  return RunPtr(run);
}

bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::too_big;
}

}  // namespace

Result<RunPtr> execute(const Experiment& experiment, const RunRequest& request,
                       const ExecutionOptions& options, std::stop_token stop, Array* result) {
  TRY_VOID(check_reference(experiment));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  TRY(Plan plan, make_plan(experiment, request, hardware));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  const ProgressShare share{options, request.strategy};
  TRY(RunPtr run,
      run_plan(experiment, request, std::move(plan), cache, options, workers, stop, share, result));
  if (options.finished) options.finished(run);
  return run;
}

Result<Comparison> sweep(const Experiment& experiment, const ExecutionOptions& options,
                         std::stop_token stop) {
  TRY_VOID(check_reference(experiment));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  const std::vector<RunRequest> requests = requests_of(experiment);
  Comparison comparison;
  comparison.title = experiment.title;
  const auto skip = [&](const RunRequest& request, const Error& error) {
    comparison.skipped.push_back({request.strategy, error.text()});
    if (options.skipped) options.skipped(comparison.skipped.back());
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    if (stop.stop_requested()) return cancelled();
    Result<Plan> plan = make_plan(experiment, requests[i], hardware);
    if (!plan.ok()) {
      skip(requests[i], plan.error());
      continue;
    }
    const double width = 1.0 / static_cast<double>(requests.size());
    const ProgressShare share{options, requests[i].strategy, static_cast<double>(i) * width, width};
    Result<RunPtr> run =
        run_plan(experiment, requests[i], *std::move(plan), cache, options, workers, stop, share, nullptr);
    if (!run.ok()) {
      if (!is_refusal(run.error())) return run.error();
      skip(requests[i], run.error());
      continue;
    }
    comparison.runs.push_back(*run);
    if (options.finished) options.finished(*run);
  }
  if (comparison.runs.empty()) {
    const std::string why =
        comparison.skipped.empty() ? "no strategy named" : comparison.skipped.front().reason;
    return invalid("nothing could run", "sweep", why);
  }
  return comparison;
}

}  // namespace shardscope
