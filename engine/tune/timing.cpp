// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/timing.h"

#include <limits>
#include <utility>

#include "engine/base/units.h"
#include "engine/plan/loops/loop_plan.h"
#include "engine/program/analysis/written_out.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/looped.h"

namespace shardscope::inline tuner {
namespace {

// Shorter loops are planned written out and played round by round, devices that are alike once: to list what
// happens in a few of their rounds, until there is a steady state, takes as long, and is of no use where
// there is none.
constexpr int64_t kFewestPlayed = 200;

Picoseconds limit_of(double seconds) {
  return seconds < to_seconds(kLongestTime) ? to_picoseconds(seconds)
                                            : std::numeric_limits<Picoseconds>::max();
}

// None: it takes longer.
Result<std::optional<Timeline>> totals_within(Picoseconds limit, const Program& program, const TimedOn& chip,
                                              const std::stop_token& stop) {
  ScheduleOptions totals;
  totals.keep_events = false;
  totals.fastest = &chip.fastest;
  totals.enough = limit;
  TRY(Timeline timeline, schedule(program, chip.hardware, totals, stop));
  if (timeline.total > limit) return std::optional<Timeline>();
  return std::optional(std::move(timeline));
}

}  // namespace

Result<Program> planned(const LayerOption& option, const Mesh& mesh, const MatmulProblem& problem,
                        const std::stop_token& stop) {
  return plan_looped(*option.strategy, mesh, problem, option.options, kFewestPlayed, stop);
}

// The rounds of a loop ask for the same.
std::vector<CollectiveQuery> asked_by(const Program& program, const TimedOn& chip) {
  const auto queries = [&]() -> Result<std::vector<CollectiveQuery>> {
    if (!has_parts(program)) return asked_collectives(program, chip.hardware, chip.fastest);
    TRY(const Program once, written_out_shortly(program, 2, 1));
    return asked_collectives(once, chip.hardware, chip.fastest);
  }();
  return queries.ok() ? *queries : std::vector<CollectiveQuery>();
}

Result<std::optional<OptionTime>> time_option(const LayerOption& option, const Mesh& mesh,
                                              const MatmulProblem& problem, const TimedOn& chip,
                                              double limit_s, const std::stop_token& stop) {
  return time_planned(planned(option, mesh, problem, stop), chip, limit_s, stop);
}

Result<std::optional<OptionTime>> time_planned(Result<Program> program, const TimedOn& chip, double limit_s,
                                               const std::stop_token& stop) {
  TRY(const Program of, std::move(program));
  TRY(const auto within, totals_within(limit_of(limit_s), of, chip, stop));
  if (!within) return std::optional<OptionTime>();
  const Timeline& timeline = *within;
  const CriticalPath& path = timeline.critical_path;
  OptionTime out;
  out.total_s = to_seconds(timeline.total);
  out.peak_bytes = static_cast<int64_t>(max_per_device(timeline).peak_bytes);
  out.bandwidth_s = to_seconds(path.bandwidth);
  out.latency_s = to_seconds(path.latency);
  out.rest_s = out.total_s - out.bandwidth_s - out.latency_s;
  return std::optional(out);
}

Resharding resharding(const Mesh& mesh, const TimedOn& chip, const StoredArray& from, const StoredArray& to,
                      const Shape& shape, const std::stop_token& stop) {
  return from == to ? Resharding() : resharding(reshard_program(mesh, shape, from, to), chip, stop);
}

Resharding resharding(const Result<Program>& program, const TimedOn& chip, const std::stop_token& stop) {
  constexpr Picoseconds kForever = std::numeric_limits<Picoseconds>::max();
  const auto timeline = [&]() -> Result<std::optional<Timeline>> {
    TRY_VOID(program);
    return totals_within(kForever, *program, chip, stop);
  }();
  if (!timeline.ok()) return {0, std::numeric_limits<double>::infinity()};
  const Timeline& totals = **timeline;
  return {static_cast<double>(max_per_device(totals).bytes_received), to_seconds(totals.total)};
}

}  // namespace shardscope::inline tuner
