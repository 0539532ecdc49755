// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/timing.h"

#include <limits>

#include "engine/base/units.h"
#include "engine/schedule/retiming.h"

namespace shardscope {
namespace {

Result<std::optional<Timeline>> totals_of(Program program, const Hardware& hardware, double limit_s,
                                          const std::stop_token& stop) {
  TRY(program, resolve_collectives(std::move(program), hardware, CollectiveAlgorithm::automatic, stop));
  constexpr double kLongest = 1e6;  // seconds that picoseconds can say
  const Picoseconds limit =
      limit_s < kLongest ? to_picoseconds(limit_s) : std::numeric_limits<Picoseconds>::max();
  return schedule_within(limit, program, hardware, stop);
}

}  // namespace

Result<std::optional<OptionTime>> time_option(const LayerOption& option, const Mesh& mesh,
                                              const MatmulProblem& problem, const Hardware& hardware,
                                              double limit_s, const std::stop_token& stop) {
  TRY(Program program, option.strategy->plan(mesh, problem, option.options, stop));
  TRY(const auto within, totals_of(std::move(program), hardware, limit_s, stop));
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

Resharding resharding(const Mesh& mesh, const Hardware& hardware, const StoredArray& from,
                      const StoredArray& to, const Shape& shape, const std::stop_token& stop) {
  if (from == to) return {};
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto timeline = [&]() -> Result<std::optional<Timeline>> {
    TRY(Program program, reshard_program(mesh, shape, from, to));
    return totals_of(std::move(program), hardware, kNever, stop);
  }();
  if (!timeline.ok()) return {0, kNever};
  const Timeline& totals = **timeline;
  return {static_cast<double>(max_per_device(totals).bytes_received), to_seconds(totals.total)};
}

}  // namespace shardscope
