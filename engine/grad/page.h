// SPDX-License-Identifier: Apache-2.0
// The module of a gradient as it is being written: its computations, each on a page of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline grad {

// What the pages of one module share: computations in the order of their making, names, channels. The first
// error sticks: who wrote the module asks for it at the end.
class GradModule {
 public:
  // `from`: what the gradient is taken of; its computations are copied when they are asked for.
  explicit GradModule(const Program& from);

  const Program& from() const { return from_; }
  const Program& made() const { return made_; }
  ComputationId add(Computation computation);
  // A computation of `from`, with what it calls.
  ComputationId copied(ComputationId computation);
  ComputationId reducer(Opcode opcode, ElementType type);
  std::string fresh_name(const std::string& wanted) { return fresh(names_, wanted); }
  std::string fresh_computation_name(const std::string& wanted) { return fresh(computations_, wanted); }
  int64_t next_channel() { return ++channel_; }

  // Operations that have a derivative of their own, with what it gives.
  void put_backward(const std::string& target, Shape gives) { backwards_[target] = std::move(gives); }
  const Shape* backward_of(const std::string& target) const {
    const auto found = backwards_.find(target);
    return found == backwards_.end() ? nullptr : &found->second;
  }

  void fail(const Error& error) {
    if (!error_) error_ = error;
  }
  const std::optional<Error>& error() const { return error_; }
  // Without what nobody calls.
  Program finish(ComputationId entry) &&;

 private:
  // Names that are taken, and the last number given to each of them.
  using Names = std::map<std::string, int64_t>;
  static std::string fresh(Names& names, const std::string& wanted);

  const Program& from_;
  Program made_;
  Names names_, computations_;
  std::map<int64_t, ComputationId> copies_;
  std::map<std::pair<Opcode, ElementType>, ComputationId> reducers_;
  std::map<std::string, Shape> backwards_;
  int64_t channel_ = 0;
  std::optional<Error> error_;
};

// One computation as it is being written. Instructions made for a source instruction have its name with
// ".bar" behind it.
class GradSheet {
 public:
  GradSheet(GradModule& module, const std::string& name);

  GradModule& module() const { return module_; }
  // What follows is made for `source` (null: for nobody); gives whom it was made for.
  const Instruction* visit(const Instruction* source) { return std::exchange(source_, source); }

  InstructionId add(Instruction instruction);   // under its own name, where nobody has it
  InstructionId made(Instruction instruction);  // for the source instruction
  const Computation& computation() const { return out_; }
  const Instruction& at(InstructionId id) const { return out_.at(id); }
  Instruction& edit(InstructionId id) { return out_.instructions[static_cast<size_t>(id.value)]; }
  const Shape& shape(InstructionId id) const { return at(id).shape; }
  const std::vector<int64_t>& dims(InstructionId id) const { return shape(id).dims; }
  ElementType type(InstructionId id) const { return shape(id).type; }

  InstructionId parameter(int64_t number, Shape shape, const std::string& name);
  InstructionId op(Opcode opcode, std::vector<InstructionId> operands);  // of the last operand's shape
  InstructionId op(Opcode opcode, Shape shape, std::vector<InstructionId> operands);

  // Without what the root does not need.
  Computation finish(InstructionId root) &&;

 private:
  GradModule& module_;
  Computation out_;
  const Instruction* source_ = nullptr;
};

// What a reduction by `reducer` gives of nothing.
double neutral(Opcode reducer);

// The operations that rules are written in; shapes follow from operands.
class GradPage : public GradSheet {
 public:
  using GradSheet::GradSheet;

  InstructionId constant(Shape shape, double value);  // the same everywhere
  InstructionId zeros(Shape shape) { return constant(std::move(shape), 0); }
  InstructionId index(int64_t value) { return constant(Shape::scalar(ElementType::s32), double(value)); }
  InstructionId literal(Shape shape, const std::string& text);
  InstructionId iota(const Shape& shape, int64_t dimension);
  InstructionId element(InstructionId tuple, int64_t index);
  InstructionId tuple(const std::vector<InstructionId>& elements);
  InstructionId convert(InstructionId id, ElementType type);
  InstructionId reshape(InstructionId id, const std::vector<int64_t>& dims);
  InstructionId transpose(InstructionId id, const std::vector<int64_t>& permutation);
  InstructionId reverse(InstructionId id, const std::vector<int64_t>& dimensions);
  InstructionId broadcast(InstructionId id, const std::vector<int64_t>& dims,
                          const std::vector<int64_t>& map);
  InstructionId compare(InstructionId a, InstructionId b, CompareDirection direction);
  InstructionId select(InstructionId which, InstructionId yes, InstructionId no);
  InstructionId reduce(Opcode with, InstructionId id, const std::vector<int64_t>& dimensions);
  InstructionId slice(InstructionId id, std::vector<SliceDim> ranges);
  InstructionId pad(InstructionId id, std::vector<PadDim> padding);  // with zeros
  InstructionId dynamic_slice(InstructionId id, const std::vector<InstructionId>& starts,
                              const std::vector<int64_t>& sizes);
  InstructionId update_slice(InstructionId id, InstructionId update,
                             const std::vector<InstructionId>& starts);
};

std::vector<int64_t> iota_dims(size_t count);  // 0, 1, …

}  // namespace shardscope::inline grad
