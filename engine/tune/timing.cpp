// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/timing.h"

#include <limits>

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

namespace shardscope {
namespace {

Result<Timeline> totals_of(Program program, const Hardware& hardware, const std::stop_token& stop) {
  TRY(program, resolve_collectives(std::move(program), hardware, CollectiveAlgorithm::automatic, stop));
  ScheduleOptions totals;
  totals.keep_events = false;
  return schedule(program, hardware, totals, stop);
}

}  // namespace

Result<OptionTime> time_option(const LayerOption& option, const Mesh& mesh, const MatmulProblem& problem,
                               const Hardware& hardware, const std::stop_token& stop) {
  TRY(Program program, option.strategy->plan(mesh, problem, option.options, stop));
  TRY(const Timeline timeline, totals_of(std::move(program), hardware, stop));
  const CriticalPath& path = timeline.critical_path;
  OptionTime out;
  out.total_s = to_seconds(timeline.total);
  out.peak_bytes = static_cast<int64_t>(max_per_device(timeline).peak_bytes);
  out.bandwidth_s = to_seconds(path.bandwidth);
  out.latency_s = to_seconds(path.latency);
  out.rest_s = out.total_s - out.bandwidth_s - out.latency_s;
  return out;
}

Resharding resharding(const Mesh& mesh, const Hardware& hardware, const StoredArray& from,
                      const StoredArray& to, const Shape& shape, const std::stop_token& stop) {
  if (from == to) return {};
  const auto timeline = [&]() -> Result<Timeline> {
    TRY(Program program, reshard_program(mesh, shape, from, to));
    return totals_of(std::move(program), hardware, stop);
  }();
  if (!timeline.ok()) return {0, std::numeric_limits<double>::infinity()};
  return {static_cast<double>(max_per_device(*timeline).bytes_received), to_seconds(timeline->total)};
}

}  // namespace shardscope
