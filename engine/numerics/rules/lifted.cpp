// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/lifted.h"

#include <algorithm>

#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics {
namespace {

bool is_scalar_shape(const Shape& shape) {
  if (shape.is_tuple) return std::all_of(shape.elements.begin(), shape.elements.end(), is_scalar_shape);
  return shape.rank() == 0;
}

Shape with_elements(const Shape& scalar, int64_t count) {
  if (!scalar.is_tuple) return Shape::array(scalar.type, {count});
  std::vector<Shape> elements;
  for (const Shape& element : scalar.elements) elements.push_back(with_elements(element, count));
  return Shape::tuple(std::move(elements));
}

// What an instruction on scalars becomes on arrays of their elements.
using Lift = void (*)(Instruction& i, std::vector<Instruction>& before);

void same(Instruction&, std::vector<Instruction>&) {}

void forwarded(Instruction& i, std::vector<Instruction>&) {
  i.opcode = Opcode::copy;
}

void spread(Instruction& i, std::vector<Instruction>& before) {
  before.push_back(i);
  i.opcode = Opcode::broadcast;
  i.literal = {};
  i.operands = {InstructionId(static_cast<int64_t>(before.size()) - 1)};
}

const OpTable<Lift>& lifts() {
  static const OpTable<Lift> kLifts({{OpClass::elementwise, &same}}, {{Opcode::parameter, &same},
                                                                      {Opcode::tuple, &same},
                                                                      {Opcode::get_tuple_element, &same},
                                                                      {Opcode::copy, &same},
                                                                      {Opcode::bitcast_convert, &same},
                                                                      {Opcode::constant, &spread},
                                                                      {Opcode::bitcast, &forwarded},
                                                                      {Opcode::reshape, &forwarded},
                                                                      {Opcode::transpose, &forwarded},
                                                                      {Opcode::broadcast, &forwarded}});
  return kLifts;
}

constexpr size_t kMostLifted = 100'000;  // instructions, with calls written out

// Writes a computation of scalars as one of arrays of `count` elements.
class Lifter {
 public:
  Lifter(const Program& program, const Instruction& caller, int64_t count)
      : program_(program), caller_(caller), count_(count), out_(std::make_unique<Computation>()) {}

  Result<std::unique_ptr<Computation>> lifted(const Computation& scalar) {
    out_->name = scalar.name;
    TRY(out_->root, append(scalar, nullptr));
    return std::move(out_);
  }

 private:
  // `call`: it is written out there; null: its parameters stay parameters.
  Result<InstructionId> append(const Computation& scalar, const std::vector<InstructionId>* call) {
    std::vector<InstructionId> to;
    for (const Instruction& from : scalar.instructions) {
      if (call != nullptr && from.parameter_number >= 0) {
        to.push_back((*call)[static_cast<size_t>(from.parameter_number)]);
        continue;
      }
      Instruction i = from;
      for (InstructionId& operand : i.operands) operand = to[static_cast<size_t>(operand.value)];
      if (has(from.opcode, Trait::inlined) && !from.called.empty()) {
        const std::vector<InstructionId> arguments = i.operands;
        TRY(const InstructionId result,
            append(program_.computation(from.called.front().computation), &arguments));
        to.push_back(result);
        continue;
      }
      TRY_VOID(add(scalar, from, std::move(i)));
      to.push_back(InstructionId(static_cast<int64_t>(out_->instructions.size()) - 1));
    }
    return to[static_cast<size_t>(scalar.root.value)];
  }

  Result<void> add(const Computation& scalar, const Instruction& from, Instruction i) {
    const Lift lift = lifts()[from.opcode];
    if (lift == nullptr || !is_scalar_shape(from.shape))
      return invalid("cannot apply " + scalar.name + " to many elements: its " +
                         std::string(opcode_text(from)) + " '" + from.name + "' is not elementwise",
                     "%" + caller_.name, "say --check off to time it only");
    if (out_->instructions.size() >= kMostLifted)
      return too_big("cannot apply " + scalar.name + " to many elements: it is too long", "%" + caller_.name);
    lift(i, out_->instructions);
    i.shape = with_elements(from.shape, count_);
    out_->instructions.push_back(std::move(i));
    return {};
  }

  const Program& program_;
  const Instruction& caller_;
  int64_t count_;
  std::unique_ptr<Computation> out_;
};

}  // namespace

Result<ArrayViews> apply_lifted(Execution& run, const LiftedCall& call, int64_t count,
                                const ArrayViews& arguments) {
  const Computation* scalar = called_computation(run.program, call.caller, call.key);
  if (scalar == nullptr) return invalid("needs " + std::string(call.key), "%" + call.caller.name);
  std::unique_ptr<Computation>& made = run.lifted[{scalar, count}];
  if (made == nullptr) {
    TRY(made, Lifter(run.program, call.caller, count).lifted(*scalar));
  }
  std::vector<DeviceValues> values;
  for (const std::vector<ViewPtr>& argument : arguments) {
    DeviceValues of_devices(run.devices);
    for (size_t d = 0; d < run.devices; ++d) of_devices[d].view = argument[d];
    values.push_back(std::move(of_devices));
  }
  TRY(const DeviceValues results, run_computation(run, *made, std::move(values)));
  const Shape& shape = made->root_instruction().shape;
  ArrayViews out(shape.is_tuple ? shape.elements.size() : 1);
  for (size_t p = 0; p < out.size(); ++p) {
    const ElementType type = shape.is_tuple ? shape.elements[p].type : shape.type;
    for (size_t d = 0; d < run.devices; ++d)
      out[p].push_back(run.scalars.view_of(shape.is_tuple ? results[d].elements.at(p) : results[d], type));
  }
  return out;
}

void forget_lifted(Execution& run, const LiftedCall& call, int64_t count) {
  const auto found = run.lifted.find({called_computation(run.program, call.caller, call.key), count});
  if (found == run.lifted.end()) return;
  // Others may get this memory: nothing is known by its addresses any more.
  for (const Instruction& i : found->second->instructions) run.constants.erase(&i);
  run.plans.erase(found->second.get());
  run.lifted.erase(found);
}

void give_parts(Step& step, const ArrayViews& parts) {
  const Shape& shape = step.at().shape;
  for (size_t d = 0; d < step.devices(); ++d) {
    DeviceValue& value = step.results()[d];
    for (size_t p = 0; p < parts.size(); ++p) {
      const std::vector<int64_t>& dims = shape.is_tuple ? shape.elements[p].dims : shape.dims;
      const ViewPtr plain = step.plain({parts[p][d]}).front();
      const auto view = std::make_shared<View>(*plain->reshape(dims));
      if (!shape.is_tuple) {
        value.view = view;
      } else {
        value.elements.emplace_back();
        value.elements.back().view = view;
      }
    }
  }
}

}  // namespace shardscope::inline numerics
