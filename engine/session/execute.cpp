// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "engine/base/utc_now.h"
#include "engine/session/data_cache.h"
#include "engine/session/plan.h"
#include "engine/session/price.h"
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

constexpr double kTimingShare = 0.2;  // of a run's progress; the numbers take the rest

// What the runs of a job share.
struct Shared {
  DataCache& data;
  PriceBook& prices;
  const Workers& workers;
};

Result<RunPtr> run_plan(Plan plan, const Shared& shared, std::stop_token stop, const ProgressShare& share,
                        Array* result) {
  const ExecutionOptions& options = share.options;
  const Experiment& experiment = plan.request.experiment;
  std::shared_ptr<const ReferenceRun> reference;
  if (options.numerics) {
    TRY(reference, shared.data.reference(plan.request.mesh, plan.request.problem, plan.hardware));
  }
  share.tell("timing", 0);
  ScheduleOptions timing;
  timing.most_events = options.most_events;
  timing.progress = [&](double f) { share.tell("timing", f * kTimingShare); };
  TRY(TimedPlan timed, time_plan(plan, std::move(timing), stop));

  TRY(const std::optional<Price> price, shared.prices.price(plan.program, plan.request, plan.hardware, stop));

  auto run = std::make_shared<Run>();
  run->price = price;
  run->timeline = std::move(timed.timeline);
  run->overlap = timed.overlap;
  run->kind = plan.strategy->kind;
  run->ignored_options = std::move(plan.ignored_options);
  run->hardware = std::move(plan.hardware);
  run->program = std::move(plan.program);
  run->created = utc_now();
  run->given = options.given;
  static_cast<Request&>(*run) = plan.request;

  if (options.numerics) {
    share.tell("numbers", kTimingShare);
    TRY(const auto data, shared.data.data(run->problem));
    NumericsOptions numerics;
    numerics.rtol = experiment.check.rtol;
    numerics.atol = experiment.check.atol;
    numerics.regions = experiment.check.regions;
    numerics.repeat = options.repeat;
    numerics.warmup = options.warmup;
    numerics.schedules = run->timeline.schedules;
    numerics.reference = std::move(reference);
    numerics.progress = [&](double f) { share.tell("numbers", kTimingShare + f * (1 - kTimingShare)); };
    TRY(NumericsOutcome outcome, run_numerics(run->program, *data, numerics, shared.workers, stop));
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
  TRY(Plan plan, make_plan(experiment, request, hardware, stop));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  PriceBook prices;
  const ProgressShare share{options, request.strategy};
  TRY(RunPtr run, run_plan(std::move(plan), {cache, prices, workers}, stop, share, result));
  if (options.finished) options.finished(run);
  return run;
}

Result<Comparison> sweep(const Experiment& experiment, const ExecutionOptions& options,
                         std::stop_token stop) {
  TRY_VOID(check_reference(experiment));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  PriceBook prices;
  const std::vector<RunRequest> requests =
      options.only ? std::vector{*options.only} : requests_of(experiment);
  Comparison comparison;
  comparison.title = experiment.title;
  const auto skip = [&](const RunRequest& request, const Error& error) {
    comparison.skipped.push_back({request.strategy, error.text()});
    if (options.skipped) options.skipped(comparison.skipped.back());
  };
  for (size_t i = 0; i < requests.size(); ++i) {
    if (stop.stop_requested()) return cancelled();
    Result<Plan> plan = make_plan(experiment, requests[i], hardware, stop);
    if (!plan.ok()) {
      if (plan.error().kind == ErrorKind::cancelled) return plan.error();
      skip(requests[i], plan.error());
      continue;
    }
    const double width = 1.0 / static_cast<double>(requests.size());
    const ProgressShare share{options, requests[i].strategy, static_cast<double>(i) * width, width};
    Result<RunPtr> run = run_plan(*std::move(plan), {cache, prices, workers}, stop, share, nullptr);
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
