// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/exact_module.h"

#include <algorithm>
#include <string_view>

#include "engine/numerics/rules/convert.h"
#include "engine/program/analysis/async_pairs.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline session {
namespace {

bool is_inexact(ElementType type) {
  return exact_type(type) != type;
}

bool any_inexact(const Shape& shape) {
  if (!shape.is_tuple) return is_inexact(shape.type);
  return std::ranges::any_of(shape.elements, any_inexact);
}

// LAPACK's routines are there for each precision, under names that begin with it.
bool to_double_precision(std::string& target) {
  for (const auto& [single, twice] :
       {std::pair<std::string_view, char>("lapack_s", 'd'), {"lapack_c", 'z'}}) {
    if (!target.starts_with(single)) continue;
    target[single.size() - 1] = twice;
    return true;
  }
  return false;
}

// Rewrites one computation.
class ExactWriter {
 public:
  explicit ExactWriter(const Computation& from) : from_(from), to_(from.instructions.size()) {
    made_.name = from.name;
    made_.verbatim = from.verbatim;
  }

  Computation write() {
    for (size_t k = 0; k < from_.instructions.size(); ++k) to_[k] = exact(from_.instructions[k]);
    made_.root = to_[static_cast<size_t>(from_.root.value)];
    return std::move(made_);
  }

 private:
  InstructionId add(Instruction i) {
    made_.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(made_.instructions.size()) - 1);
  }

  Instruction moved(const Instruction& i) const {
    Instruction out = i;
    for (InstructionId& operand : out.operands) operand = to_[static_cast<size_t>(operand.value)];
    if (!out.control_predecessors.empty())
      for (InstructionId& before : out.control_predecessors.edit())
        before = to_[static_cast<size_t>(before.value)];
    return out;
  }

  InstructionId exact(const Instruction& i) {
    Instruction out = moved(i);
    const bool floats = any_inexact(i.shape) || std::ranges::any_of(i.operands, [&](InstructionId operand) {
                          return any_inexact(from_.at(operand).shape);
                        });
    if (!floats) return add(std::move(out));
    if (keeps_value(i)) {
      out.opcode = Opcode::copy;
      out.attributes = {};
    } else if (in_own_type(out)) {
      return own(i, std::move(out));
    }
    out.shape = exact_shape(i.shape);
    return add(std::move(out));
  }

  bool keeps_value(const Instruction& i) const {
    return has(i.opcode, Trait::same_array) && is_inexact(i.shape.type) &&
           exact_type(i.shape.type) == exact_type(from_.at(i.operands[0]).shape.type);
  }

  // What has to be done in the type that it is written in; a library's routine becomes the one of the wider
  // type where there is one.
  static bool in_own_type(Instruction& i) {
    static const OpTable<bool (*)(Instruction&)> rules({{OpClass::unknown, &is_no_pair}},
                                                       {{Opcode::constant, &always},
                                                        {Opcode::bitcast, &always},
                                                        {Opcode::bitcast_convert, &always},
                                                        {Opcode::custom_call, &has_one_type}});
    const auto rule = rules[i.opcode];
    return rule != nullptr && rule(i);
  }
  static bool always(Instruction&) { return true; }
  // Halves of asynchronous operations, reduce-scatter-start, have no opcode and do what it says in any type.
  static bool is_no_pair(Instruction& i) { return !is_start(i) && !ends_start(i); }
  static bool has_one_type(Instruction& i) {
    CustomCall* call = std::get_if<CustomCall>(&i.attributes.edit());
    return call == nullptr || !(call->target == "TopK" || to_double_precision(call->target));
  }

  // Its operands as they were, its result as they are here.
  InstructionId own(const Instruction& i, Instruction out) {
    for (size_t k = 0; k < out.operands.size(); ++k)
      out.operands[k] = converted(out.operands[k], from_.at(i.operands[k]).shape, i.name);
    out.shape = i.shape;
    const bool changes = any_inexact(i.shape);
    if (changes) out.name = fresh(i.name);
    const InstructionId made = add(std::move(out));
    return changes ? converted(made, exact_shape(i.shape), i.name, true) : made;
  }

  // `last`: it takes the name itself.
  InstructionId converted(InstructionId value, const Shape& to, const std::string& base, bool last = false) {
    const Shape from = made_.at(value).shape;
    if (from == to) return value;
    Instruction out;
    out.name = last ? base : fresh(base);
    out.shape = to;
    if (!to.is_tuple) {
      out.opcode = Opcode::convert;
      out.operands = {value};
      return add(std::move(out));
    }
    for (size_t k = 0; k < to.elements.size(); ++k) {
      Instruction part;
      part.name = fresh(base);
      part.opcode = Opcode::get_tuple_element;
      part.shape = from.elements[k];
      part.operands = {value};
      part.tuple_index = static_cast<int64_t>(k);
      out.operands.push_back(converted(add(std::move(part)), to.elements[k], base));
    }
    out.opcode = Opcode::tuple;
    return add(std::move(out));
  }

  std::string fresh(const std::string& base) {
    return base + ".own" + std::to_string(made_.instructions.size());
  }

  const Computation& from_;
  std::vector<InstructionId> to_;
  Computation made_;
};

}  // namespace

ElementType exact_type(ElementType type) {
  if (is_floating(type)) return ElementType::f64;
  return type == ElementType::c64 ? ElementType::c128 : type;
}

Shape exact_shape(Shape shape) {
  if (!shape.is_tuple) {
    shape.type = exact_type(shape.type);
    return shape;
  }
  for (Shape& element : shape.elements.edit()) element = exact_shape(std::move(element));
  return shape;
}

Array in_exact_type(const Array& array) {
  const ElementType type = exact_type(array.type());
  if (type == array.type()) return array;
  Array out = Array::allocate(type, array.dims());
  convert_elements(array.type(), array.data(), type, out.mutable_data(), out.element_count());
  return out;
}

Program exact_program(const Program& program) {
  Program out = program;
  for (Computation& c : out.computations) c = ExactWriter(c).write();
  return out;
}

Partitioned exact_partitioned(const Partitioned& partitioned) {
  Partitioned out;
  out.program = SharedProgram(exact_program(*partitioned.program));
  out.parameters = partitioned.parameters;
  out.results = partitioned.results;
  for (const Shape& shape : partitioned.parameter_shapes) out.parameter_shapes.push_back(exact_shape(shape));
  for (const Shape& shape : partitioned.result_shapes) out.result_shapes.push_back(exact_shape(shape));
  return out;
}

}  // namespace shardscope::inline session
