// SPDX-License-Identifier: Apache-2.0
// One operation under lowering: what a row of the table reads and writes.
#pragma once

#include <initializer_list>
#include <optional>

#include "engine/program/mlir/mlir_lowering.h"
#include "engine/program/mlir/mlir_values.h"

namespace shardscope::inline program {

struct MlirCase {
  MlirLowering& all;
  MlirScope& scope;
  const MlirOp& op;
  std::vector<InstructionId> operands;
  Opcode opcode = Opcode::unknown;  // of the row

  Error error(const std::string& what) const;
  const Shape& shape(size_t operand) const { return scope.into->made.at(operands[operand]).shape; }
  Result<void> expects(size_t operands) const;  // at least so many
  // The shape of the one result, or the tuple of all.
  Result<Shape> result() const;
  std::vector<Shape> results() const;

  // The text behind the first of the keys that is there; aliases are resolved.
  Result<std::string_view> text(std::initializer_list<std::string_view> keys) const;
  bool has(std::initializer_list<std::string_view> keys) const;
  Result<std::vector<int64_t>> numbers(
      std::initializer_list<std::string_view> keys) const;  // empty: not said
  Result<std::optional<int64_t>> number(std::initializer_list<std::string_view> keys) const;
  std::string_view word(char first) const;  // the first of its words that begins so

  Instruction make(Opcode made, Shape result, std::vector<InstructionId> from) const {
    return all.instruction(made, std::move(result), std::move(from));
  }
  InstructionId emit(Instruction&& i) { return all.emit(scope, std::move(i)); }
  // The instruction that is the operation's results: named, annotated and bound to their names.
  Result<void> give(Instruction&& i);
  Result<void> give_plain();  // of the row's opcode on all operands
  void stand_for(InstructionId value) { all.bind(scope, op, value); }
  InstructionId broadcast(InstructionId scalar, const Shape& like);
};

// A computation of a region: its arguments are the parameters, in order. What it uses from outside is made
// again inside when it is a constant, else refused.
Result<ComputationId> closed_region(MlirCase& c, const MlirRegion& region, std::string_view base);

// Names that regions use from outside, in the order of their first use.
std::vector<std::string_view> captured_names(const std::vector<const MlirRegion*>& regions);

// Makes an instruction of a constant again in another scope; none: it is no small constant.
std::optional<InstructionId> constant_again(MlirLowering& all, const MlirScope& from, InstructionId constant,
                                            MlirScope& to);

}  // namespace shardscope::inline program
