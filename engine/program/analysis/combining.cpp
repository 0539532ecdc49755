// SPDX-License-Identifier: Apache-2.0
#include "engine/program/analysis/combining.h"

#include "engine/program/analysis/analysis.h"

namespace shardscope::inline program {

bool is_combined(const Instruction& collective) {
  return collective.operands.size() == 1 && !collective.shape.is_tuple;
}

bool go_alike(const Program& program, const Instruction& a, const Instruction& b) {
  if (a.channel_id.has_value() != b.channel_id.has_value() || a.rooted != b.rooted) return false;
  if (a.opcode == Opcode::collective_permute) return *a.permutation == *b.permutation;
  if (!(*a.replica_groups == *b.replica_groups) || *a.dimensions != *b.dimensions) return false;
  if (a.opcode == Opcode::all_gather) return true;
  return a.shape.type == b.shape.type && reducer_opcode(program, a) != Opcode::unknown &&
         reducer_opcode(program, a) == reducer_opcode(program, b);
}

}  // namespace shardscope::inline program
