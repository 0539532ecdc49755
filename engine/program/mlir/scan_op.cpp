// SPDX-License-Identifier: Apache-2.0
// chlo.scan(inputs) inits(carries): along one dimension the region gets an element of each input and the
// carries, and returns an element of each output and the next carries.
#include <algorithm>

#include "engine/program/analysis/analysis.h"
#include "engine/program/mlir/stablehlo_ops.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

struct Scan {
  size_t inputs = 0, outputs = 0, carries = 0;
  size_t dimension = 0;
  int64_t count = 0;  // of elements along it
  bool reverse = false;
};

Result<Scan> scan_of(const MlirCase& c) {
  if (c.op.regions.size() != 1) return c.error("needs a region");
  const std::vector<MlirArgument>& arguments = c.op.regions[0].arguments;
  if (arguments.size() != c.operands.size() || c.operands.empty())
    return c.error(std::to_string(c.operands.size()) + " operands, expected as many arguments of its region");
  Scan out;
  // An input's argument is an element of it, a carry's is all of it; inputs come first.
  while (out.inputs < arguments.size() && arguments[out.inputs].type != nullptr &&
         c.shape(out.inputs).rank() == arguments[out.inputs].type->rank() + 1)
    ++out.inputs;
  out.carries = arguments.size() - out.inputs;
  const size_t results = c.results().size();
  if (out.inputs == 0 || results < out.carries)
    return c.error("needs an input, and a result for each of its " + std::to_string(out.carries) +
                   " carries");
  out.outputs = results - out.carries;
  TRY(const auto dimension, c.number({"dimension"}));
  out.dimension = static_cast<size_t>(dimension.value_or(0));
  for (size_t k = 0; k < out.inputs; ++k) {
    if (out.dimension >= c.shape(k).rank())
      return c.error("dimension " + std::to_string(dimension.value_or(0)) + " of " + c.shape(k).text());
    const int64_t size = c.shape(k).dims[out.dimension];
    if (k > 0 && size != out.count) return c.error("inputs of different sizes along its dimension");
    out.count = size;
  }
  TRY(const std::string_view reverse, c.text({"is_reverse"}));
  out.reverse = reverse.starts_with("true");
  return out;
}

Shape with_size(Shape shape, size_t dimension, int64_t size) {
  shape.dims[dimension] = size;
  return Shape::array(shape.type, std::move(shape.dims));
}

Shape without_dimension(const Shape& shape, size_t dimension) {
  std::vector<int64_t> dims = shape.dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(dimension));
  return Shape::array(shape.type, std::move(dims));
}

// The operation of "r = op input, carry; return r, r", which is the same from either side.
Opcode accumulates(const MlirRegion& region) {
  if (region.arguments.size() != 2 || region.body.size() != 2) return Opcode::unknown;
  const MlirOp &op = region.body[0], &end = region.body[1];
  const std::string_view a = region.arguments[0].name, b = region.arguments[1].name;
  const bool of_both = op.operands.size() == 2 && std::ranges::count(op.operands, a) == 1 &&
                       std::ranges::count(op.operands, b) == 1;
  const bool returned = end.operands.size() == 2 && op.results.size() == 1 &&
                        std::ranges::count(end.operands, op.results[0].name) == 2;
  if (!of_both || !returned) return Opcode::unknown;
  for (const auto& [name, opcode] :
       {std::pair("stablehlo.add", Opcode::add), std::pair("stablehlo.multiply", Opcode::multiply),
        std::pair("stablehlo.maximum", Opcode::maximum), std::pair("stablehlo.minimum", Opcode::minimum)})
    if (op.name == name) return opcode;
  return Opcode::unknown;
}

// The scalar that a carry starts from everywhere; none: it differs.
std::optional<InstructionId> start_everywhere(const MlirCase& c, InstructionId carry) {
  const Instruction& i = c.scope.into->made.at(carry);
  if (i.shape.rank() == 0) return carry;
  return is_spread_number(i) ? std::optional(i.operands[0]) : std::nullopt;
}

// Each place is what a window gives that ends there, and the last place the carry.
Result<void> as_window(MlirCase& c, const Scan& scan, Opcode opcode, InstructionId start) {
  const Shape shape = c.shape(0);
  std::vector<WindowDim> dims(shape.rank());
  WindowDim& along = dims[scan.dimension];
  along.size = scan.count;
  (scan.reverse ? along.high : along.low) = scan.count - 1;
  Instruction window = c.make(Opcode::reduce_window, shape, {c.operands[0], start});
  window.attributes = Window{std::move(dims)};
  window.called = {{"to_apply", c.all.reducer(opcode, shape.type)}};
  TRY_VOID(c.all.annotate(c.op, c.scope.manual, window));
  const InstructionId all = c.emit(std::move(window));
  Instruction last = c.make(Opcode::slice, with_size(shape, scan.dimension, 1), {all});
  for (const int64_t size : shape.dims) last.slice.edit().push_back({0, size, 1});
  const int64_t place = scan.reverse ? 0 : scan.count - 1;
  last.slice.edit()[scan.dimension] = {place, place + 1, 1};
  const InstructionId end = c.emit(std::move(last));
  const InstructionId carry =
      c.emit(c.make(Opcode::reshape, without_dimension(shape, scan.dimension), {end}));
  return c.all.bind_each(c.scope, c.op, {all, carry});
}

// The parts of the loop's state: a counter, the inputs, the outputs, the carries.
class ScanLoop {
 public:
  ScanLoop(MlirCase& c, const Scan& scan) : c_(c), scan_(scan) {}

  Result<void> write() {
    TRY(const ComputationId step, closed_region(c_, c_.op.regions[0], "scan_step"));
    const std::vector<Shape> results = c_.results();
    std::vector<InstructionId> state{number(c_.scope, 0)};
    state.insert(state.end(), c_.operands.begin(),
                 c_.operands.begin() + static_cast<std::ptrdiff_t>(scan_.inputs));
    for (size_t k = 0; k < scan_.outputs; ++k) {
      Instruction zero = c_.make(Opcode::constant, Shape::scalar(results[k].type), {});
      zero.literal = std::string("0");
      state.push_back(c_.broadcast(c_.emit(std::move(zero)), results[k]));
    }
    state.insert(state.end(), c_.operands.begin() + static_cast<std::ptrdiff_t>(scan_.inputs),
                 c_.operands.end());
    const InstructionId first = c_.all.tuple(c_.scope, state);
    shape_ = c_.scope.into->made.at(first).shape;
    Instruction loop = c_.make(Opcode::while_, shape_, {first});
    const ComputationId condition = goes_on();
    loop.called = {{"condition", condition}, {"body", body(step)}};
    TRY_VOID(c_.all.annotate(c_.op, c_.scope.manual, loop));
    const InstructionId end = c_.emit(std::move(loop));
    std::vector<InstructionId> made;
    for (size_t k = 0; k < results.size(); ++k) made.push_back(element(c_.scope, end, 1 + scan_.inputs + k));
    return c_.all.bind_each(c_.scope, c_.op, made);
  }

 private:
  InstructionId emit(MlirScope& scope, Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
    return c_.all.emit(scope, c_.make(opcode, std::move(shape), std::move(operands)));
  }
  InstructionId number(MlirScope& scope, int64_t value) {
    Instruction made = c_.make(Opcode::constant, Shape::scalar(ElementType::s32), {});
    made.literal = std::to_string(value);
    return c_.all.emit(scope, std::move(made));
  }
  InstructionId element(MlirScope& scope, InstructionId of, size_t place) {
    Instruction made =
        c_.make(Opcode::get_tuple_element, scope.into->made.at(of).shape.elements[place], {of});
    made.tuple_index = static_cast<int64_t>(place);
    return c_.all.emit(scope, std::move(made));
  }
  InstructionId state_of(MlirScope& scope, MlirComputation& made) {
    scope.into = &made;
    Instruction p = c_.make(Opcode::parameter, shape_, {});
    p.parameter_number = 0;
    return c_.all.emit(scope, std::move(p));
  }

  ComputationId goes_on() {
    MlirComputation made;
    MlirScope scope;
    const InstructionId state = state_of(scope, made), counter = element(scope, state, 0);
    Instruction less =
        c_.make(Opcode::compare, Shape::scalar(ElementType::pred), {counter, number(scope, scan_.count)});
    less.attributes = CompareDirection::lt;
    const InstructionId root = c_.all.emit(scope, std::move(less));
    return c_.all.close(std::move(made), c_.all.unique("scan_condition"), {root});
  }

  ComputationId body(ComputationId step) {
    MlirComputation made;
    MlirScope scope;
    const InstructionId state = state_of(scope, made), counter = element(scope, state, 0);
    const Shape index = Shape::scalar(ElementType::s32);
    const InstructionId zero = number(scope, 0);
    InstructionId at = counter;
    if (scan_.reverse) at = emit(scope, Opcode::subtract, index, {number(scope, scan_.count - 1), counter});
    std::vector<InstructionId> next{emit(scope, Opcode::add, index, {counter, number(scope, 1)})}, given;
    for (size_t k = 0; k < scan_.inputs; ++k) {
      next.push_back(element(scope, state, 1 + k));
      given.push_back(element_of(scope, next.back(), at, zero));
    }
    const size_t carries = 1 + scan_.inputs + scan_.outputs;
    for (size_t k = 0; k < scan_.carries; ++k) given.push_back(element(scope, state, carries + k));
    const Shape returned = c_.all.made().computation(step).root_instruction().shape;
    Instruction call = c_.make(Opcode::call, returned, given);
    call.called = {{"to_apply", step}};
    const InstructionId results = c_.all.emit(scope, std::move(call));
    for (size_t k = 0; k < scan_.outputs + scan_.carries; ++k) {
      const InstructionId one = returned.is_tuple ? element(scope, results, k) : results;
      next.push_back(
          k < scan_.outputs ? put(scope, element(scope, state, 1 + scan_.inputs + k), one, at, zero) : one);
    }
    const InstructionId root = c_.all.tuple(scope, next);
    return c_.all.close(std::move(made), c_.all.unique("scan_body"), {root});
  }

  std::vector<InstructionId> indexed(const Shape& shape, std::vector<InstructionId> first, InstructionId at,
                                     InstructionId zero) const {
    for (size_t d = 0; d < shape.rank(); ++d) first.push_back(d == scan_.dimension ? at : zero);
    return first;
  }
  InstructionId element_of(MlirScope& scope, InstructionId array, InstructionId at, InstructionId zero) {
    const Shape whole = scope.into->made.at(array).shape, one = with_size(whole, scan_.dimension, 1);
    Instruction slice = c_.make(Opcode::dynamic_slice, one, indexed(whole, {array}, at, zero));
    slice.dynamic_slice_sizes = one.dims;
    const InstructionId cut = c_.all.emit(scope, std::move(slice));
    return emit(scope, Opcode::reshape, without_dimension(whole, scan_.dimension), {cut});
  }
  InstructionId put(MlirScope& scope, InstructionId array, InstructionId one, InstructionId at,
                    InstructionId zero) {
    const Shape whole = scope.into->made.at(array).shape;
    const InstructionId update = emit(scope, Opcode::reshape, with_size(whole, scan_.dimension, 1), {one});
    return emit(scope, Opcode::dynamic_update_slice, whole, indexed(whole, {array, update}, at, zero));
  }

  MlirCase& c_;
  const Scan& scan_;
  Shape shape_;
};

}  // namespace

Result<void> lower_scan(MlirCase& c) {
  TRY(const Scan scan, scan_of(c));
  const Opcode opcode = accumulates(c.op.regions[0]);
  const bool plain = is_known(opcode) && scan.inputs == 1 && scan.carries == 1 && scan.outputs == 1 &&
                     same_shape(c.results()[0], c.shape(0)) && scan.count > 0;
  if (plain)
    if (const auto start = start_everywhere(c, c.operands[1])) return as_window(c, scan, opcode, *start);
  return ScanLoop(c, scan).write();
}

}  // namespace shardscope::inline program
