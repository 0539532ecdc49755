// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/loop_rules.h"

#include <algorithm>
#include <map>

#include "engine/backend/functions.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostPieces = 8;
constexpr int64_t kShortestRow = 64, kSmallestRows = 2048;  // bytes of rows that are joined end to end

bool is_by_element(const Instruction& i) {
  static const OpTable<bool> kByElement(
      {{OpClass::elementwise, true}},
      {{Opcode::copy, true}, {Opcode::bitcast_convert, true}, {Opcode::constant, true}});
  return kByElement[i.opcode];
}

// How the elements of an operand are read: not at all, again and again, once each in another order, once each
// in order. Of two in a row the first of these.
enum class Use : uint8_t { none, again, moved, once };

Use together(Use a, Use b) {
  if (a == Use::none) return b;
  if (b == Use::none) return a;
  return a == Use::once && b == Use::once ? Use::once : Use::again;
}

// Of the operands whose elements it gives, the first so many of each so many, and of the others.
struct Uses {
  Use first = Use::again, others = Use::again;
  size_t given = 1, of = 0;  // of 0: of all
};
Use use_of(const Instruction& i, size_t operand) {
  static const OpTable<Uses> kUses({}, {{Opcode::bitcast, {Use::moved, Use::moved}},
                                        {Opcode::concatenate, {Use::moved, Use::moved}},
                                        {Opcode::reshape, {Use::moved, Use::moved}},
                                        {Opcode::reverse, {Use::moved, Use::moved}},
                                        {Opcode::slice, {Use::moved, Use::moved}},
                                        {Opcode::transpose, {Use::moved, Use::moved}},
                                        {Opcode::gather, {Use::moved, Use::once}},
                                        {Opcode::pad, {Use::moved, Use::again}},
                                        {Opcode::dynamic_slice, {Use::moved, Use::again}},
                                        {Opcode::dynamic_update_slice, {Use::moved, Use::again, 2}},
                                        {Opcode::reduce, {Use::moved, Use::again, 1, 2}}});
  if (is_by_element(i)) return Use::once;
  const Uses uses = kUses[i.opcode];
  const size_t given = uses.of == 0 ? uses.given : i.operands.size() * uses.given / uses.of;
  return operand < given ? uses.first : uses.others;
}

bool spreads_number(const Computation& c, InstructionId id) {
  while (c.at(id).opcode == Opcode::broadcast) id = c.at(id).operands[0];
  return is_number(c.at(id));
}

}  // namespace

bool is_in_loops(const Instruction& i) {
  enum class Loops : uint8_t { none, arrays, tuples, numbers };  // tuples: also of several arrays together
  static const OpTable<Loops> kLoops({{OpClass::elementwise, Loops::arrays}},
                                     {{Opcode::copy, Loops::arrays},
                                      {Opcode::bitcast_convert, Loops::arrays},
                                      {Opcode::constant, Loops::numbers},
                                      {Opcode::bitcast, Loops::arrays},
                                      {Opcode::broadcast, Loops::arrays},
                                      {Opcode::concatenate, Loops::arrays},
                                      {Opcode::dynamic_slice, Loops::arrays},
                                      {Opcode::dynamic_update_slice, Loops::arrays},
                                      {Opcode::gather, Loops::arrays},
                                      {Opcode::iota, Loops::arrays},
                                      {Opcode::pad, Loops::arrays},
                                      {Opcode::reduce, Loops::tuples},
                                      {Opcode::reshape, Loops::arrays},
                                      {Opcode::reverse, Loops::arrays},
                                      {Opcode::slice, Loops::arrays},
                                      {Opcode::transpose, Loops::arrays}});
  const Loops loops = kLoops[i.opcode];
  if (loops == Loops::numbers) return is_number(i);
  return loops == Loops::tuples || (loops == Loops::arrays && !i.shape.is_tuple);
}

bool is_dear(const Computation& c, const Instruction& i) {
  switch (function_of(i.opcode).dear) {
    case Dear::never:
      return false;
    case Dear::always:
      return true;
    case Dear::unless_by_a_whole_number:
      return !is_integer(i.shape.type) || !spreads_number(c, i.operands[1]);
    case Dear::unless_by_a_number:
      return is_integer(i.shape.type) ? !spreads_number(c, i.operands[1])
                                      : !spreads_constant(c, i.operands[1]);
    case Dear::rounding:
      return i.shape.type == ElementType::bf16 && c.at(i.operands[0]).shape.type == ElementType::f32;
    case Dear::complex:
      return is_complex(i.shape.type);
  }
  return false;
}

const Instruction* constant_behind(const Computation& c, InstructionId id) {
  static const OpTable<bool> kPasses(
      {}, {{Opcode::broadcast, true}, {Opcode::convert, true}, {Opcode::reshape, true}});
  while (kPasses[c.at(id).opcode]) id = c.at(id).operands[0];
  const Instruction& from = c.at(id);
  return is_number(from) && !from.literal->empty() ? &from : nullptr;
}

bool spreads_constant(const Computation& c, InstructionId id) {
  return constant_behind(c, id) != nullptr;
}

bool reads(const Instruction& i, int32_t place) {
  return std::ranges::find(i.operands, InstructionId(place)) != i.operands.end();
}

bool is_put_together_alone(const Instruction& i) {
  const Shape& shape = i.shape;
  const auto has_long_rows = [&] {
    return shape.rank() > 1 && i.dimensions->front() + 1 == static_cast<int64_t>(shape.rank()) &&
           shape.dims.back() * bits(shape.type) >= 8 * kShortestRow && shape.bytes() >= kSmallestRows;
  };
  return i.opcode == Opcode::concatenate && (i.operands.size() > kMostPieces || has_long_rows());
}

bool reads_one_array(const Computation& c, const Instruction& i) {
  return std::ranges::count_if(i.operands, [&](InstructionId id) {
           const Instruction& operand = c.at(id);
           static const OpTable<bool> kOfFewNumbers({}, {{Opcode::broadcast, true}, {Opcode::iota, true}});
           if (kOfFewNumbers[operand.opcode] || is_number(operand)) return false;
           return operand.shape.rank() >= i.shape.rank();
         }) <= 1;
}

bool reads_more_than_it_gives(const Computation& c, const Instruction& i) {
  std::vector<InstructionId> all = i.operands;
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  int64_t given = 0;
  for (const InstructionId id : all)
    if (!c.at(id).shape.is_tuple) given += c.at(id).shape.element_count();
  return given > i.shape.element_count();
}

bool repeats_elements(const Computation& c, const std::vector<int32_t>& members, int32_t producer) {
  std::map<int32_t, Use> uses{{producer, Use::once}};  // by place: of the producer's elements
  for (const int32_t m : members) {
    const Instruction& i = c.instructions[static_cast<size_t>(m)];
    Use all = Use::none;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const auto before = uses.find(static_cast<int32_t>(i.operands[k].value));
      if (before != uses.end()) all = together(all, std::min(before->second, use_of(i, k)));
    }
    if (all != Use::none) uses[m] = all;
  }
  const auto found = uses.find(members.back());
  return found != uses.end() && found->second == Use::again;
}

}  // namespace shardscope::inline backend
