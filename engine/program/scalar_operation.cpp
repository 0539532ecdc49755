// SPDX-License-Identifier: Apache-2.0
#include "engine/program/scalar_operation.h"

#include <algorithm>
#include <utility>

namespace shardscope::inline program {
namespace {

// Instructions in their order, scalars broadcast where something reads them beside arrays.
class ElementwiseWriter {
 public:
  ElementwiseWriter(const Computation& operation, const ElementwiseCall& call)
      : from_(operation), call_(call) {}

  Result<Computation> write(std::string name) {
    for (const Instruction& i : from_.instructions) TRY_VOID(add(i));
    out_.name = std::move(name);
    out_.root = made_[static_cast<size_t>(from_.root.value)];
    return std::move(out_);
  }

 private:
  static size_t place(InstructionId id) { return static_cast<size_t>(id.value); }

  Result<void> add(const Instruction& i) {
    Instruction next = i;
    bool array = i.opcode == Opcode::parameter && call_.arrays[static_cast<size_t>(i.parameter_number)];
    for (const InstructionId operand : i.operands) array = array || arrays_[place(operand)];
    const bool elementwise = is_elementwise(i.opcode) || has(i.opcode, Trait::same_array);
    if (i.shape.is_tuple && i.opcode != Opcode::tuple) return refusal(i);
    if (array && !elementwise && i.opcode != Opcode::parameter && i.opcode != Opcode::tuple)
      return refusal(i);
    for (InstructionId& operand : next.operands)
      operand = array && elementwise ? widened(operand) : made_[place(operand)];
    if (array) next.shape = shape_of(i, next);
    made_.push_back(emit(std::move(next)));
    arrays_.push_back(array);
    return {};
  }

  Shape shape_of(const Instruction& i, const Instruction& next) const {
    if (i.opcode != Opcode::tuple) return Shape::array(i.shape.type, call_.dims);
    std::vector<Shape> parts;
    for (const InstructionId operand : next.operands) parts.push_back(out_.at(operand).shape);
    return Shape::tuple(std::move(parts));
  }

  InstructionId widened(InstructionId of) {
    const InstructionId made = made_[place(of)];
    if (arrays_[place(of)]) return made;
    Instruction wide;
    wide.name = out_.at(made).name + ".wide";
    wide.opcode = Opcode::broadcast;
    wide.shape = Shape::array(out_.at(made).shape.type, call_.dims);
    wide.operands = {made};
    return emit(std::move(wide));
  }

  InstructionId emit(Instruction i) {
    out_.instructions.push_back(std::move(i));
    return InstructionId(std::ssize(out_.instructions) - 1);
  }

  Result<void> refusal(const Instruction& i) const {
    return invalid("operation " + from_.name + " is of scalars, and " + std::string(opcode_text(i)) + " '" +
                       i.name + "' is no elementwise operation: it cannot be applied to each element",
                   "computation " + from_.name, "write it for the shape of its operands");
  }

  const Computation& from_;
  const ElementwiseCall& call_;
  Computation out_;
  std::vector<InstructionId> made_;  // by instruction of the operation
  std::vector<bool> arrays_;         // likewise
};

}  // namespace

bool takes_scalars(const Computation& operation) {
  const auto all = parameters(operation);
  return !all.empty() && std::ranges::all_of(all, [](const Instruction& p) {
    return !p.shape.is_tuple && p.shape.dims.empty();
  });
}

Result<Computation> applied_to_elements(const Computation& operation, const ElementwiseCall& call,
                                        std::string name) {
  return ElementwiseWriter(operation, call).write(std::move(name));
}

}  // namespace shardscope::inline program
