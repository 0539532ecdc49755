// SPDX-License-Identifier: Apache-2.0
#include "engine/session/initial_values.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>

#include "engine/base/float_format.h"
#include "engine/numerics/array/element.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline session {
namespace {

struct OperationWords {
  const char* makes = nullptr;  // null: not an operation that has an element of no effect
  double identity = 0;
};

OperationWords words_of(Opcode operation) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static const OpTable<OperationWords> kWords({}, {{Opcode::add, {"sums", 0}},
                                                   {Opcode::multiply, {"products", 1}},
                                                   {Opcode::maximum, {"maxima", -kInfinity}},
                                                   {Opcode::minimum, {"minima", kInfinity}},
                                                   {Opcode::and_, {"conjunctions", -1}},
                                                   {Opcode::or_, {"disjunctions", 0}},
                                                   {Opcode::xor_, {"parities", 0}}});
  return kWords[operation];
}

// Walks from the operand of a reduction to the parameter of the entry that it is.
class Origins {
 public:
  explicit Origins(const Program& module) : module_(module) {
    for (size_t c = 0; c < module.computations.size(); ++c)
      for (const Instruction& i : module.computations[c].instructions)
        for (const CalledComputation& called : i.called)
          if (has(i.opcode, Trait::inlined))
            callers_[called.computation.value].push_back({&module.computations[c], &i});
    size_t leaf = 0;
    for (const Instruction* parameter : parameters_by_number(module.entry_computation())) {
      if (parameter == nullptr) continue;
      first_leaf_[parameter] = leaf;
      leaf += leaf_count(parameter->shape);
    }
  }

  // The leaf, and the parameter that it is of.
  struct Found {
    size_t leaf = 0;
    const Instruction* parameter = nullptr;
  };
  std::optional<Found> of(const Computation& computation, const Instruction& i) const {
    if (has(i.opcode, Trait::same_order)) return of(computation, computation.at(i.operands[0]));
    switch (i.opcode) {
      case Opcode::convert:
        return of(computation, computation.at(i.operands[0]));
      case Opcode::get_tuple_element: {
        const auto found = of(computation, computation.at(i.operands[0]));
        if (!found || !found->parameter->shape.is_tuple) return std::nullopt;
        size_t leaf = found->leaf;
        const std::vector<Shape>& elements = found->parameter->shape.elements;
        for (size_t e = 0; e < static_cast<size_t>(i.tuple_index) && e < elements.size(); ++e)
          leaf += leaf_count(elements[e]);
        return Found{leaf, found->parameter};
      }
      case Opcode::parameter:
        break;
      default:
        return std::nullopt;
    }
    if (&computation == &module_.entry_computation()) return Found{first_leaf_.at(&i), &i};
    const auto called = callers_.find(index_of(computation));
    if (called == callers_.end() || called->second.size() != 1) return std::nullopt;
    const auto& [caller, call] = called->second.front();
    const auto operand = static_cast<size_t>(i.parameter_number);
    if (operand >= call->operands.size()) return std::nullopt;
    return of(*caller, caller->at(call->operands[operand]));
  }

 private:
  int32_t index_of(const Computation& computation) const {
    return static_cast<int32_t>(&computation - module_.computations.data());
  }

  const Program& module_;
  std::map<int32_t, std::vector<std::pair<const Computation*, const Instruction*>>> callers_;
  std::map<const Instruction*, size_t> first_leaf_;
};

// The one operation by which a reduction joins two elements.
std::optional<Opcode> operation_of(const Program& module, const Instruction& i) {
  for (const CalledComputation& called : i.called) {
    if (called.key != "to_apply") continue;
    const Computation& reducer = module.computation(called.computation);
    const Instruction& root = reducer.root_instruction();
    const bool of_parameters =
        root.operands.size() == 2 && std::ranges::all_of(root.operands, [&](InstructionId operand) {
          return reducer.at(operand).opcode == Opcode::parameter;
        });
    if (of_parameters && words_of(root.opcode).makes != nullptr) return root.opcode;
  }
  return std::nullopt;
}

std::string number_text(double value) {
  return std::isinf(value) ? (value < 0 ? "-inf" : "inf") : fmt::format("{:g}", value);
}

// The end of a floating type's numbers to that side.
double last_number(ElementType type, bool upper) {
  if (upper) return largest_float(type);
  return float_format(type).has_sign() ? -largest_float(type) : float_value(type, 0);
}

}  // namespace

Array identity_element(Opcode operation, ElementType type) {
  Array out = Array::allocate(type, {});
  const double value = words_of(operation).identity;
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    using Computed = typename Tag::Computed;
    Computed computed;
    if constexpr (!element::kInteger<Tag>) {
      // Where nothing is infinite, the ends of the numbers that there are.
      const bool ends = element::kFloat<Tag> && std::isinf(value) && !float_format(type).has_infinity();
      computed = static_cast<Computed>(ends ? last_number(type, value > 0) : value);
    } else if (std::isinf(value)) {
      // The ends of the type's own range.
      const auto bits_of_type = static_cast<int>(bits(type)) - (is_signed(type) ? 1 : 0);
      const bool wide = bits_of_type >= 63;
      const int64_t largest = type == ElementType::pred  ? 1
                              : !is_signed(type) && wide ? -1
                              : wide                     ? std::numeric_limits<int64_t>::max()
                                                         : (int64_t{1} << bits_of_type) - 1;
      const int64_t least = is_signed(type) ? -largest - 1 : 0;
      computed = value > 0 ? largest : least;
    } else {
      computed = static_cast<Computed>(value);
    }
    out.mutable_as<typename Tag::Stored>()[0] = Tag::store(computed);
  });
  return out;
}

std::vector<InitialValue> initial_values(const Program& module) {
  const Origins origins(module);
  std::map<size_t, InitialValue> found;
  std::map<size_t, bool> disputed;
  for (const Computation& computation : module.computations) {
    for (const Instruction& i : computation.instructions) {
      if (i.opcode != Opcode::reduce && i.opcode != Opcode::reduce_window) continue;
      const auto operation = operation_of(module, i);
      if (!operation || i.operands.size() != 2) continue;
      const Instruction& start = computation.at(i.operands[1]);
      const auto origin = origins.of(computation, start);
      if (!origin || start.shape.rank() != 0) continue;
      const auto [known, fresh] = found.try_emplace(origin->leaf);
      disputed[origin->leaf] |= !fresh && known->second.operation != *operation;
      if (!fresh) continue;
      const OperationWords words = words_of(*operation);
      const std::string drawn = *operation == Opcode::and_ ? "true" : number_text(words.identity);
      known->second = {origin->leaf, *operation,
                       fmt::format("{}, from which the {} of {} start", drawn, words.makes, display_name(i))};
    }
  }
  std::vector<InitialValue> out;
  for (const auto& [leaf, value] : found)
    if (!disputed[leaf]) out.push_back(value);
  return out;
}

}  // namespace shardscope::inline session
