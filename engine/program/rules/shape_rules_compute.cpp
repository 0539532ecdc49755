// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/units.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope {
namespace {

Result<void> check_dot_side(const InstructionCheck& c, size_t side, std::vector<int64_t> used) {
  std::sort(used.begin(), used.end());
  for (size_t d = 0; d < used.size(); ++d) {
    TRY_VOID(c.dimension(used[d], c.operand(side).rank()));
    if (d > 0 && used[d] == used[d - 1])
      return c.error("dimension " + std::to_string(used[d]) + " of operand " + std::to_string(side) +
                     " is used twice");
  }
  return {};
}

Result<void> check_dot_pairs(const InstructionCheck& c, const std::vector<int64_t>& lhs,
                             const std::vector<int64_t>& rhs, const char* what) {
  if (lhs.size() != rhs.size())
    return c.error(std::to_string(lhs.size()) + " and " + std::to_string(rhs.size()) + " " + what +
                   " dimensions, expected as many on both sides");
  for (size_t d = 0; d < lhs.size(); ++d) {
    const int64_t a = c.operand(0).dims[static_cast<size_t>(lhs[d])];
    const int64_t b = c.operand(1).dims[static_cast<size_t>(rhs[d])];
    if (a != b)
      return c.error(std::string(what) + " sizes " + std::to_string(a) + " and " + std::to_string(b) +
                     ", expected equal ones");
  }
  return {};
}

std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void append_free(const Shape& shape, const std::vector<int64_t>& used, std::vector<int64_t>& dims) {
  for (size_t d = 0; d < shape.rank(); ++d)
    if (std::find(used.begin(), used.end(), static_cast<int64_t>(d)) == used.end())
      dims.push_back(shape.dims[d]);
}

const Computation* callee(const InstructionCheck& c, std::string_view key) {
  for (const CalledComputation& called : c.instruction.called)
    if (called.key == key) return &c.program.computation(called.computation);
  return nullptr;
}

// The callee's parameters are the operands, its root is `result`.
Result<void> check_callee(const InstructionCheck& c, std::string_view key, const Shape& result) {
  const Computation* called = callee(c, key);
  if (called == nullptr) return c.error("needs " + std::string(key));
  size_t parameters = 0;
  for (const Instruction& i : called->instructions) {
    if (i.opcode != Opcode::parameter) continue;
    ++parameters;
    const auto k = static_cast<size_t>(i.parameter_number);
    if (k < c.operand_count() && !same_shape(i.shape, c.operand(k)))
      return c.error("operand " + std::to_string(k) + " is " + c.operand(k).text() + ", " + called->name +
                     " expects " + i.shape.text());
  }
  if (parameters != c.operand_count())
    return c.error("got " + std::to_string(c.operand_count()) + " operands, " + called->name + " expects " +
                   std::to_string(parameters));
  if (same_shape(called->root_instruction().shape, result)) return {};
  return c.error(called->name + " returns " + called->root_instruction().shape.text() + ", expected " +
                 result.text());
}

Result<void> check_reducer(const InstructionCheck& c) {
  if (reducer_opcode(c.program, c.instruction) != Opcode::unknown) return {};
  return c.error(
      "needs to_apply, a computation that is the add, multiply, maximum, minimum, and, or or xor of two "
      "scalars");
}

Result<void> check_permute(const InstructionCheck& c) {
  TRY_VOID(c.operands(1));
  if (!c.instruction.permutation) return c.error("needs source_target_pairs");
  const int64_t devices = c.program.mesh.device_count();
  for (const SourceTarget& pair : c.instruction.permutation->pairs())
    for (const DeviceId d : {pair.source, pair.target})
      if (d.value < 0 || d.value >= devices)
        return c.error("source_target_pairs name device " + std::to_string(d.value) + ", expected 0 to " +
                       std::to_string(devices - 1));
  return c.shape_is(c.operand(0));
}

Result<Shape> collective_result(const InstructionCheck& c, const Shape& operand, int64_t group) {
  const Instruction& i = c.instruction;
  if (i.opcode == Opcode::all_reduce || i.opcode == Opcode::collective_broadcast) return operand;
  if (i.dimensions.size() != 1)
    return c.error(std::to_string(i.dimensions.size()) + " dimensions, expected 1");
  TRY_VOID(c.dimension(i.dimensions[0], operand.rank()));
  Shape result = Shape::array(operand.type, operand.dims);
  int64_t& size = result.dims[static_cast<size_t>(i.dimensions[0])];
  if (i.opcode == Opcode::all_gather) {
    const auto gathered = checked_multiply(size, group);
    if (!gathered) return c.error("the gathered dimension overflows");
    size = *gathered;
  } else {
    if (size % group != 0)
      return c.error("dimension " + std::to_string(i.dimensions[0]) + " of size " + std::to_string(size) +
                     ", expected a multiple of the group's " + std::to_string(group) + " devices");
    if (i.opcode == Opcode::reduce_scatter) size /= group;
  }
  return result;
}

}  // namespace

Opcode reducer_opcode(const Program& program, const Instruction& instruction) {
  for (const CalledComputation& called : instruction.called) {
    if (called.key != "to_apply") continue;
    const Computation& body = program.computation(called.computation);
    const Instruction& root = body.root_instruction();
    if (body.instructions.size() != 3 || root.operands.size() != 2) return Opcode::unknown;
    const Instruction& a = body.at(root.operands[0]);
    const Instruction& b = body.at(root.operands[1]);
    if (a.opcode != Opcode::parameter || b.opcode != Opcode::parameter ||
        a.parameter_number == b.parameter_number || root.shape.is_tuple || root.shape.rank() != 0)
      return Opcode::unknown;
    const bool known = root.opcode == Opcode::add || root.opcode == Opcode::multiply ||
                       root.opcode == Opcode::maximum || root.opcode == Opcode::minimum ||
                       root.opcode == Opcode::and_ || root.opcode == Opcode::or_ ||
                       root.opcode == Opcode::xor_;
    return known ? root.opcode : Opcode::unknown;
  }
  return Opcode::unknown;
}

Result<void> check_groups(const InstructionCheck& c) {
  const TileAssignment& tiles = c.instruction.replica_groups.tiles;
  const auto size = static_cast<int64_t>(tiles.devices.size());
  if (!tiles.devices.empty() && (tiles.dims.size() != 2 || tiles.dims[0] < 1 || tiles.dims[1] < 1 ||
                                 size % tiles.dims[1] != 0 || size / tiles.dims[1] != tiles.dims[0]))
    return c.error("replica_groups, expected a groups × size array");
  const int64_t devices = c.program.mesh.device_count();
  std::vector<char> seen(static_cast<size_t>(devices));
  int64_t members = 0;
  const auto add = [&](int64_t device) -> Result<void> {
    if (device < 0 || device >= devices)
      return c.error("replica_groups name device " + std::to_string(device) + ", expected 0 to " +
                     std::to_string(devices - 1));
    if (seen[static_cast<size_t>(device)]++)
      return c.error("replica_groups name device " + std::to_string(device) + " twice");
    ++members;
    return {};
  };
  for (const int64_t d : tiles.devices) TRY_VOID(add(d));
  for (const auto& group : c.instruction.replica_groups.ragged) {
    if (group.empty()) return c.error("replica_groups hold an empty group");
    for (const int64_t d : group) TRY_VOID(add(d));
  }
  if (members == 0 || members == devices) return {};
  return c.error("replica_groups name " + std::to_string(members) + " devices, expected all " +
                 std::to_string(devices));
}

Result<void> check_dot(const InstructionCheck& c) {
  TRY_VOID(c.operands(2));
  TRY_VOID(c.array_operands());
  const DotDims& dot = c.instruction.dot;
  const auto lhs_used = joined(dot.lhs_batch, dot.lhs_contracting);
  const auto rhs_used = joined(dot.rhs_batch, dot.rhs_contracting);
  TRY_VOID(check_dot_side(c, 0, lhs_used));
  TRY_VOID(check_dot_side(c, 1, rhs_used));
  TRY_VOID(check_dot_pairs(c, dot.lhs_batch, dot.rhs_batch, "batch"));
  TRY_VOID(check_dot_pairs(c, dot.lhs_contracting, dot.rhs_contracting, "contracting"));
  // The result's type is free: products may be kept wider than their factors.
  Shape expected = Shape::array(c.instruction.shape.type, {});
  for (const int64_t d : dot.lhs_batch) expected.dims.push_back(c.operand(0).dims[static_cast<size_t>(d)]);
  append_free(c.operand(0), lhs_used, expected.dims);
  append_free(c.operand(1), rhs_used, expected.dims);
  return c.shape_is(expected);
}

Result<void> check_scalar_callee(const InstructionCheck& c, size_t arrays) {
  const Computation* called = callee(c, "to_apply");
  if (called == nullptr) return c.error("needs to_apply");
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) results.push_back(Shape::scalar(c.operand(k).type));
  size_t parameters = 0;
  for (const Instruction& i : called->instructions) {
    if (i.opcode != Opcode::parameter) continue;
    ++parameters;
    const auto number = static_cast<size_t>(i.parameter_number);
    if (number < 2 * arrays && !same_shape(i.shape, results[number % arrays]))
      return c.error(called->name + " takes " + i.shape.text() + " as parameter " + std::to_string(number) +
                     ", expected " + results[number % arrays].text());
  }
  if (parameters != 2 * arrays)
    return c.error(called->name + " takes " + std::to_string(parameters) + " parameters, expected " +
                   std::to_string(2 * arrays));
  const Shape expected = arrays == 1 ? results[0] : Shape::tuple(results);
  const Shape& root = called->root_instruction().shape;
  if (same_shape(root, expected)) return {};
  return c.error(called->name + " returns " + root.text() + ", expected " + expected.text());
}

// Arrays of the same dimensions, then an initial value for each.
Result<void> check_reduce(const InstructionCheck& c) {
  const size_t arrays = c.operand_count() / 2;
  if (arrays == 0 || c.operand_count() % 2 != 0) return c.operands(2);
  TRY_VOID(c.array_operands());
  TRY_VOID(check_scalar_callee(c, arrays));
  const Shape& from = c.operand(0);
  std::vector<int64_t> reduced = c.instruction.dimensions;
  std::sort(reduced.begin(), reduced.end());
  for (size_t d = 0; d < reduced.size(); ++d) {
    TRY_VOID(c.dimension(reduced[d], from.rank()));
    if (d > 0 && reduced[d] == reduced[d - 1])
      return c.error("dimension " + std::to_string(reduced[d]) + " is reduced twice");
  }
  std::vector<Shape> results;
  for (size_t k = 0; k < arrays; ++k) {
    const Shape& array = c.operand(k);
    const Shape& initial = c.operand(arrays + k);
    if (array.dims != from.dims)
      return c.error("operand " + std::to_string(k) + " is " + array.text() +
                     ", expected the dimensions of " + from.text());
    if (initial.rank() != 0 || initial.type != array.type)
      return c.error("initial value is " + initial.text() + ", expected a scalar " + name(array.type));
    Shape result = Shape::array(array.type, {});
    append_free(array, c.instruction.dimensions, result.dims);
    results.push_back(std::move(result));
  }
  return c.shape_is(arrays == 1 ? results[0] : Shape::tuple(results));
}

Result<void> check_collective(const InstructionCheck& c) {
  const Instruction& i = c.instruction;
  if (i.opcode == Opcode::collective_permute) return check_permute(c);
  if (c.operand_count() == 0) return c.error("no operands, expected some");
  TRY_VOID(c.array_operands());
  TRY_VOID(check_groups(c));
  if (i.opcode == Opcode::all_reduce || i.opcode == Opcode::reduce_scatter) TRY_VOID(check_reducer(c));
  if (i.rooted && i.opcode != Opcode::all_reduce) return c.error("is rooted, expected an all-reduce");
  if (i.opcode != Opcode::all_reduce && !i.replica_groups.ragged.empty())
    return c.error("replica_groups of different sizes, expected equal ones");
  const TileAssignment& tiles = i.replica_groups.tiles;
  const int64_t group = tiles.devices.empty() ? c.program.mesh.device_count() : tiles.dims[1];
  std::vector<Shape> results;
  if (i.opcode == Opcode::all_to_all && i.dimensions.empty()) {
    TRY_VOID(c.operands(static_cast<size_t>(group)));
    for (size_t k = 0; k < c.operand_count(); ++k) results.push_back(c.operand(0));
    return c.shape_is(Shape::tuple(std::move(results)));
  }
  for (size_t k = 0; k < c.operand_count(); ++k) {
    TRY(Shape result, collective_result(c, c.operand(k), group));
    results.push_back(std::move(result));
  }
  if (results.size() == 1 && !i.shape.is_tuple) return c.shape_is(results.front());
  return c.shape_is(Shape::tuple(std::move(results)));
}

Result<void> check_calls(const InstructionCheck& c) {
  const Instruction& i = c.instruction;
  if (i.opcode == Opcode::call) return check_callee(c, "to_apply", i.shape);
  if (i.opcode == Opcode::fusion) return check_callee(c, "calls", i.shape);
  TRY_VOID(c.operands(1));
  TRY_VOID(c.shape_is(c.operand(0)));
  TRY_VOID(check_callee(c, "condition", Shape::scalar(ElementType::pred)));
  return check_callee(c, "body", i.shape);
}

}  // namespace shardscope
