// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/opcode_kind.h"

#include "engine/program/ir/op_table.h"

namespace shardscope::inline collectives {

std::optional<CollectiveKind> collective_kind(Opcode opcode) {
  static const OpTable<std::optional<CollectiveKind>> kinds(
      {}, {{Opcode::all_gather, CollectiveKind::all_gather},
           {Opcode::reduce_scatter, CollectiveKind::reduce_scatter},
           {Opcode::all_reduce, CollectiveKind::all_reduce},
           {Opcode::collective_permute, CollectiveKind::permute},
           {Opcode::all_to_all, CollectiveKind::all_to_all},
           {Opcode::collective_broadcast, CollectiveKind::broadcast}});
  return kinds[opcode];
}

std::optional<CollectiveKind> collective_kind(const Instruction& instruction) {
  if (instruction.opcode == Opcode::all_reduce && instruction.rooted) return CollectiveKind::reduce;
  return collective_kind(instruction.opcode);
}

bool is_timed_collective(const Instruction& instruction) {
  return collective_kind(instruction).has_value() || instruction.opcode == Opcode::ragged_all_to_all;
}

}  // namespace shardscope::inline collectives
