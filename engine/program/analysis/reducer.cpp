// SPDX-License-Identifier: Apache-2.0
// Which operation a reduction's computation is, whatever stands around it: copies, annotations, calls,
// tuples, and conversions to a type in which the operation gives the same.
#include <algorithm>
#include <optional>
#include <vector>

#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline program {
namespace {

constexpr int kMostSteps = 256;  // of one computation: what is longer is none of these
constexpr int kDeepest = 32;

// A parameter of the reduction, or `op` of both of them.
struct Term {
  int64_t parameter = -1;
  Opcode op = Opcode::unknown;
};

bool is_annotation(const Instruction& i) {
  return custom_call_target(i).ends_with("Sharding");
}

// Whether what is said of numbers of type `narrow` is the same when it is computed in `wide` and rounded to
// `narrow`: twice the digits and two make the first rounding harmless (Figueroa, "When is double rounding
// innocuous?", 1995), f32 and f64 have every exponent of the smaller ones, and integers wrap.
bool computes_alike(ElementType narrow, ElementType wide, Opcode op) {
  if (narrow == wide) return true;
  if (is_floating(narrow) && is_floating(wide)) {
    const bool holds_all = wide == ElementType::f32 || wide == ElementType::f64;
    const int digits = element_type(narrow).digits;
    return holds_all && element_type(wide).digits >= (has(op, Trait::extreme) ? digits : 2 * digits + 2);
  }
  return is_integer(narrow) && is_integer(wide) && is_signed(narrow) == is_signed(wide) &&
         bits(wide) > bits(narrow);
}

class ReducerWalk {
 public:
  ReducerWalk(const Program& program, ElementType type) : program_(program), type_(type) {}

  std::optional<Term> root(const Computation& computation) { return of(computation, computation.root, 0); }

 private:
  struct Frame {
    const Computation* computation;
    const Instruction* call;  // null: the reduction itself
    const Frame* caller;
  };

  std::optional<Term> of(const Computation& computation, InstructionId id, int depth) {
    const Frame frame{&computation, nullptr, nullptr};
    return value(frame, id, -1, depth);
  }

  // `element`: of a tuple.
  std::optional<Term> value(const Frame& at, InstructionId id, int64_t element, int depth) {
    if (++steps_ > kMostSteps || depth > kDeepest) return std::nullopt;
    const Instruction& i = at.computation->at(id);
    const auto first = [&](int64_t part) { return value(at, i.operands[0], part, depth + 1); };
    if (has(i.opcode, Trait::inlined)) return called(at, i, element, depth);
    const bool same = has(i.opcode, Trait::same_order) || has(i.opcode, Trait::view);
    if (same || (is_annotation(i) && i.operands.size() == 1)) return first(element);
    switch (i.opcode) {
      case Opcode::parameter:
        return parameter(at, i, element, depth);
      case Opcode::get_tuple_element:
        return element < 0 ? first(i.tuple_index) : std::nullopt;
      case Opcode::tuple:
        if (element < 0 || element >= std::ssize(i.operands)) return std::nullopt;
        return value(at, i.operands[static_cast<size_t>(element)], -1, depth + 1);
      case Opcode::convert:
        return converted(at, i, first(-1));
      default:
        return operation(at, i, depth);
    }
  }

  std::optional<Term> parameter(const Frame& at, const Instruction& i, int64_t element, int depth) {
    if (at.call == nullptr) return element < 0 ? std::optional(Term{i.parameter_number}) : std::nullopt;
    const auto number = static_cast<size_t>(i.parameter_number);
    if (number >= at.call->operands.size()) return std::nullopt;
    return value(*at.caller, at.call->operands[number], element, depth + 1);
  }

  std::optional<Term> called(const Frame& at, const Instruction& i, int64_t element, int depth) {
    if (i.called.empty()) return std::nullopt;
    const Computation& body = program_.computation(i.called->front().computation);
    const Frame frame{&body, &i, &at};
    return value(frame, body.root, element, depth + 1);
  }

  // Parameters go up to the type that is computed in, results come down from it.
  static std::optional<Term> converted(const Frame& at, const Instruction& i, std::optional<Term> of) {
    if (!of) return std::nullopt;
    const ElementType from = at.computation->at(i.operands[0]).shape.type, to = i.shape.type;
    const bool up = !is_known(of->op);
    const bool alike =
        up ? computes_alike(from, to, Opcode::maximum) : computes_alike(to, from, Opcode::maximum);
    return alike ? of : std::nullopt;
  }

  std::optional<Term> operation(const Frame& at, const Instruction& i, int depth) {
    if (!is_reducer(i.opcode) || i.operands.size() != 2 || i.shape.is_tuple || i.shape.rank() != 0 ||
        !computes_alike(type_, i.shape.type, i.opcode))
      return std::nullopt;
    const auto a = value(at, i.operands[0], -1, depth + 1), b = value(at, i.operands[1], -1, depth + 1);
    const auto plain = [](const std::optional<Term>& t) { return t && !is_known(t->op); };
    if (!plain(a) || !plain(b) || a->parameter == b->parameter) return std::nullopt;
    return Term{-1, i.opcode};
  }

  const Program& program_;
  ElementType type_;  // of the reduction
  int steps_ = 0;
};

}  // namespace

bool is_reducer(Opcode opcode) {
  constexpr Opcode kReducers[] = {Opcode::add,  Opcode::multiply, Opcode::maximum, Opcode::minimum,
                                  Opcode::and_, Opcode::or_,      Opcode::xor_};
  return std::ranges::find(kReducers, opcode) != std::end(kReducers);
}

Opcode reducer_opcode(const Program& program, const Instruction& instruction) {
  for (const CalledComputation& called : instruction.called) {
    if (called.key != "to_apply") continue;
    const Computation& body = program.computation(called.computation);
    const Shape& root = body.root_instruction().shape;
    if (root.is_tuple || root.rank() != 0) return Opcode::unknown;
    const auto found = ReducerWalk(program, root.type).root(body);
    return found ? found->op : Opcode::unknown;
  }
  return Opcode::unknown;
}

}  // namespace shardscope::inline program
