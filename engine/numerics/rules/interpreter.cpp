// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/interpreter.h"

#include <algorithm>
#include <cstring>

#include "engine/numerics/array/element.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/plain_program.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {

namespace {

Error cannot_run(const Instruction& instruction, const std::string& why = "") {
  const std::string opcode(instruction.opcode == Opcode::unknown
                               ? instruction.opcode_name
                               : std::string(opcode_text(instruction.opcode)));
  return invalid("cannot run " + opcode + why, "%" + instruction.name,
                 "run with numerics off to time it only");
}

}  // namespace

Interpreter::Interpreter(const Program& program, const Workers& workers, bool trap_slices, Isa isa)
    : plain_(plain_program(program)),
      program_(plain_ ? *plain_ : program),
      workers_(workers),
      trap_slices_(trap_slices),
      isa_(isa),
      devices_(static_cast<size_t>(program.mesh.device_count())) {}

// A dot that only an add reads, or a sum of such that only an add reads, waits for that add: all dots of the
// sum are one product then, which touches C once for many small contractions.
const Interpreter::Plan& Interpreter::plan_of(const Computation& computation) {
  const auto [it, fresh] = plans_.try_emplace(&computation);
  Plan& plan = it->second;
  if (!fresh) return plan;
  const size_t count = computation.instructions.size();
  std::vector<int> readers(count);
  for (const Instruction& i : computation.instructions) {
    for (InstructionId operand : i.operands) ++readers[static_cast<size_t>(operand.value)];
  }
  ++readers[static_cast<size_t>(computation.root.value)];
  plan.deferred.assign(count, 0);
  plan.kept.assign(count, 0);
  std::vector<int> products(count);  // that read a value on the right
  for (const Instruction& i : computation.instructions) {
    if (i.opcode != Opcode::dot) continue;
    const size_t right = static_cast<size_t>(i.operands[1].value);
    plan.kept[right] = ++products[right] > 1;
  }
  for (size_t n = 0; n < count; ++n) {
    const Instruction& instruction = computation.instructions[n];
    const int32_t number = static_cast<int32_t>(n);
    if (instruction.opcode == Opcode::dot) plan.sums[number].dots = {InstructionId(number)};
    if (instruction.opcode != Opcode::add) continue;
    Plan::Sum sum;
    int bases = 0;
    for (InstructionId operand : instruction.operands) {
      const auto found = plan.sums.find(operand.value);
      bool joins = found != plan.sums.end() && readers[static_cast<size_t>(operand.value)] == 1;
      for (size_t d = 0; joins && d < found->second.dots.size(); ++d) {
        const Instruction& dot = computation.at(found->second.dots[d]);
        joins = product_type(computation.at(dot.operands[0]).shape.type) == instruction.shape.type;
      }
      if (!joins) {
        sum.base = operand;
        ++bases;
        continue;
      }
      sum.dots.insert(sum.dots.end(), found->second.dots.begin(), found->second.dots.end());
      if (found->second.base.valid()) {
        sum.base = found->second.base;
        ++bases;
      }
    }
    if (sum.dots.empty() || bases > 1) continue;
    for (InstructionId operand : instruction.operands) {
      if (operand != sum.base) {
        plan.deferred[static_cast<size_t>(operand.value)] = 1;
        plan.sums.erase(operand.value);
      }
    }
    plan.sums[number] = std::move(sum);
  }
  // A deferred instruction reads its operands when its sum is executed.
  std::vector<int32_t> reads_at(count), last(count);
  for (size_t n = count; n-- > 0;) {
    if (!plan.deferred[n]) reads_at[n] = static_cast<int32_t>(n);
    for (InstructionId operand : computation.instructions[n].operands) {
      const size_t o = static_cast<size_t>(operand.value);
      if (plan.deferred[o]) reads_at[o] = reads_at[n];
      last[o] = std::max(last[o], reads_at[n]);
    }
  }
  last[static_cast<size_t>(computation.root.value)] = static_cast<int32_t>(count);
  plan.dying.resize(count + 1);
  for (size_t n = 0; n < count; ++n) {
    const int32_t end = std::max(last[n], static_cast<int32_t>(n));
    plan.dying[static_cast<size_t>(end)].push_back(static_cast<int32_t>(n));
  }
  return plan;
}

Result<std::vector<DeviceValue>> Interpreter::run(const std::vector<std::vector<ViewPtr>>& parameters,
                                                  std::stop_token stop,
                                                  const std::function<void(double)>& progress) {
  if (plain_) TRY_VOID(verify(*plain_));
  stop_ = std::move(stop);
  progress_ = progress;
  std::vector<DeviceValues> arguments;
  for (const std::vector<ViewPtr>& parameter : parameters) {
    DeviceValues values(devices_);
    for (size_t d = 0; d < devices_; ++d) values[d].view = parameter[d];
    arguments.push_back(std::move(values));
  }
  return run_computation(program_.entry_computation(), std::move(arguments));
}

Result<std::vector<DeviceValue>> Interpreter::run_values(std::vector<std::vector<DeviceValue>> parameters,
                                                         std::stop_token stop) {
  if (plain_) TRY_VOID(verify(*plain_));
  stop_ = std::move(stop);
  progress_ = nullptr;
  return run_computation(program_.entry_computation(), std::move(parameters));
}

Result<Interpreter::DeviceValues> Interpreter::run_computation(const Computation& computation,
                                                               std::vector<DeviceValues> arguments) {
  const Plan& plan = plan_of(computation);
  Frame frame{computation, std::move(arguments), {}, &computation == &program_.entry_computation(), {}};
  const size_t count = computation.instructions.size();
  frame.values.resize(count);
  for (size_t n = 0; n < count; ++n) {
    if (stop_.stop_requested()) return cancelled();
    if (!plan.deferred[n]) {
      const InstructionId id(static_cast<int64_t>(n));
      frame.of(id).resize(devices_);
      const auto sum = plan.sums.find(id.value);
      if (sum != plan.sums.end()) {
        TRY_VOID(execute_dot(frame, id, sum->second));
      } else {
        TRY_VOID(execute(frame, id));
      }
      for (int32_t dead : plan.dying[n]) {
        frame.panels.erase(dead);
        frame.values[static_cast<size_t>(dead)].clear();
      }
    }
    if (frame.is_entry && progress_) progress_(static_cast<double>(n + 1) / static_cast<double>(count));
  }
  if (stop_.stop_requested()) return cancelled();
  return std::move(frame.of(computation.root));
}

Result<void> Interpreter::execute(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  switch (i.opcode) {
    case Opcode::parameter: {
      const size_t number = static_cast<size_t>(i.parameter_number);
      if (number >= frame.arguments.size()) return invalid("no argument for parameter", "%" + i.name);
      frame.of(id) = frame.arguments[number];
      return {};
    }
    case Opcode::tuple:
      for (size_t d = 0; d < devices_; ++d) {
        for (size_t o = 0; o < i.operands.size(); ++o)
          frame.of(id)[d].elements.push_back(frame.operand(id, o, d));
      }
      return {};
    case Opcode::get_tuple_element:
      for (size_t d = 0; d < devices_; ++d) {
        frame.of(id)[d] = frame.operand(id, 0, d).elements.at(static_cast<size_t>(i.tuple_index));
      }
      return {};
    case Opcode::copy:
    case Opcode::optimization_barrier:
      for (size_t d = 0; d < devices_; ++d) frame.of(id)[d] = frame.operand(id, 0, d);
      return {};
    case Opcode::partition_id:
      for (size_t d = 0; d < devices_; ++d) frame.of(id)[d].scalar = static_cast<int64_t>(d);
      return {};
    case Opcode::replica_id:
      return {};
    case Opcode::call:
    case Opcode::fusion:
      return execute_call(frame, id);
    case Opcode::while_:
      return execute_while(frame, id);
    case Opcode::conditional:
      return execute_conditional(frame, id);
    case Opcode::after_all:
      return {};
    case Opcode::pad:
      return execute_pad(frame, id);
    case Opcode::reverse:
      return execute_reverse(frame, id);
    case Opcode::gather:
      return execute_gather(frame, id);
    case Opcode::scatter:
      return execute_scatter(frame, id);
    case Opcode::bitcast_convert:
      return execute_bitcast_convert(frame, id);
    case Opcode::reduce_window:
      return execute_reduce_window(frame, id);
    case Opcode::sort:
      return execute_sort(frame, id);
    case Opcode::convolution:
      return execute_convolution(frame, id);
    case Opcode::custom_call:
      if (custom_call_target(i) == "TopK" && i.operands.size() == 1) return execute_top_k(frame, id);
      return cannot_run(i, " of target \"" + custom_call_target(i) + "\"");
    case Opcode::all_gather:
    case Opcode::all_reduce:
    case Opcode::reduce_scatter:
    case Opcode::all_to_all:
    case Opcode::collective_permute:
    case Opcode::collective_broadcast:
      return execute_collective(frame, id);
    case Opcode::ragged_all_to_all:
      return ragged_all_to_all(frame, id);
    case Opcode::ragged_dot:
      return ragged_dot(frame, id);
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::transpose:
    case Opcode::broadcast:
    case Opcode::slice:
    case Opcode::dynamic_slice:
    case Opcode::dynamic_update_slice:
    case Opcode::concatenate:
      return execute_shape(frame, id);
    case Opcode::constant:
    case Opcode::iota:
    case Opcode::convert:
    case Opcode::select:
    case Opcode::compare:
    case Opcode::clamp:
    case Opcode::reduce:
      return execute_math(frame, id);
    default:
      break;
  }
  if (is_elementwise(i.opcode)) return execute_math(frame, id);
  return cannot_run(i);
}

Result<void> Interpreter::execute_call(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  if (i.called.empty()) return cannot_run(i, " without a computation");
  std::vector<DeviceValues> arguments;
  for (InstructionId operand : i.operands) arguments.push_back(frame.of(operand));
  TRY(frame.of(id),
      run_computation(program_.computation(i.called.front().computation), std::move(arguments)));
  return {};
}

Result<void> Interpreter::execute_while(Frame& frame, InstructionId id) {
  const Instruction& i = frame.at(id);
  const Computation* body = nullptr;
  const Computation* condition = nullptr;
  for (const CalledComputation& called : i.called) {
    if (called.key == "body") body = &program_.computation(called.computation);
    if (called.key == "condition") condition = &program_.computation(called.computation);
  }
  if (body == nullptr || condition == nullptr) return cannot_run(i, " without body and condition");
  std::vector<DeviceValues> state = {frame.of(i.operands.front())};
  for (;;) {
    TRY(const DeviceValues go_on, run_computation(*condition, state));
    const int64_t first = scalar_of(go_on.front());
    for (const DeviceValue& value : go_on) {
      if (scalar_of(value) != first) return cannot_run(i, " whose condition differs between devices");
    }
    if (first == 0) break;
    TRY(state.front(), run_computation(*body, std::vector<DeviceValues>(state)));
  }
  frame.of(id) = std::move(state.front());
  return {};
}

int64_t Interpreter::scalar_of(const DeviceValue& value) const {
  if (value.view == nullptr) return value.scalar;
  int64_t result = 0;
  element::visit(value.view->type(), [&](auto tag) {
    using Tag = decltype(tag);
    typename Tag::Stored stored;
    std::memcpy(&stored, value.view->pieces().front().data, sizeof(stored));
    result = static_cast<int64_t>(Tag::load(stored));
  });
  return result;
}

ViewPtr Interpreter::view_of(const DeviceValue& value, ElementType type) {
  if (value.view != nullptr) return value.view;
  ViewPtr& view = scalars_[{static_cast<int>(type), value.scalar}];
  if (view == nullptr) {
    Array array = Array::allocate(type, {});
    element::visit(type, [&](auto tag) {
      using Tag = decltype(tag);
      array.mutable_as<typename Tag::Stored>()[0] =
          Tag::store(static_cast<typename Tag::Computed>(value.scalar));
    });
    view = std::make_shared<View>(View::of(array));
  }
  return view;
}

const std::vector<std::vector<DeviceId>>& Interpreter::groups_of(const Instruction& collective) {
  const auto [it, fresh] = groups_.try_emplace(&collective);
  if (fresh) it->second = device_groups(program_, collective);
  return it->second;
}

Result<Opcode> Interpreter::reducer_of(const Instruction& instruction) const {
  for (const CalledComputation& called : instruction.called) {
    if (called.key != "to_apply") continue;
    const Computation& reducer = program_.computation(called.computation);
    const Instruction& root = reducer.root_instruction();
    const bool binary = root.operands.size() == 2 && is_elementwise(root.opcode) &&
                        reducer.at(root.operands[0]).opcode == Opcode::parameter &&
                        reducer.at(root.operands[1]).opcode == Opcode::parameter;
    if (binary) return root.opcode;
  }
  return cannot_run(instruction, " with a reducer that is not one elementwise operation");
}

}  // namespace shardscope
