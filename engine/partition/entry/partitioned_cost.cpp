// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/partitioned_cost.h"

#include <algorithm>

#include "engine/collectives/group_place.h"
#include "engine/collectives/opcode_kind.h"

namespace shardscope::inline partitioner {

int64_t collective_data(const Computation& c, const Instruction& i) {
  int64_t read = 0;
  for (const InstructionId operand : i.operands) read += c.at(operand).shape.bytes();
  return std::max(read, i.shape.bytes());
}

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

}  // namespace shardscope::inline partitioner
