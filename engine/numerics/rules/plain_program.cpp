// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/plain_program.h"

#include <algorithm>
#include <set>

#include "engine/numerics/product/product.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope {
namespace {

// An asynchronous pair is the plain operation, done at its start.
struct AsyncPair {
  Opcode start, done, plain;
  bool in_tuple;  // the start's shape is (operand, result, …)
};
constexpr AsyncPair kPairs[] = {
    {Opcode::all_gather_start, Opcode::all_gather_done, Opcode::all_gather, true},
    {Opcode::all_reduce_start, Opcode::all_reduce_done, Opcode::all_reduce, false},
    {Opcode::collective_permute_start, Opcode::collective_permute_done, Opcode::collective_permute, true},
    {Opcode::copy_start, Opcode::copy_done, Opcode::copy, false},
    {Opcode::async_start, Opcode::async_done, Opcode::call, true},
    {Opcode::async_start, Opcode::async_update, Opcode::call, true}};

// The pair that an instruction starts. Of those without opcodes, "reduce-scatter-start", the name says it.
std::optional<AsyncPair> started(const Instruction& i) {
  for (const AsyncPair& pair : kPairs)
    if (pair.start == i.opcode) return pair;
  const std::string_view name = i.opcode_name;
  if (i.opcode != Opcode::unknown || !name.ends_with("-start")) return std::nullopt;
  const Opcode plain = parse_opcode(name.substr(0, name.size() - 6));
  if (plain == Opcode::unknown) return std::nullopt;
  return AsyncPair{Opcode::unknown, Opcode::unknown, plain, true};
}

bool ends_start(const Instruction& i) {
  return std::any_of(std::begin(kPairs), std::end(kPairs),
                     [&](const AsyncPair& pair) { return pair.done == i.opcode; }) ||
         (i.opcode == Opcode::unknown && i.opcode_name->ends_with("-done"));
}

bool is_annotation(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::custom_call || i.operands.size() != 1) return false;
  const std::string target = custom_call_target(i);
  const bool known = target == "Sharding" || target == "SPMDFullToShardShape" ||
                     target == "SPMDShardToFullShape" || target == "xla.sdy.FuncResultSharding" ||
                     target == "xla.sdy.GlobalToLocalShape" || target == "xla.sdy.LocalToGlobalShape";
  return known && same_shape(i.shape, c.at(i.operands[0]).shape);
}

bool is_several(const Instruction& i) {
  return is_collective(i.opcode) && i.shape.is_tuple && !i.operands.empty() &&
         i.shape.elements.size() == i.operands.size() &&
         !(i.opcode == Opcode::all_to_all && i.dimensions.empty());
}

bool wants_converts(const Computation& c, const Instruction& i) {
  if (i.operands.size() != 2 || !product_type(i.shape.type)) return false;
  const ElementType a = c.at(i.operands[0]).shape.type, b = c.at(i.operands[1]).shape.type;
  return a != b || !product_type(a);
}

bool moves_bits(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::bitcast || i.shape.is_tuple || i.operands.size() != 1) return false;
  const Shape& from = c.at(i.operands[0]).shape;
  const auto is_default = [](const Shape& s) {
    const std::vector<int64_t> order = physical_order(s);
    return std::is_sorted(order.begin(), order.end());
  };
  return from.type != i.shape.type || !is_default(from) || !is_default(i.shape);
}

bool needs_rewriting(const Computation& c, const Instruction& i) {
  return started(i).has_value() || ends_start(i) || is_annotation(c, i) || is_several(i) ||
         (i.opcode == Opcode::dot && wants_converts(c, i)) || i.opcode == Opcode::convolution ||
         moves_bits(c, i);
}

class Rewriter {
 public:
  explicit Rewriter(const Computation& from) : from_(from), to_(from.instructions.size()) {
    out_.name = from.name;
  }

  Computation rewritten() {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      Instruction i = from_.instructions[k];
      for (InstructionId& operand : i.operands) operand = to_[static_cast<size_t>(operand.value)];
      i.control_predecessors = {};
      to_[k] = rewrite(from_.instructions[k], std::move(i));
    }
    out_.root = to_[static_cast<size_t>(from_.root.value)];
    return std::move(out_);
  }

 private:
  // `i` is `old` with operands in the new computation.
  InstructionId rewrite(const Instruction& old, Instruction i) {
    if (const auto pair = started(old); pair && !old.operands.empty()) return at_start(*pair, std::move(i));
    if ((ends_start(old) || is_annotation(from_, old)) && !i.operands.empty()) return i.operands[0];
    if (is_several(i)) return one_by_one(i);
    if (old.opcode == Opcode::convolution) return convolution(old, std::move(i));
    if (old.opcode == Opcode::dot && wants_converts(from_, old)) return converted_dot(std::move(i));
    if (moves_bits(from_, old)) return bitcast(std::move(i));
    return add(std::move(i));
  }

  InstructionId at_start(const AsyncPair& pair, Instruction i) {
    if (pair.plain == Opcode::copy) return i.operands[0];
    i.opcode = pair.plain;
    i.opcode_name = {};
    if (pair.in_tuple && i.shape.is_tuple && i.shape.elements.size() >= 2) {
      const Shape result = i.shape.elements[1];
      i.shape = result;
    }
    if (pair.plain == Opcode::call && !i.called.empty())
      for (CalledComputation& called : i.called.edit()) called.key = "to_apply";
    return is_several(i) ? one_by_one(i) : add(std::move(i));
  }

  InstructionId add(Instruction i) {
    if (!names_.insert(i.name).second) {
      int copy = 1;
      while (!names_.insert(i.name + ".plain" + std::to_string(copy)).second) ++copy;
      i.name += ".plain" + std::to_string(copy);
    }
    out_.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out_.instructions.size()) - 1);
  }
  InstructionId add_unary(const Instruction& like, Opcode opcode, Shape shape, InstructionId operand,
                          std::vector<int64_t> dimensions = {}) {
    Instruction made;
    made.name = like.name;
    made.opcode = opcode;
    made.shape = std::move(shape);
    made.operands = {operand};
    made.dimensions = std::move(dimensions);
    return add(std::move(made));
  }

  InstructionId one_by_one(const Instruction& i) {
    Instruction all;
    all.name = i.name;
    all.opcode = Opcode::tuple;
    all.shape = i.shape;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      Instruction one = i;
      one.shape = i.shape.elements[k];
      one.operands = {i.operands[k]};
      all.operands.push_back(add(std::move(one)));
    }
    return add(std::move(all));
  }

  InstructionId converted_dot(Instruction i) {
    const ElementType type = i.shape.type;
    for (InstructionId& operand : i.operands) {
      const Shape shape = out_.at(operand).shape;
      if (shape.type != type)
        operand = add_unary(i, Opcode::convert, Shape::array(type, shape.dims), operand);
    }
    return add(std::move(i));
  }

  InstructionId convolution(const Instruction& old, Instruction i) {
    const auto dot = product_dims(from_, old);
    if (!dot) return add(std::move(i));
    i.opcode = Opcode::dot;
    i.dot = *dot;
    i.attributes = {};
    i.verbatim = {};
    return wants_converts(from_, old) ? converted_dot(std::move(i)) : add(std::move(i));
  }

  InstructionId bitcast(Instruction i) {
    InstructionId at = i.operands[0];
    const Shape from = out_.at(at).shape;
    const std::vector<int64_t> order = physical_order(from), target = physical_order(i.shape);
    Shape shape = Shape::array(from.type, {});
    for (const int64_t d : order) shape.dims.push_back(from.dims[static_cast<size_t>(d)]);
    at = add_unary(i, Opcode::transpose, shape, at, order);
    shape = Shape::array(i.shape.type, {});
    for (const int64_t d : target) shape.dims.push_back(i.shape.dims[static_cast<size_t>(d)]);
    at = add_unary(i, from.type == i.shape.type ? Opcode::reshape : Opcode::bitcast_convert, shape, at);
    std::vector<int64_t> back(target.size());
    for (size_t d = 0; d < target.size(); ++d) back[static_cast<size_t>(target[d])] = static_cast<int64_t>(d);
    return add_unary(i, Opcode::transpose, Shape::array(i.shape.type, i.shape.dims), at, back);
  }

  const Computation& from_;
  Computation out_;
  std::vector<InstructionId> to_;
  std::set<std::string> names_;
};

}  // namespace

bool is_rewritten(Opcode opcode) {
  return std::any_of(std::begin(kPairs), std::end(kPairs),
                     [&](const AsyncPair& pair) { return pair.start == opcode || pair.done == opcode; });
}

std::optional<Program> plain_program(const Program& program) {
  const auto needs = [](const Computation& c) {
    return std::any_of(c.instructions.begin(), c.instructions.end(),
                       [&](const Instruction& i) { return needs_rewriting(c, i); });
  };
  if (std::none_of(program.computations.begin(), program.computations.end(), needs)) return std::nullopt;
  Program out = program;
  for (Computation& c : out.computations) {
    if (!needs(c)) continue;
    const Computation before = std::move(c);
    c = Rewriter(before).rewritten();
  }
  return out;
}

}  // namespace shardscope
