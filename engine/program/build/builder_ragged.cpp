// SPDX-License-Identifier: Apache-2.0
// Rows in groups of different sizes.
#include "engine/program/build/builder_state.h"

namespace shardscope::inline program {

Value SpmdBuilder::table_row(const std::vector<std::vector<int64_t>>& rows, std::string_view role) {
  if (!ok()) return {this, InstructionId()};
  const auto width = static_cast<int64_t>(rows.front().size());
  Instruction table;
  table.opcode = Opcode::constant;
  table.shape = Shape::array(ElementType::s32, {static_cast<int64_t>(rows.size()), width});
  for (const std::vector<int64_t>& row : rows) {
    table.literal.edit() += table.literal.empty() ? "{ {" : ", {";
    for (size_t i = 0; i < row.size(); ++i)
      table.literal.edit() += (i > 0 ? "," : "") + std::to_string(row[i]);
    table.literal.edit() += "}";
  }
  table.literal.edit() += " }";
  const Value whole = emit(std::move(table));
  return reshape(dynamic_slice(whole, 0, axis_index(role), 1), {width});
}

Value SpmdBuilder::ragged_dot(Value lhs, Value rhs, Value group_sizes) {
  if (!ok()) return {this, InstructionId()};
  Instruction instruction;
  instruction.opcode = Opcode::ragged_dot;
  instruction.shape = Shape::array(state_->accumulation, {lhs.dim(0), rhs.dim(2)});
  instruction.operands = {lhs.id_, rhs.id_, group_sizes.id_};
  instruction.dot.edit().lhs_contracting = {1};
  instruction.dot.edit().rhs_contracting = {1};
  instruction.verbatim.edit() = {{"lhs_ragged_dims", "{0}"}, {"rhs_group_dims", "{0}"}};
  return emit(std::move(instruction));
}

Value SpmdBuilder::ragged_all_to_all(Value v, Value target, std::string_view role,
                                     const RaggedTables& tables) {
  if (!ok() || size(role) == 1) return v;
  Instruction instruction;
  instruction.opcode = Opcode::ragged_all_to_all;
  instruction.shape = shape_of(target);
  instruction.operands = {v.id_,
                          target.id_,
                          tables.input_offsets.id_,
                          tables.send_sizes.id_,
                          tables.output_offsets.id_,
                          tables.receive_sizes.id_};
  instruction.replica_groups = state_->groups_of(role);
  instruction.channel_id = state_->next_channel++;
  return emit(std::move(instruction));
}

}  // namespace shardscope::inline program
