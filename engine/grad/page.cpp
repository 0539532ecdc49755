// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/page.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/analysis/tuple_elements.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/rules/infer_shape.h"

namespace shardscope::inline grad {
namespace {

// What the gradient's module says as the module does; what a module says of its own parameters and results
// does not hold for it.
bool holds_for_gradient(const VerbatimAttribute& attribute) {
  static const std::set<std::string, std::less<>> kOfItsOwn = {
      "entry_computation_layout",
      "input_output_alias",
      "buffer_donor",
      "is_scheduled",
      "allow_spmd_sharding_propagation_to_parameters",
      "allow_spmd_sharding_propagation_to_output"};
  return !kOfItsOwn.contains(std::string_view(attribute.key));
}

std::string number(ElementType type, double value) {
  if (type == ElementType::pred) return value != 0 ? "true" : "false";
  if (is_complex(type)) return fmt::format("({}, 0)", value);
  return fmt::format("{}", value);
}

}  // namespace

double neutral(Opcode reducer) {
  static const OpTable<double> values({}, {{Opcode::multiply, 1}, {Opcode::and_, 1}});
  return values[reducer];
}

std::vector<int64_t> iota_dims(size_t count) {
  std::vector<int64_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

GradModule::GradModule(const Program& from) : from_(from) {
  made_.name = from.name + ".grad";
  made_.mesh = from.mesh;
  made_.source_tables = from.source_tables;
  for (const VerbatimAttribute& a : from.verbatim)
    if (holds_for_gradient(a)) made_.verbatim.push_back(a);
  for (const Computation& c : from.computations)
    for (const Instruction& i : c.instructions) channel_ = std::max(channel_, i.channel_id.value_or(0));
}

std::string GradModule::fresh(Names& names, const std::string& wanted) {
  if (names.try_emplace(wanted, 0).second) return wanted;
  for (;;) {
    std::string numbered = wanted + "." + std::to_string(++names[wanted]);
    if (names.try_emplace(numbered, 0).second) return numbered;
  }
}

ComputationId GradModule::add(Computation computation) {
  made_.computations.push_back(std::move(computation));
  return ComputationId(std::ssize(made_.computations) - 1);
}

ComputationId GradModule::copied(ComputationId computation) {
  const auto known = copies_.find(computation.value);
  if (known != copies_.end()) return known->second;
  Computation copy = from_.computation(computation);
  copy.name = fresh_computation_name(copy.name);
  for (Instruction& i : copy.instructions) {
    i.name = fresh_name(i.name);
    i.called.change([&](std::vector<CalledComputation>& called) {
      for (CalledComputation& c : called) c.computation = copied(c.computation);
    });
  }
  return copies_[computation.value] = add(std::move(copy));
}

ComputationId GradModule::reducer(Opcode opcode, ElementType type) {
  const auto known = reducers_.find({opcode, type});
  if (known != reducers_.end()) return known->second;
  GradPage page(*this, fmt::format("{}.{}", opcode_text(opcode), name(type)));
  const InstructionId a = page.parameter(0, Shape::scalar(type), "a");
  const InstructionId b = page.parameter(1, Shape::scalar(type), "b");
  const InstructionId root = page.op(opcode, {a, b});
  return reducers_[{opcode, type}] = add(std::move(page).finish(root));
}

Program GradModule::finish(ComputationId entry) && {
  made_.entry = entry;
  keep_called(made_);
  return std::move(made_);
}

GradSheet::GradSheet(GradModule& module, const std::string& name) : module_(module) {
  out_.name = module.fresh_computation_name(name);
}

InstructionId GradSheet::add(Instruction i) {
  i.name = module_.fresh_name(i.name.empty() ? std::string(opcode_text(i)) : i.name);
  out_.instructions.push_back(std::move(i));
  return InstructionId(std::ssize(out_.instructions) - 1);
}

InstructionId GradSheet::made(Instruction i) {
  if (source_ != nullptr) {
    i.name = source_->name + ".bar";
    if (!source_->provenance->op_name.empty())
      i.provenance.edit().op_name = "transpose(" + source_->provenance->op_name + ")";
  }
  return add(std::move(i));
}

InstructionId GradSheet::parameter(int64_t number, Shape shape, const std::string& name) {
  Instruction i;
  i.name = name;
  i.opcode = Opcode::parameter;
  i.parameter_number = number;
  i.shape = std::move(shape);
  return add(std::move(i));
}

InstructionId GradSheet::op(Opcode opcode, Shape shape, std::vector<InstructionId> operands) {
  Instruction i;
  i.opcode = opcode;
  i.shape = std::move(shape);
  i.operands = std::move(operands);
  return made(std::move(i));
}

InstructionId GradSheet::op(Opcode opcode, std::vector<InstructionId> operands) {
  const Shape like = Shape::array(type(operands.back()), dims(operands.back()));
  return op(opcode, like, std::move(operands));
}

InstructionId GradPage::literal(Shape shape, const std::string& text) {
  Instruction i;
  i.opcode = Opcode::constant;
  i.shape = std::move(shape);
  i.literal = text;
  return made(std::move(i));
}

InstructionId GradPage::constant(Shape shape, double value) {
  const InstructionId scalar = literal(Shape::scalar(shape.type), number(shape.type, value));
  return shape.rank() == 0 ? scalar : broadcast(scalar, shape.dims, {});
}

InstructionId GradPage::iota(const Shape& shape, int64_t dimension) {
  const InstructionId id = op(Opcode::iota, shape, {});
  edit(id).dimensions = {dimension};
  return id;
}

InstructionId GradPage::element(InstructionId tuple, int64_t index) {
  if (const auto made = element_in(computation(), tuple, static_cast<size_t>(index))) return *made;
  const Shape shape = this->shape(tuple).elements[static_cast<size_t>(index)];
  const InstructionId id = op(Opcode::get_tuple_element, shape, {tuple});
  edit(id).tuple_index = index;
  return id;
}

InstructionId GradPage::tuple(const std::vector<InstructionId>& elements) {
  std::vector<Shape> shapes;
  for (const InstructionId e : elements) shapes.push_back(shape(e));
  return op(Opcode::tuple, Shape::tuple(std::move(shapes)), elements);
}

InstructionId GradPage::convert(InstructionId id, ElementType to) {
  return type(id) == to ? id : op(Opcode::convert, Shape::array(to, dims(id)), {id});
}

InstructionId GradPage::reshape(InstructionId id, const std::vector<int64_t>& to) {
  return dims(id) == to ? id : op(Opcode::reshape, Shape::array(type(id), to), {id});
}

InstructionId GradPage::transpose(InstructionId id, const std::vector<int64_t>& permutation) {
  if (permutation == iota_dims(permutation.size())) return id;
  Shape to = Shape::array(type(id), {});
  for (const int64_t d : permutation) to.dims.push_back(dims(id)[static_cast<size_t>(d)]);
  const InstructionId out = op(Opcode::transpose, std::move(to), {id});
  edit(out).dimensions = permutation;
  return out;
}

InstructionId GradPage::reverse(InstructionId id, const std::vector<int64_t>& dimensions) {
  if (dimensions.empty()) return id;
  const InstructionId out = op(Opcode::reverse, {id});
  edit(out).dimensions = dimensions;
  return out;
}

InstructionId GradPage::broadcast(InstructionId id, const std::vector<int64_t>& to,
                                  const std::vector<int64_t>& map) {
  if (dims(id) == to) return id;
  const InstructionId out = op(Opcode::broadcast, Shape::array(type(id), to), {id});
  edit(out).dimensions = map;
  return out;
}

InstructionId GradPage::compare(InstructionId a, InstructionId b, CompareDirection direction) {
  const InstructionId out = op(Opcode::compare, Shape::array(ElementType::pred, dims(a)), {a, b});
  edit(out).attributes = direction;
  return out;
}

InstructionId GradPage::select(InstructionId which, InstructionId yes, InstructionId no) {
  return op(Opcode::select, {which, yes, no});
}

InstructionId GradPage::reduce(Opcode with, InstructionId id, const std::vector<int64_t>& dimensions) {
  if (dimensions.empty()) return id;
  Shape to = Shape::array(type(id), {});
  for (size_t d = 0; d < dims(id).size(); ++d)
    if (std::ranges::count(dimensions, static_cast<int64_t>(d)) == 0) to.dims.push_back(dims(id)[d]);
  const InstructionId start = constant(Shape::scalar(type(id)), neutral(with));
  const InstructionId out = op(Opcode::reduce, std::move(to), {id, start});
  edit(out).dimensions = dimensions;
  edit(out).called = {{"to_apply", module().reducer(with, type(id))}};
  return out;
}

InstructionId GradPage::slice(InstructionId id, std::vector<SliceDim> ranges) {
  Shape to = Shape::array(type(id), {});
  for (const auto& [start, limit, stride] : ranges)
    to.dims.push_back(limit == start ? 0 : (limit - start - 1) / stride + 1);
  if (to.dims == dims(id)) return id;
  const InstructionId out = op(Opcode::slice, std::move(to), {id});
  edit(out).slice = std::move(ranges);
  return out;
}

InstructionId GradPage::pad(InstructionId id, std::vector<PadDim> padding) {
  if (padding == std::vector<PadDim>(padding.size())) return id;
  Shape to = Shape::array(type(id), {});
  for (size_t d = 0; d < padding.size(); ++d)
    to.dims.push_back(dims(id)[d] + std::max<int64_t>(dims(id)[d] - 1, 0) * padding[d].interior +
                      padding[d].low + padding[d].high);
  const InstructionId zero = zeros(Shape::scalar(type(id)));
  const InstructionId out = op(Opcode::pad, std::move(to), {id, zero});
  edit(out).attributes = Padding{std::move(padding)};
  return out;
}

InstructionId GradPage::dynamic_slice(InstructionId id, const std::vector<InstructionId>& starts,
                                      const std::vector<int64_t>& sizes) {
  std::vector<InstructionId> operands = {id};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const InstructionId out = op(Opcode::dynamic_slice, Shape::array(type(id), sizes), std::move(operands));
  edit(out).dynamic_slice_sizes = sizes;
  return out;
}

InstructionId GradPage::update_slice(InstructionId id, InstructionId update,
                                     const std::vector<InstructionId>& starts) {
  std::vector<InstructionId> operands = {id, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return op(Opcode::dynamic_update_slice, Shape::array(type(id), dims(id)), std::move(operands));
}

Computation GradSheet::finish(InstructionId root) && {
  out_.root = root;
  remove_dead(out_, Effects::dropped);
  return std::move(out_);
}

}  // namespace shardscope::inline grad
