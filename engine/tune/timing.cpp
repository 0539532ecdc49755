// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/timing.h"

#include <limits>

#include "engine/base/units.h"
#include "engine/program/analysis/written_out.h"
#include "engine/schedule/loops/loop_plan.h"
#include "engine/schedule/loops/loop_schedule.h"
#include "engine/schedule/retiming.h"
#include "engine/strategies/looped.h"

namespace shardscope {
namespace {

Picoseconds limit_of(double seconds) {
  constexpr double kLongest = 1e6;  // seconds that picoseconds can say
  return seconds < kLongest ? to_picoseconds(seconds) : std::numeric_limits<Picoseconds>::max();
}

Result<std::optional<Timeline>> totals_of(Program program, const TimedOn& chip, double limit_s,
                                          const std::stop_token& stop) {
  TRY(program, resolve_collectives(std::move(program), chip.hardware, CollectiveAlgorithm::automatic,
                                   chip.fastest, stop));
  return schedule_within(limit_of(limit_s), program, chip.hardware, stop, &chip.fastest);
}

// By its loops where they can be timed so, else written out.
Result<std::optional<Timeline>> totals_of(const LayerOption& option, const Mesh& mesh,
                                          const MatmulProblem& problem, const TimedOn& chip, double limit_s,
                                          const std::stop_token& stop) {
  TRY(Program program, plan_looped(*option.strategy, mesh, problem, option.options, kFewestTuned, stop));
  if (!has_parts(program)) return totals_of(std::move(program), chip, limit_s, stop);
  TRY(program, resolve_collectives(std::move(program), chip.hardware, CollectiveAlgorithm::automatic,
                                   chip.fastest, stop));
  ScheduleOptions totals;
  totals.keep_events = false;
  totals.fastest = &chip.fastest;
  TRY(auto timeline, schedule_loops(program, chip.hardware, totals, stop, limit_of(limit_s)));
  if (timeline && timeline->total > limit_of(limit_s)) return std::optional<Timeline>();
  if (timeline) return timeline;
  TRY(program, option.strategy->plan(mesh, problem, option.options, stop));
  return totals_of(std::move(program), chip, limit_s, stop);
}

// The rounds of a loop ask for the same.
std::vector<AskedCollective> asked_by(const Program& program, const AskedOn& chip) {
  const auto asked = [&]() -> Result<std::vector<AskedCollective>> {
    if (!has_parts(program)) return asked_collectives(program, chip.hardware, chip.known);
    TRY(const Program once, written_out_shortly(program, 2, 1));
    return asked_collectives(once, chip.hardware, chip.known);
  }();
  return asked.ok() ? *asked : std::vector<AskedCollective>();
}

}  // namespace

std::vector<AskedCollective> asked_by(const LayerOption& option, const Mesh& mesh,
                                      const MatmulProblem& problem, const AskedOn& chip,
                                      const std::stop_token& stop) {
  const auto program = plan_looped(*option.strategy, mesh, problem, option.options, kFewestTuned, stop);
  return program.ok() ? asked_by(*program, chip) : std::vector<AskedCollective>();
}

std::vector<AskedCollective> asked_by_resharding(const Mesh& mesh, const AskedOn& chip,
                                                 const StoredArray& from, const StoredArray& to,
                                                 const Shape& shape) {
  const auto program = reshard_program(mesh, shape, from, to);
  return program.ok() ? asked_by(*program, chip) : std::vector<AskedCollective>();
}

Result<std::optional<OptionTime>> time_option(const LayerOption& option, const Mesh& mesh,
                                              const MatmulProblem& problem, const TimedOn& chip,
                                              double limit_s, const std::stop_token& stop) {
  TRY(const auto within, totals_of(option, mesh, problem, chip, limit_s, stop));
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
  if (from == to) return {};
  constexpr double kForever = std::numeric_limits<double>::infinity();
  const auto timeline = [&]() -> Result<std::optional<Timeline>> {
    TRY(Program program, reshard_program(mesh, shape, from, to));
    return totals_of(std::move(program), chip, kForever, stop);
  }();
  if (!timeline.ok()) return {0, kForever};
  const Timeline& totals = **timeline;
  return {static_cast<double>(max_per_device(totals).bytes_received), to_seconds(totals.total)};
}

}  // namespace shardscope
