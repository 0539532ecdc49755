// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/instruction.h"

#include <tuple>

namespace shardscope {
namespace {

// Everything that == compares member by member; the permutation is compared by its pairs.
auto instruction_fields(const Instruction& i) {
  return std::tie(i.name, i.opcode, i.opcode_name, i.shape, i.operands, i.parameter_number, i.literal,
                  i.tuple_index, i.dimensions, i.slice, i.dynamic_slice_sizes, i.dot, i.attributes,
                  i.replica_groups, i.channel_id, i.called, i.sharding, i.verbatim, i.algorithm, i.rooted,
                  i.control_predecessors, i.provenance);
}

}  // namespace

bool Instruction::operator==(const Instruction& other) const {
  if (instruction_fields(*this) != instruction_fields(other)) return false;
  if (permutation == other.permutation) return true;
  return permutation && other.permutation && *permutation == *other.permutation;
}

}  // namespace shardscope
