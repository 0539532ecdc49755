// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/conversions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/backend/computation_rewrite.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline numerics {
namespace {

// What an instruction hands to what it calls: whole operands, each branch its own; of arrays and their
// initial values, or each by itself, elements; of what is sorted two of each; of a scatter operands and
// updates; of a window all the same.
enum class Takes : unsigned char { nothing, operands, branches, pairs, elements, compared, updates, chosen };
// What is its result.
enum class Gives : unsigned char { computed, declared, all, part, first, callee };
struct Kind {
  Takes takes = Takes::nothing;
  Gives gives = Gives::computed;
};
const OpTable<Kind>& kinds() {
  static const OpTable<Kind> rows({}, {{Opcode::fusion, {Takes::operands, Gives::callee}},
                                       {Opcode::call, {Takes::operands, Gives::callee}},
                                       {Opcode::while_, {Takes::operands, Gives::first}},
                                       {Opcode::conditional, {Takes::branches, Gives::declared}},
                                       {Opcode::reduce, {Takes::pairs, Gives::computed}},
                                       {Opcode::reduce_window, {Takes::pairs, Gives::computed}},
                                       {Opcode::map, {Takes::elements, Gives::computed}},
                                       {Opcode::sort, {Takes::compared, Gives::computed}},
                                       {Opcode::scatter, {Takes::updates, Gives::computed}},
                                       {Opcode::select_and_scatter, {Takes::chosen, Gives::computed}},
                                       {Opcode::tuple, {Takes::nothing, Gives::all}},
                                       {Opcode::get_tuple_element, {Takes::nothing, Gives::part}}});
  return rows;
}

bool fits(const Program& program, const Computation& c, const Instruction& i) {
  const ShapeRule rule = shape_rule(i.opcode);
  return rule == nullptr || rule({program, c, i}).ok();
}

// What a computation that some instruction calls has to return, where that is not what it says.
using Returns = std::map<int64_t, Shape>;

void add_returns(const Program& program, const Instruction& i, Returns& out) {
  for (const CalledComputation& called : i.called) {
    const Computation& callee = program.computation(called.computation);
    if (kinds()[i.opcode].takes == Takes::branches) out[called.computation.value] = i.shape;
    if (i.opcode != Opcode::while_ || called.key != "body") continue;
    const auto given = parameters_by_number(callee);
    if (!given.empty() && given[0] != nullptr) out[called.computation.value] = given[0]->shape;
  }
}

class Converter {
 public:
  Converter(const Program& program, const Computation& from)
      : program_(program), from_(from), rewrite_(from) {
    for (const Instruction& i : from.instructions) names_.insert(i.name);
  }

  Computation converted(const Shape* returns) {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      if (fits(program_, from_, from_.instructions[k]))
        rewrite_.copy(k);
      else
        rewrite_.stand_for(k, convert(rewrite_.reading_new(from_.instructions[k])));
    }
    InstructionId root = rewrite_.at(from_.root);
    if (returns != nullptr) root = made_like(root, *returns, rewrite_.made(root).name);
    return std::move(rewrite_).finish(root);
  }

 private:
  const Shape& shape(InstructionId id) const { return rewrite_.made(id).shape; }
  InstructionId add_new(const std::string& like, Opcode opcode, Shape shape,
                        std::vector<InstructionId> operands, int64_t index = 0) {
    Instruction made;
    int part = 1;
    while (!names_.insert(like + ".precision" + std::to_string(part)).second) ++part;
    made.name = like + ".precision" + std::to_string(part);
    made.opcode = opcode;
    made.shape = std::move(shape);
    made.operands = std::move(operands);
    made.tuple_index = index;
    return rewrite_.add(std::move(made));
  }
  // A value in the types of another shape with the same dimensions.
  InstructionId made_like(InstructionId id, const Shape& want, const std::string& name) {
    const Shape is = shape(id);
    if (same_shape(is, want) || is.is_tuple != want.is_tuple) return id;
    if (!is.is_tuple) return add_new(name, Opcode::convert, Shape::array(want.type, is.dims), {id});
    if (is.elements.size() != want.elements.size()) return id;
    std::vector<InstructionId> parts;
    std::vector<Shape> shapes;
    for (size_t k = 0; k < is.elements.size(); ++k) {
      const InstructionId part =
          add_new(name, Opcode::get_tuple_element, is.elements[k], {id}, static_cast<int64_t>(k));
      parts.push_back(made_like(part, want.elements[k], name));
      shapes.push_back(shape(parts.back()));
    }
    return add_new(name, Opcode::tuple, Shape::tuple(std::move(shapes)), parts);
  }

  // By operand what the called computation takes; empty: nothing is called for elements or whole operands.
  std::vector<Shape> taken(const Instruction& i) const {
    std::vector<Shape> out;
    const Takes takes = kinds()[i.opcode].takes;
    if (i.called.empty() || takes == Takes::nothing) return out;
    const size_t half = i.operands.size() / 2;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const Shape own = shape(i.operands[k]);
      Shape want = own;
      switch (takes) {
        case Takes::operands:
          want = parameter(i, 0, k);
          break;
        case Takes::branches:
          if (k > 0 && k - 1 < i.called.size()) want = parameter(i, k - 1, 0);
          break;
        case Takes::pairs:
          want.type = parameter(i, 0, k % half).type;
          break;
        case Takes::elements:
          want.type = parameter(i, 0, k).type;
          break;
        case Takes::compared:
          want.type = parameter(i, 0, 2 * k).type;
          break;
        case Takes::updates:
          if (k != half) want.type = parameter(i, 0, k < half ? k : k - half - 1).type;
          break;
        case Takes::chosen:
          want.type = parameter(i, 0, 0).type;
          break;
        case Takes::nothing:
          break;
      }
      out.push_back(std::move(want));
    }
    return out;
  }
  const Shape& parameter(const Instruction& i, size_t callee, size_t k) const {
    static const Shape none;
    const auto given = parameters_by_number(program_.computation(i.called[callee].computation));
    return k < given.size() && given[k] != nullptr ? given[k]->shape : none;
  }

  // The widest floating-point type of operands and result.
  ElementType widest(const Instruction& i) const {
    ElementType out = ElementType::bf16;
    bool any = false;
    const auto look = [&](const Shape& it) {
      if (it.is_tuple || !is_floating(it.type) || (any && bits(it.type) <= bits(out))) return;
      out = it.type;
      any = true;
    };
    for (const InstructionId operand : i.operands) look(shape(operand));
    look(i.shape);
    for (const Shape& part : i.shape.elements) look(part);
    return out;
  }

  // What the instruction makes of the operands that it now has.
  Shape result_of(const Instruction& i, const std::vector<Shape>& operands) const {
    Shape out = i.shape;
    switch (kinds()[i.opcode].gives) {
      case Gives::declared:
        return out;
      case Gives::all:
        return Shape::tuple(operands);
      case Gives::part:
        return operands[0].elements[static_cast<size_t>(i.tuple_index)];
      case Gives::first:
        return operands[0];
      case Gives::callee:
        return program_.computation(i.called.front().computation).root_instruction().shape;
      case Gives::computed:
        break;
    }
    if (out.is_tuple) {
      for (size_t k = 0; k < out.elements.size() && k < operands.size(); ++k)
        if (is_floating(out.elements[k].type)) out.elements.edit()[k].type = operands[k].type;
      return out;
    }
    if (!is_floating(out.type)) return out;
    const auto floating =
        std::ranges::find_if(operands, [](const Shape& s) { return !s.is_tuple && is_floating(s.type); });
    if (floating != operands.end()) out.type = floating->type;
    return out;
  }

  InstructionId convert(Instruction i) {
    const Shape declared = i.shape;
    std::vector<Shape> want = taken(i);
    if (want.empty()) {
      const ElementType type = widest(i);
      const Gives gives = kinds()[i.opcode].gives;
      const bool keeps = gives == Gives::all || gives == Gives::part;
      for (const InstructionId operand : i.operands) {
        want.push_back(shape(operand));
        if (!keeps && !want.back().is_tuple && is_floating(want.back().type)) want.back().type = type;
      }
    }
    std::vector<Shape> operands;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      i.operands[k] = made_like(i.operands[k], want[k], i.name);
      operands.push_back(shape(i.operands[k]));
    }
    i.shape = result_of(i, operands);
    const std::string name = i.name;
    return made_like(rewrite_.add(std::move(i)), declared, name);
  }

  const Program& program_;
  const Computation& from_;
  ComputationRewrite rewrite_;
  std::set<std::string> names_;
};

}  // namespace

std::optional<Program> with_conversions(const Program& program) {
  Returns returns;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) add_returns(program, i, returns);
  std::optional<Program> out;
  for (size_t k = 0; k < program.computations.size(); ++k) {
    const Program& so_far = out ? *out : program;
    const Computation& c = so_far.computations[k];
    const auto wanted = returns.find(static_cast<int64_t>(k));
    const Shape* result = wanted == returns.end() ? nullptr : &wanted->second;
    const bool fit =
        std::ranges::all_of(c.instructions, [&](const Instruction& i) { return fits(so_far, c, i); });
    if (fit && (result == nullptr || same_shape(c.root_instruction().shape, *result))) continue;
    if (!out) out = program;
    out->computations[k] = Converter(*out, out->computations[k]).converted(result);
  }
  return out;
}

}  // namespace shardscope::inline numerics
