// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/by_partitioner.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/partition/entry/partition.h"
#include "engine/session/atlas/program_costs.h"

namespace shardscope::inline session {
namespace {

PartitionerCost cost_of(const Program& program, Partitioner by, const Hardware& hardware,
                        const std::stop_token& stop) {
  PartitionerCost out;
  out.by = by;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode)) ++out.collectives[std::string(opcode_text(i.opcode))];
  const auto cost = ProgramCosts(program.mesh, hardware).of(program, stop);
  if (!cost.ok()) {
    out.why = cost.error().text();
    return out;
  }
  out.peak_bytes = cost->peak_bytes;
  out.bytes_sent = cost->bytes;
  out.time = cost->time;
  return out;
}

}  // namespace

std::string PartitionerCost::text() const {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : collectives) kinds.push_back(fmt::format("{} {}", count, kind));
  std::string out = kinds.empty() ? "no collectives" : join(kinds, ", ");
  if (!time) return out + "; no time: " + why;
  return out + fmt::format("; a device sends {}; {} on the chip", format_bytes(bytes_sent),
                           format_picoseconds(*time));
}

Result<std::vector<PartitionerCost>> by_partitioner(const Partitioned& made, PartitionOptions how,
                                                    const Hardware& hardware) {
  const StagePtr before = stage_of(made.before, StageKind::propagated);
  std::vector<PartitionerCost> out;
  for (const Partitioner by : kPartitioners) {
    how.partitioner = by;
    TRY(const Partitioned one, partition(before != nullptr ? before : first_stage(made.before), how));
    out.push_back(cost_of(*one.program, by, hardware, how.stop));
    if (how.stop.stop_requested()) return cancelled();
  }
  return out;
}

std::string cheaper_partitioner(const std::vector<PartitionerCost>& costs) {
  const PartitionerCost* best = nullptr;
  const PartitionerCost* other = nullptr;
  for (const PartitionerCost& cost : costs) {
    if (!cost.time) return "";
    if (best == nullptr || *cost.time < *best->time) {
      other = best;
      best = &cost;
    } else {
      other = &cost;
    }
  }
  if (best == nullptr || other == nullptr || *best->time == *other->time) return "";
  return fmt::format("{} takes {} less", name(best->by), format_picoseconds(*other->time - *best->time));
}

}  // namespace shardscope::inline session
