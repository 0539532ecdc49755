// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/opcode_kind.h"

namespace shardscope {

std::optional<CollectiveKind> collective_kind(Opcode opcode) {
  switch (opcode) {
    case Opcode::all_gather:
      return CollectiveKind::all_gather;
    case Opcode::reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case Opcode::all_reduce:
      return CollectiveKind::all_reduce;
    case Opcode::collective_permute:
      return CollectiveKind::permute;
    case Opcode::all_to_all:
      return CollectiveKind::all_to_all;
    case Opcode::collective_broadcast:
      return CollectiveKind::broadcast;
    default:
      return std::nullopt;
  }
}

std::optional<CollectiveKind> collective_kind(const Instruction& instruction) {
  if (instruction.opcode == Opcode::all_reduce && instruction.rooted) return CollectiveKind::reduce;
  return collective_kind(instruction.opcode);
}

}  // namespace shardscope
