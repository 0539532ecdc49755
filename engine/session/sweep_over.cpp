// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sweep_over.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/parallel.h"
#include "engine/base/units.h"
#include "engine/request/fields.h"
#include "engine/session/plan.h"
#include "engine/session/price.h"
#include "engine/session/session.h"
#include "engine/session/shared_points.h"

namespace shardscope::inline session {
namespace {

constexpr int64_t kPointsTogether = 16;
constexpr size_t kMostAnswers = size_t{1} << 16;  // about collectives that are kept from points before

Result<int64_t> count_points(const std::vector<SweepAxis>& axes) {
  std::optional<int64_t> points = 1;
  for (size_t a = 0; a < axes.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (axes[a].name == axes[b].name)
        return invalid(fmt::format("'{}' is there twice", axes[a].name), "--over",
                       "list its values in one place");
    }
    points = checked_multiply(*points, static_cast<int64_t>(axes[a].values.size()));
    if (!points || *points > int64_t{1} << 40) points = int64_t{1} << 40;
  }
  if (*points > kMostSweepPoints) {
    return invalid(
        fmt::format("{} points, at most {}", group_digits(*points), group_digits(kMostSweepPoints)), "--over",
        "use fewer values or larger steps");
  }
  return *points;
}

std::vector<int32_t> place_of(const std::vector<SweepAxis>& axes, int64_t point) {
  std::vector<int32_t> at(axes.size());
  for (size_t a = axes.size(); a > 0; --a) {
    const auto count = static_cast<int64_t>(axes[a - 1].values.size());
    at[a - 1] = static_cast<int32_t>(point % count);
    point /= count;
  }
  return at;
}

// The strategies that are ranked, each with its request.
std::vector<RunRequest> ranked_requests(const Experiment& experiment) {
  std::vector<RunRequest> out;
  for (const RunRequest& request : requests_of(experiment)) {
    const auto strategy = find_strategy(request.strategy);
    if (strategy.ok() && (*strategy)->kind == StrategyKind::matmul) out.push_back(request);
  }
  return out;
}

// One strategy at one point; points that differ only in options it does not read share it.
struct Job {
  size_t request = 0;
  std::vector<int32_t> at;
};
struct JobOutcome {
  std::optional<StrategyTime> time;
  std::vector<ArrayMove> moves;            // what its price is for, when it is not in the time yet
  std::optional<FastestAlgorithms> found;  // beside what was known before
  std::optional<Error> error;
};

class OverSweep {
 public:
  OverSweep(const Experiment& experiment, const std::vector<SweepAxis>& axes,
            const SweepOverExecution& execution, std::stop_token stop)
      : base_(experiment), execution_(execution), stop_(std::move(stop)), workers_(execution.threads) {
    base_.runs = ranked_requests(experiment);
    table_.title = experiment.title;
    table_.axes = axes;
  }

  Result<CrossoverTable> run() {
    if (base_.runs.empty())
      return invalid("no strategy that is ranked", "--strategies", "name one of kind matmul");
    TRY(const int64_t points, count_points(table_.axes));
    read_chips();
    bool any = false;
    Sharing* const sharing = execution_.sharing;
    const int64_t together = kPointsTogether * (sharing != nullptr ? sharing->parts() : 1);
    for (int64_t first = 0; first < points; first += together) {
      const int64_t last = std::min(points, first + together);
      Result<std::vector<SweepPoint>> some =
          sharing != nullptr ? shared_points(*sharing, first, last) : points_of(first, last);
      if (stop_.stop_requested()) {
        table_.complete = false;
        return table_;
      }
      if (!some.ok()) return some.error();
      for (SweepPoint& point : *some) {
        any = any || !point.ranking.empty();
        table_.points.push_back(std::move(point));
      }
      if (execution_.progress)
        execution_.progress(fmt::format("{} of {} points", last, points),
                            static_cast<double>(last) / static_cast<double>(points));
      if (execution_.partial) execution_.partial(table_);
    }
    if (!any)
      return invalid("nothing could run", "sweep --over", refusal_ ? refusal_->text() : "check the sizes");
    return table_;
  }

 private:
  Result<std::vector<SweepPoint>> points_of(int64_t first, int64_t last) {
    TRY_VOID(time_points(first, last));
    std::vector<SweepPoint> out;
    for (int64_t p = first; p < last && !stop_.stop_requested(); ++p)
      out.push_back(gather(place_of(table_.axes, p)));
    return out;
  }

  // Each process does neighbouring points; the first refusal is that of the first point.
  Result<std::vector<SweepPoint>> shared_points(Sharing& sharing, int64_t first, int64_t last) {
    const auto begin_of = [&](int64_t part) { return first + (last - first) * part / sharing.parts(); };
    Result<std::vector<SweepPoint>> own = points_of(begin_of(sharing.part()), begin_of(sharing.part() + 1));
    TRY(const std::vector<std::string> all, sharing.gather(text_of_points(own, refusal_)));
    std::vector<SweepPoint> out;
    for (const std::string& text : all) {
      TRY(SharedPoints part, points_of_text(text));
      if (part.refusal && !refusal_) refusal_ = part.refusal;
      out.insert(out.end(), part.points.begin(), part.points.end());
    }
    return out;
  }

  void read_chips() {
    std::vector<std::string> names{base_.hardware};
    for (const SweepAxis& axis : table_.axes)
      if (axis.name == "hardware") names.insert(names.end(), axis.values.begin(), axis.values.end());
    for (const std::string& name : names) chips_.try_emplace(name, find_hardware(name));
  }

  // `at` with the axes that the strategy does not read put to their first value.
  std::vector<int32_t> read_part(size_t request, std::vector<int32_t> at) const {
    const Strategy* strategy = *find_strategy(base_.runs[request].strategy);
    for (size_t a = 0; a < at.size(); ++a) {
      const Field* field = find_field(table_.axes[a].name);
      if (field != nullptr && field->scope == Scope::run && !reads(*strategy, *field)) at[a] = 0;
    }
    return at;
  }

  Result<void> time_points(int64_t first, int64_t last) {
    std::vector<Job> jobs;
    for (int64_t p = first; p < last; ++p) {
      for (size_t r = 0; r < base_.runs.size(); ++r) {
        Job job{r, read_part(r, place_of(table_.axes, p))};
        if (done_.emplace(std::pair{job.request, job.at}, JobOutcome{}).second)
          jobs.push_back(std::move(job));
      }
    }
    std::vector<JobOutcome> outcomes(jobs.size());
    const auto one = [&](int64_t j) {
      outcomes[static_cast<size_t>(j)] = outcome_of(jobs[static_cast<size_t>(j)]);
    };
    if (execution_.numerics) {
      for (int64_t j = 0; j < static_cast<int64_t>(jobs.size()); ++j) one(j);  // each uses all threads itself
    } else {
      workers_.parallel_for(static_cast<int64_t>(jobs.size()), one);
    }
    for (size_t j = 0; j < jobs.size(); ++j) {
      const std::optional<Error>& error = outcomes[j].error;
      if (error && error->kind == ErrorKind::io) return *error;
      if (error && error->kind != ErrorKind::cancelled && !refusal_) refusal_ = error;
    }
    learn(outcomes);
    price(outcomes);
    for (size_t j = 0; j < jobs.size(); ++j) done_[{jobs[j].request, jobs[j].at}] = std::move(outcomes[j]);
    return {};
  }

  // Nobody reads what is known of collectives meanwhile.
  void learn(std::vector<JobOutcome>& outcomes) {
    if (fastest_.size() > kMostAnswers) fastest_ = FastestAlgorithms(FastestAlgorithms::Reasons::left_out);
    for (JobOutcome& outcome : outcomes) {
      if (outcome.found) fastest_.learn(*std::move(outcome.found));
      outcome.found.reset();
    }
  }

  // Each pair of shardings is timed once, in parallel like the runs.
  void price(std::vector<JobOutcome>& outcomes) {
    std::map<std::string, const ArrayMove*> unknown;
    for (const JobOutcome& outcome : outcomes) {
      for (const ArrayMove& move : outcome.moves)
        if (!prices_.knows(move)) unknown.emplace(move.key, &move);
    }
    std::vector<const ArrayMove*> moves;
    for (const auto& [key, move] : unknown) moves.push_back(move);
    std::vector<std::optional<Result<MoveTime>>> times(moves.size());
    std::vector<FastestAlgorithms> found(moves.size(), FastestAlgorithms(&fastest_));
    workers_.parallel_for(std::ssize(moves), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      times[at] = shardscope::time_of(*moves[at], found[at], stop_);
    });
    for (size_t i = 0; i < moves.size(); ++i) {
      prices_.learn(*moves[i], *std::move(times[i]));
      fastest_.learn(std::move(found[i]));
    }
    for (JobOutcome& outcome : outcomes) {
      if (!outcome.time) continue;
      if (const auto sum = prices_.sum(outcome.moves)) outcome.time->price_s += to_seconds(sum->total());
      outcome.moves.clear();
    }
  }

  JobOutcome outcome_of(const Job& job) const {
    Result<JobOutcome> made = time_of(job);
    if (made.ok()) return *std::move(made);
    JobOutcome out;
    out.error = made.error();
    return out;
  }

  Result<JobOutcome> time_of(const Job& job) const {
    if (stop_.stop_requested()) return cancelled();
    TRY(const Experiment experiment, experiment_at(base_, table_.axes, job.at));
    const RunRequest& request = experiment.runs[job.request];
    JobOutcome out;
    if (execution_.numerics) {
      ExecutionOptions options;
      options.threads = execution_.threads;
      TRY(const RunPtr run, execute(experiment, request, options, stop_));
      const Picoseconds price = run->price ? run->price->total() : 0;
      out.time = {run->strategy, to_seconds(run->timeline.total), run->numerics.allclose, to_seconds(price)};
      return out;
    }
    const auto chip = chips_.find(experiment.hardware);
    TRY(const Hardware hardware, chip != chips_.end() ? chip->second : find_hardware(experiment.hardware));
    TRY(Plan plan, make_plan(experiment, request, hardware, stop_, std::nullopt, &fastest_));
    ScheduleOptions totals;
    totals.keep_events = false;
    TRY(const TimedPlan timed, time_plan(plan, std::move(totals), stop_));
    out.time = {std::string(plan.strategy->id), to_seconds(timed.timeline.total), std::nullopt, 0};
    out.moves = moves_of(plan.program, plan.request, plan.hardware).value_or(std::vector<ArrayMove>());
    out.found = std::move(plan.fastest);
    return out;
  }

  SweepPoint gather(std::vector<int32_t> at) const {
    SweepPoint point;
    for (size_t r = 0; r < base_.runs.size(); ++r) {
      const JobOutcome& outcome = done_.at({r, read_part(r, at)});
      if (outcome.time) {
        point.ranking.push_back(*outcome.time);
      } else {
        ++point.skipped;
      }
    }
    std::sort(point.ranking.begin(), point.ranking.end(), [](const StrategyTime& a, const StrategyTime& b) {
      return std::tuple(a.priced_s(), a.total_s, std::string_view(a.strategy)) <
             std::tuple(b.priced_s(), b.total_s, std::string_view(b.strategy));
    });
    point.at = std::move(at);
    return point;
  }

  Experiment base_;
  const SweepOverExecution& execution_;
  std::stop_token stop_;
  Workers workers_;
  CrossoverTable table_;
  std::map<std::string, Result<Hardware>> chips_;  // by name, each read once
  PriceBook prices_;
  // Handed down to all that is timed; in a table nobody asks why.
  FastestAlgorithms fastest_{FastestAlgorithms::Reasons::left_out};
  std::map<std::pair<size_t, std::vector<int32_t>>, JobOutcome> done_;
  std::optional<Error> refusal_;
};

}  // namespace

Result<CrossoverTable> sweep_over(const Experiment& experiment, const std::vector<SweepAxis>& axes,
                                  const SweepOverExecution& execution, std::stop_token stop) {
  return OverSweep(experiment, axes, execution, std::move(stop)).run();
}

}  // namespace shardscope::inline session
