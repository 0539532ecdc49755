// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/resharding.h"

#include <limits>

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

namespace shardscope {

Resharding resharding(const Mesh& mesh, const Hardware& hardware, const StoredArray& from,
                      const StoredArray& to, const Shape& shape) {
  if (from == to || mesh.device_count() == 1) return {};
  const auto timeline = [&]() -> Result<Timeline> {
    TRY(Program program, reshard_program(mesh, shape, from, to));
    TRY(program, resolve_collectives(std::move(program), hardware, CollectiveAlgorithm::automatic));
    ScheduleOptions totals;
    totals.keep_events = false;
    return schedule(program, hardware, totals, {});
  }();
  if (!timeline.ok()) return {0, std::numeric_limits<double>::infinity()};
  return {static_cast<double>(max_per_device(*timeline).bytes_received), to_seconds(timeline->total)};
}

}  // namespace shardscope
