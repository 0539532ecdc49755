// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/partitioned_cost.h"

#include <algorithm>

#include "engine/collectives/group_place.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope {
namespace {

// Whether the instruction runs its computation as a part of the program, and not once per element.
bool runs_its_computation(const Instruction& i) {
  return i.opcode == Opcode::while_ || i.opcode == Opcode::conditional || i.opcode == Opcode::call;
}

bool has_buffer(const Instruction& i) {
  return i.opcode == Opcode::parameter || (!is_free(i) && !i.shape.is_tuple);
}

}  // namespace

double CollectiveBytes::of(const Computation& computation, const Instruction& i) {
  const Program& program = program_;
  if (i.opcode == Opcode::collective_permute) {
    double moved = 0;
    for (const SourceTarget& pair : i.permutation->pairs()) moved += pair.source != pair.target ? 1 : 0;
    return moved * static_cast<double>(i.shape.bytes()) / static_cast<double>(program.mesh.device_count());
  }
  const auto kind = collective_kind(i);
  const auto groups = device_groups(program, i);
  if (!kind || groups.empty()) return 0;
  const auto ranks = static_cast<int32_t>(groups.front().size());
  const int64_t bytes = collective_bytes(computation, i, ranks);
  const auto [known, is_new] = known_.try_emplace({*kind, groups.front(), bytes}, 0.0);
  if (!is_new) return known->second;
  const GroupPlace place = place_group(program.mesh, torus_of(program.mesh), groups.front());
  const auto lowered = lower(*kind, CollectiveAlgorithm::automatic, ranks, place.topology);
  if (lowered.ok()) known->second = mean_bytes_sent(**lowered, bytes);
  return known->second;
}

int64_t peak_live_bytes(const Program& program, const Computation& computation) {
  const std::vector<int32_t> last = last_use(computation);
  const size_t count = computation.instructions.size();
  std::vector<int64_t> ends(count + 1, 0);
  int64_t live = 0, peak = 0;
  for (const Instruction& i : computation.instructions)
    if (i.opcode == Opcode::parameter) live += i.shape.bytes();
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = computation.instructions[k];
    if (has_buffer(i) && i.opcode != Opcode::parameter) {
      live += i.shape.bytes();
      ends[std::max(static_cast<size_t>(last[k]), k)] += i.shape.bytes();
    }
    int64_t inside = 0;
    for (const CalledComputation& called : i.called) {
      if (!runs_its_computation(i)) continue;
      const Computation& body = program.computation(called.computation);
      int64_t given = 0;
      for (const Instruction& p : body.instructions)
        if (p.opcode == Opcode::parameter) given += p.shape.bytes();
      inside = std::max(inside, peak_live_bytes(program, body) - given);
    }
    peak = std::max(peak, live + inside);
    live -= ends[k];
  }
  return peak;
}

}  // namespace shardscope
