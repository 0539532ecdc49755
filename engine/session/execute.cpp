// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <utility>

#include "engine/base/utc_now.h"
#include "engine/session/data_cache.h"
#include "engine/session/earlier_runs.h"
#include "engine/session/plan.h"
#include "engine/session/price.h"
#include "engine/session/session.h"
#include "engine/session/strategy_steps.h"

namespace shardscope::inline session {
namespace {

// One run's share of the job's progress bar.
struct ProgressShare {
  const ExecutionOptions& options;
  std::string what;
  double first = 0;
  double width = 1;

  void tell(double fraction) const {
    if (options.progress) options.progress({what, first + width * fraction});
  }
};

constexpr double kTimingShare = 0.02;  // of the progress of a job that computes numbers too

// What the runs of a job share.
struct Shared {
  const ExecutionOptions& options;
  DataCache& data;
  PriceBook& prices;
  const Workers& workers;
  std::stop_token stop;
};

// All of a run but its numbers.
Result<std::shared_ptr<Run>> time_run(Plan plan, const Shared& shared, const ProgressShare& share,
                                      std::optional<TimedPlan> known = std::nullopt) {
  share.tell(0);
  ScheduleOptions timing;
  timing.most_events = shared.options.most_events;
  timing.progress = [&](double f) { share.tell(f); };
  if (!known) {
    TRY(known, time_plan(plan, std::move(timing), shared.stop));
  }
  TimedPlan& timed = *known;
  TRY(const std::optional<Price> price,
      shared.prices.price(plan.program, plan.request, plan.hardware, shared.stop));

  auto run = std::make_shared<Run>();
  run->price = price;
  run->timeline = std::move(timed.timeline);
  run->overlap = timed.overlap;
  run->kind = plan.strategy->kind;
  run->ignored_options = std::move(plan.ignored_options);
  run->hardware = std::move(plan.hardware);
  run->program = std::move(plan.program);
  run->created = utc_now();
  run->given = shared.options.given;
  static_cast<Request&>(*run) = std::move(plan.request);
  TRY_VOID(time_steps(shared.options.numerics, *run));
  share.tell(1);
  return run;
}

// Computes the numbers of a timed run and compares them; `result` may be null.
Result<void> prove(Run& run, const Shared& shared, const ProgressShare& share, Array* result) {
  share.tell(0);
  const CheckOptions& check = run.experiment.check;
  NumericsOptions numerics;
  TRY(numerics.reference, shared.data.reference(run.mesh, run.problem, run.hardware));
  TRY(const auto data, shared.data.data(run.problem));
  numerics.quick = shared.data.is_quick();
  numerics.made = shared.data.arrays();
  numerics.rtol = check.rtol;
  numerics.atol = check.atol;
  numerics.regions = check.regions;
  numerics.repeat = shared.options.repeat;
  numerics.warmup = run.experiment.loop.warmup.value_or(0);
  numerics.ranks = shared.options.ranks;
  numerics.schedules = run.timeline.schedules;
  numerics.progress = [&](double f) { share.tell(f); };
  TRY(NumericsOutcome outcome, run.steps
                                   ? execute_steps(data, numerics, shared.workers, shared.stop, run)
                                   : run_numerics(run.program, *data, numerics, shared.workers, shared.stop));
  run.numerics = std::move(outcome.report);
  if (shared.options.lhs || shared.options.rhs) run.numerics.warnings.emplace_back(kOwnArrays);
  run.measured = outcome.measured;
  if (result != nullptr) *result = std::move(outcome.result);
  share.tell(1);
  return {};
}

bool is_refusal(const Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::too_big;
}

// The runs of an experiment: all times first, then all numbers.
class Sweep {
 public:
  Sweep(const Experiment& experiment, const Hardware& hardware, const Shared& shared)
      : hardware_(hardware), shared_(shared), options_(shared.options), experiment_(experiment) {
    requests_ = options_.only ? std::vector{*options_.only} : requests_of(experiment);
    runs_.resize(requests_.size());
    refused_.resize(requests_.size());
    was_there_.resize(requests_.size());
  }

  Result<Comparison> run() {
    if (options_.resume && options_.workspace) {
      TRY(earlier_, EarlierRuns::in(options_.workspace));
    }
    for (size_t i = 0; i < requests_.size(); ++i) TRY_VOID(time_one(i));
    if (options_.ranked) options_.ranked();
    if (options_.numerics) {
      const std::vector<size_t> order = by_rank();
      for (size_t place = 0; place < order.size(); ++place)
        TRY_VOID(prove_one(order[place], place, order.size()));
    }
    return comparison();
  }

 private:
  double timing_share() const { return options_.numerics ? kTimingShare : 1; }

  void skip(size_t i, const Error& error) {
    refused_[i] = error;
    runs_[i] = nullptr;
    if (options_.skipped) options_.skipped({requests_[i].strategy, error.text()});
  }

  Result<void> time_one(size_t i) {
    if (shared_.stop.stop_requested()) return cancelled();
    const double width = timing_share() / static_cast<double>(requests_.size());
    const ProgressShare share{options_, "timing " + requests_[i].strategy, static_cast<double>(i) * width,
                              width};
    Result<std::shared_ptr<Run>> run = [&]() -> Result<std::shared_ptr<Run>> {
      TRY(Plan plan, make_plan(experiment_, requests_[i], hardware_, shared_.stop, std::nullopt, &fastest_));
      fastest_.learn(std::exchange(plan.fastest, FastestAlgorithms(&fastest_)));
      if (earlier_) {
        TRY(const RunPtr known, earlier_->find(experiment_, requests_[i], plan.hardware, shared_.stop));
        if (known) return std::make_shared<Run>(*known);
      }
      return time_run(std::move(plan), shared_, share);
    }();
    if (!run.ok() && !is_refusal(run.error())) return run.error();
    if (!run.ok()) {
      skip(i, run.error());
      return {};
    }
    was_there_[i] = (*run)->id.has_value();
    if (options_.workspace && !was_there_[i]) options_.workspace->enter(*run);
    runs_[i] = *std::move(run);
    const auto& known = options_.numerics ? options_.timed : options_.finished;
    if (known) known(runs_[i]);
    return {};
  }

  // The order in which a table of runs shows them.
  std::vector<size_t> by_rank() const {
    std::vector<size_t> requests;
    std::vector<RunSummary> summaries;
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i]) continue;
      requests.push_back(i);
      summaries.push_back(summary_of(*runs_[i]));
    }
    std::vector<size_t> out;
    for (const Rank& rank : rank(summaries)) out.push_back(requests[rank.place]);
    return out;
  }

  Result<void> prove_one(size_t i, size_t place, size_t of) {
    if (shared_.stop.stop_requested()) return cancelled();
    const double width = (1 - kTimingShare) / static_cast<double>(of);
    const ProgressShare share{options_,
                              fmt::format("proving {}, {} of {}", requests_[i].strategy, place + 1, of),
                              kTimingShare + static_cast<double>(place) * width, width};
    // Who was told of the run reads it.
    const bool was_reported = options_.timed || options_.workspace;
    if (runs_[i]->numerics.checked) {  // before this sweep
      if (options_.finished) options_.finished(runs_[i]);
      return {};
    }
    const std::shared_ptr<Run> run = was_reported ? std::make_shared<Run>(*runs_[i]) : runs_[i];
    Result<void> proved = prove(*run, shared_, share, nullptr);
    if (!proved.ok() && !is_refusal(proved.error())) return proved;
    if (!proved.ok()) return withdraw(i, proved.error());
    if (options_.workspace && run->id) TRY_VOID(options_.workspace->prove(run));
    runs_[i] = run;
    if (options_.finished) options_.finished(run);
    return {};
  }

  Result<void> withdraw(size_t i, const Error& error) {
    if (options_.workspace && runs_[i]->id && !was_there_[i])
      TRY_VOID(options_.workspace->remove(*runs_[i]->id));
    if (options_.withdrawn) options_.withdrawn(runs_[i]);
    skip(i, error);
    return {};
  }

  Result<Comparison> comparison() const {
    Comparison out;
    out.title = experiment_.title;
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i]) out.runs.push_back(runs_[i]);
      if (refused_[i]) out.skipped.push_back({requests_[i].strategy, refused_[i]->text()});
    }
    if (!out.runs.empty()) return out;
    const std::string why = out.skipped.empty() ? "no strategy named" : out.skipped.front().reason;
    return invalid("nothing could run", "sweep", why);
  }

  const Hardware& hardware_;
  const Shared& shared_;
  const ExecutionOptions& options_;
  const Experiment& experiment_;
  std::optional<EarlierRuns> earlier_;
  FastestAlgorithms fastest_;  // strategies ask for the same collectives
  std::vector<RunRequest> requests_;
  std::vector<std::shared_ptr<Run>> runs_;     // by request
  std::vector<std::optional<Error>> refused_;  // likewise
  std::vector<char> was_there_;  // likewise: recorded before this sweep, which removes none of those
};

}  // namespace

Result<RunPtr> execute(const Experiment& experiment, const RunRequest& request,
                       const ExecutionOptions& options, std::stop_token stop, Array* result) {
  TRY_VOID(check_reference(experiment));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  TRY(Plan plan, make_plan(experiment, request, hardware, stop));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  PriceBook prices;
  const Shared shared{options, cache, prices, workers, stop};
  if (options.numerics) TRY_VOID(cache.reference(plan.request.mesh, plan.request.problem, plan.hardware));
  const double timing = options.numerics ? kTimingShare : 1;
  TRY(const std::shared_ptr<Run> run,
      time_run(std::move(plan), shared, {options, "timing " + request.strategy, 0, timing}));
  if (options.numerics) {
    TRY_VOID(prove(*run, shared, {options, "proving " + request.strategy, timing, 1 - timing}, result));
  }
  if (options.workspace) options.workspace->enter(run);
  if (options.finished) options.finished(run);
  return RunPtr(run);
}

Result<RunPtr> execute_for_totals(const Experiment& experiment, const RunRequest& request,
                                  const ExecutionOptions& options, std::stop_token stop) {
  TRY_VOID(check_reference(experiment));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  TRY(TotalsPlan planned, plan_totals(experiment, request, hardware, stop));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  PriceBook prices;
  const Shared shared{options, cache, prices, workers, stop};
  TRY(const std::shared_ptr<Run> run,
      time_run(std::move(planned.plan), shared, {options, "timing " + request.strategy, 0, 1},
               std::move(planned.timed)));
  return RunPtr(run);
}

Result<Comparison> sweep(const Experiment& experiment, const ExecutionOptions& options,
                         std::stop_token stop) {
  TRY_VOID(check_reference(experiment));
  TRY(const Hardware hardware, find_hardware(experiment.hardware));
  const Workers workers(options.threads);
  DataCache cache(experiment, options, workers, stop);
  PriceBook prices;
  const Shared shared{options, cache, prices, workers, stop};
  return Sweep(experiment, hardware, shared).run();
}

}  // namespace shardscope::inline session
