// SPDX-License-Identifier: Apache-2.0
// What one device does with its own arrays.
#include <algorithm>
#include <numeric>

#include "engine/program/build/builder_state.h"

namespace shardscope::inline program {
namespace {

constexpr int64_t kAfterError = 1;

Instruction with_operand(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  return instruction;
}

}  // namespace

Shape Value::shape() const {
  return id_.valid() ? builder_->shape_of(*this) : Shape();
}

int64_t Value::dim(size_t i) const {
  return id_.valid() ? builder_->shape_of(*this).dims.at(i) : kAfterError;
}

std::string Value::name() const {
  return id_.valid() && !builder_->state_->is_sketch
             ? builder_->state_->known[static_cast<size_t>(id_.value)].symbol
             : "";
}

Value SpmdBuilder::named(Value v, std::string symbol) {
  if (ok() && !state_->is_sketch) state_->known[static_cast<size_t>(v.id_.value)].symbol = std::move(symbol);
  return v;
}

// What is cut out of an array, or put together of it, is the same part of it on every device.
SpmdBuilder::State::Known SpmdBuilder::State::known_of(const Instruction& instruction) const {
  if (instruction.operands.empty()) return {};
  const InstructionId first = instruction.operands.front();
  Known of = known[static_cast<size_t>(first.value)];
  const Shape& before = entry.at(first).shape;
  if (is_collective(instruction.opcode)) return of;
  if (before.rank() != instruction.shape.rank()) return {of.symbol, {}};
  for (size_t i = 0; i < of.whole.size(); ++i) {
    const int64_t common =
        std::gcd(instruction.shape.dims[i], before.dims[i]);  // products of large extents do not fit
    of.whole[i] = of.whole[i] * (instruction.shape.dims[i] / common) / (before.dims[i] / common);
  }
  return of;
}

const Shape& SpmdBuilder::shape_of(Value v) const {
  CHECK(v.builder_ == this && v.id_.valid(), "a value of another builder");
  return state_->entry.at(v.id_).shape;
}

Value SpmdBuilder::emit(Instruction&& instruction) {
  if (!ok()) return {this, InstructionId()};
  if (instruction.name.empty() && !state_->is_sketch) {
    instruction.name = state_->unique_name(std::string(opcode_text(instruction.opcode)));
  }
  if (state_->last_provenance != state_->provenance) state_->last_provenance = state_->provenance;
  instruction.provenance = state_->last_provenance;
  if (is_collective(instruction.opcode)) instruction.control_predecessors = state_->after;
  if (!state_->is_sketch) state_->known.push_back(state_->known_of(instruction));
  state_->entry.instructions.push_back(std::move(instruction));
  return {this, InstructionId(static_cast<int64_t>(state_->entry.instructions.size()) - 1)};
}

Value SpmdBuilder::zeros(std::vector<int64_t> dims) {
  return zeros(std::move(dims), state_->accumulation);
}

Value SpmdBuilder::zeros(std::vector<int64_t> dims, ElementType type) {
  if (!ok()) return {this, InstructionId()};
  const InstructionId zero = scalar_constant(type, 0);
  return named(emit(with_operand(Opcode::broadcast, Shape::array(type, std::move(dims)), {zero})),
               state_->makes);
}

Value SpmdBuilder::slice(Value v, size_t dim, int64_t start, int64_t size) {
  if (!ok() || v.dim(dim) == size) return v;
  Shape shape = shape_of(v);
  CHECK(start >= 0 && size > 0 && start + size <= shape.dims[dim], start, size, shape.dims[dim]);
  std::vector<SliceDim> ranges;
  if (!state_->is_sketch) {
    for (int64_t extent : shape.dims) ranges.push_back({0, extent, 1});
    ranges[dim] = {start, start + size, 1};
  }
  shape.dims[dim] = size;
  Instruction instruction = with_operand(Opcode::slice, std::move(shape), {v.id_});
  if (!ranges.empty()) instruction.slice = std::move(ranges);
  return emit(std::move(instruction));
}

// `values`, then where each dimension of a slice starts.
std::vector<InstructionId> SpmdBuilder::with_starts(std::initializer_list<Value> values, size_t rank,
                                                    size_t dim, Index start) {
  std::vector<InstructionId> result(values.size() + rank, scalar_constant(ElementType::s32, 0));
  std::ranges::transform(values, result.begin(), [](Value v) { return v.id_; });
  result[values.size() + dim] = materialize(start);
  return result;
}

Value SpmdBuilder::dynamic_slice(Value v, size_t dim, Index start, int64_t size) {
  if (!ok() || v.dim(dim) == size) return v;
  if (start.builder_ == nullptr)
    return slice(v, dim, std::clamp<int64_t>(start.offset_, 0, v.dim(dim) - size), size);
  Shape shape = shape_of(v);
  shape.dims[dim] = size;
  std::vector<InstructionId> operands = with_starts({v}, shape.rank(), dim, start);
  std::vector<int64_t> sizes;
  if (!state_->is_sketch) sizes = shape.dims;
  Instruction instruction = with_operand(Opcode::dynamic_slice, std::move(shape), std::move(operands));
  if (!sizes.empty()) instruction.dynamic_slice_sizes = std::move(sizes);
  return emit(std::move(instruction));
}

Value SpmdBuilder::dynamic_update_slice(Value target, Value update, size_t dim, Index start) {
  if (!ok()) return target;
  const Shape shape = shape_of(target);
  if (shape.dims == shape_of(update).dims) return update;
  update = convert(update, shape.type);
  std::vector<InstructionId> operands = with_starts({target, update}, shape.rank(), dim, start);
  return emit(with_operand(Opcode::dynamic_update_slice, shape, std::move(operands)));
}

Value SpmdBuilder::concatenate(const std::vector<Value>& values, size_t dim) {
  CHECK(!values.empty(), "nothing to concatenate");
  if (!ok() || values.size() == 1) return values.front();
  Shape shape = shape_of(values.front());
  const bool alike = std::ranges::all_of(values, [&](Value v) { return shape_of(v).type == shape.type; });
  if (!alike) shape.type = state_->accumulation;  // some came from other devices
  shape.dims[dim] = 0;
  std::vector<InstructionId> operands;
  for (Value v : values) {
    v = convert(v, shape.type);
    shape.dims[dim] += v.dim(dim);
    operands.push_back(v.id_);
  }
  Instruction instruction = with_operand(Opcode::concatenate, std::move(shape), std::move(operands));
  instruction.dimensions = {static_cast<int64_t>(dim)};
  return emit(std::move(instruction));
}

Value SpmdBuilder::reshape(Value v, std::vector<int64_t> dims) {
  if (!ok() || shape_of(v).dims == dims) return v;
  const Shape shape = Shape::array(shape_of(v).type, std::move(dims));
  CHECK(shape.element_count() == shape_of(v).element_count(), shape.text(), shape_of(v).text());
  return emit(with_operand(Opcode::reshape, shape, {v.id_}));
}

Value SpmdBuilder::add(Value a, Value b) {
  if (!ok()) return {this, InstructionId()};
  if (shape_of(a).type != shape_of(b).type) {  // one came from another device
    a = convert(a, state_->accumulation);
    b = convert(b, state_->accumulation);
  }
  const Shape shape = shape_of(a);
  CHECK(shape == shape_of(b), shape.text(), shape_of(b).text());
  return emit(with_operand(Opcode::add, shape, {a.id_, b.id_}));
}

Value SpmdBuilder::convert(Value v, ElementType type) {
  if (!ok() || shape_of(v).type == type) return v;
  return emit(with_operand(Opcode::convert, Shape::array(type, shape_of(v).dims), {v.id_}));
}

Value SpmdBuilder::stored(Value v) {
  return convert(v, state_->problem.dtype);
}

Value SpmdBuilder::relu(Value v) {
  if (!ok()) return v;
  const Shape shape = shape_of(v);
  const InstructionId zero = scalar_constant(shape.type, 0);
  const Value zeros = emit(with_operand(Opcode::broadcast, shape, {zero}));
  return emit(with_operand(Opcode::maximum, shape, {v.id_, zeros.id_}));
}

Value SpmdBuilder::tuple(std::vector<InstructionId> elements) {
  std::vector<Shape> shapes;
  for (InstructionId id : elements) shapes.push_back(state_->entry.at(id).shape);
  return emit(with_operand(Opcode::tuple, Shape::tuple(std::move(shapes)), std::move(elements)));
}

Shape SpmdBuilder::shape_of_dot(Value lhs, Value rhs, const DotDims& dims) const {
  Shape shape = Shape::array(state_->accumulation, {});
  const auto append_free = [&](const Shape& operand, const std::vector<int64_t>& contracting) {
    for (size_t i = 0; i < operand.rank(); ++i)
      if (std::ranges::count(contracting, static_cast<int64_t>(i)) == 0)
        shape.dims.push_back(operand.dims[i]);
  };
  append_free(shape_of(lhs), dims.lhs_contracting);
  append_free(shape_of(rhs), dims.rhs_contracting);
  return shape;
}

SpmdBuilder::State::Product SpmdBuilder::State::known_product(InstructionId lhs, InstructionId rhs,
                                                              const DotDims& dims) const {
  Product out{{makes, {}}, false};
  std::vector<int64_t>& whole = out.known.whole;
  size_t rank = 0;
  const auto append_free = [&](InstructionId of, const std::vector<int64_t>& contracting) {
    const Shape& operand = entry.at(of).shape;
    const std::vector<int64_t>& all = known[static_cast<size_t>(of.value)].whole;
    for (size_t i = 0; i < operand.rank(); ++i) {
      const bool is_free = std::ranges::count(contracting, static_cast<int64_t>(i)) == 0;
      rank += is_free ? 1 : 0;
      if (i >= all.size()) continue;
      if (is_free) whole.push_back(all[i]);
      out.is_partial = out.is_partial || (!is_free && operand.dims[i] < all[i]);
    }
  };
  append_free(lhs, dims.lhs_contracting);
  append_free(rhs, dims.rhs_contracting);
  if (whole.size() != rank) whole.clear();
  return out;
}

// A product of steps grows; a contraction that is still split gives a part of the sum.
void SpmdBuilder::say_product(Value lhs, Value rhs, const DotDims& dims, bool is_partial) {
  const bool in_step = state_->provenance.step >= 0;
  say((is_partial && !in_step ? "partial " : "") + state_->makes + (in_step ? " += " : " = ") + lhs.name() +
      (dims.lhs_contracting.front() == 0 ? "t " : " ") + rhs.name() +
      (dims.rhs_contracting.front() == 0 ? "" : "t"));
}

Value SpmdBuilder::dot(Value lhs, Value rhs, std::vector<int64_t> lhs_contracting,
                       std::vector<int64_t> rhs_contracting) {
  if (!ok()) return {this, InstructionId()};
  DotDims dims{{}, {}, std::move(lhs_contracting), std::move(rhs_contracting)};
  State::Product product;
  if (!state_->is_sketch) {
    product = state_->known_product(lhs.id_, rhs.id_, dims);
    say_product(lhs, rhs, dims, product.is_partial);
  }
  Instruction instruction = with_operand(Opcode::dot, shape_of_dot(lhs, rhs, dims), {lhs.id_, rhs.id_});
  if (state_->last_dot != dims) state_->last_dot = std::move(dims);
  instruction.dot = state_->last_dot;
  const Value made = emit(std::move(instruction));
  state_->know(std::move(product.known));
  return made;
}

Value operator+(Value a, Value b) {
  if (a.builder_ == nullptr) return b;
  return b.builder_ == nullptr ? a : a.builder_->add(a, b);
}

Value matmul(Value a, Value b) {
  return a.builder_->dot(a, b, {1}, {0});
}

Value einsum(std::string_view subscripts, Value a, Value b) {
  const size_t comma = subscripts.find(','), arrow = subscripts.find("->");
  CHECK(comma != std::string_view::npos && arrow != std::string_view::npos, subscripts);
  const std::string_view of_a = subscripts.substr(0, comma);
  const std::string_view of_b = subscripts.substr(comma + 1, arrow - comma - 1);
  std::vector<int64_t> contracting_a, contracting_b;
  std::string free_a, free_b;
  for (size_t i = 0; i < of_a.size(); ++i) {
    const size_t j = of_b.find(of_a[i]);
    if (j == std::string_view::npos) {
      free_a += of_a[i];
    } else {
      contracting_a.push_back(static_cast<int64_t>(i));
      contracting_b.push_back(static_cast<int64_t>(j));
    }
  }
  for (const char letter : of_b) {
    if (of_a.find(letter) == std::string_view::npos) free_b += letter;
  }
  CHECK(free_a + free_b == subscripts.substr(arrow + 2), "not the order of a dot's result:", subscripts);
  return a.builder_->dot(a, b, contracting_a, contracting_b);
}

}  // namespace shardscope::inline program
