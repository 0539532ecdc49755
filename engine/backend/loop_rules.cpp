// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/loop_rules.h"

#include <algorithm>
#include <map>

#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostPieces = 8;

bool is_by_element(const Instruction& i) {
  return operation(i.opcode).kind == OpClass::elementwise || i.opcode == Opcode::copy ||
         i.opcode == Opcode::bitcast_convert || i.opcode == Opcode::constant;
}

// How the elements of an operand are read: not at all, again and again, once each in another order, once each
// in order. Of two in a row the first of these.
enum class Use : uint8_t { none, again, moved, once };

Use together(Use a, Use b) {
  if (a == Use::none) return b;
  if (b == Use::none) return a;
  return a == Use::once && b == Use::once ? Use::once : Use::again;
}

// Of the operand whose elements it gives, and of the others.
struct Uses {
  Use first = Use::again, others = Use::again;
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
                                        {Opcode::dynamic_update_slice, {Use::moved, Use::again}},
                                        {Opcode::reduce, {Use::moved, Use::again}}});
  if (is_by_element(i)) return Use::once;
  size_t first = 1;  // operands whose elements it gives
  if (i.opcode == Opcode::dynamic_update_slice) first = 2;
  if (i.opcode == Opcode::reduce) first = i.operands.size() / 2;
  const Uses uses = kUses[i.opcode];
  return operand < first ? uses.first : uses.others;
}

bool is_cheap_opcode(Opcode opcode) {
  static const OpTable<bool> kDear({}, {{Opcode::divide, true},      {Opcode::remainder, true},
                                        {Opcode::tanh, true},        {Opcode::power, true},
                                        {Opcode::rsqrt, true},       {Opcode::sqrt, true},
                                        {Opcode::cbrt, true},        {Opcode::erf, true},
                                        {Opcode::exponential, true}, {Opcode::exponential_minus_one, true},
                                        {Opcode::log, true},         {Opcode::log_plus_one, true},
                                        {Opcode::logistic, true},    {Opcode::atan2, true},
                                        {Opcode::asin, true},        {Opcode::acos, true},
                                        {Opcode::sinh, true},        {Opcode::cosh, true},
                                        {Opcode::asinh, true},       {Opcode::acosh, true},
                                        {Opcode::atanh, true},       {Opcode::erfc, true},
                                        {Opcode::erf_inv, true},     {Opcode::lgamma, true},
                                        {Opcode::digamma, true},     {Opcode::zeta, true},
                                        {Opcode::polygamma, true},   {Opcode::bessel_i1e, true},
                                        {Opcode::gather, true},      {Opcode::reduce, true}});
  return !kDear[opcode];
}

bool is_number(const Computation& c, InstructionId id) {
  const Instruction& i = c.at(id);
  if (i.opcode == Opcode::broadcast) return is_number(c, i.operands[0]);
  return i.opcode == Opcode::constant && i.shape.element_count() == 1;
}

}  // namespace

bool is_in_loops(const Instruction& i) {
  if (i.shape.is_tuple) return i.opcode == Opcode::reduce;  // of several arrays together
  if (i.opcode == Opcode::constant) return i.shape.element_count() == 1;
  if (is_by_element(i)) return true;
  static const OpTable<bool> kMoving({}, {{Opcode::bitcast, true},
                                          {Opcode::broadcast, true},
                                          {Opcode::concatenate, true},
                                          {Opcode::dynamic_slice, true},
                                          {Opcode::dynamic_update_slice, true},
                                          {Opcode::gather, true},
                                          {Opcode::iota, true},
                                          {Opcode::pad, true},
                                          {Opcode::reduce, true},
                                          {Opcode::reshape, true},
                                          {Opcode::reverse, true},
                                          {Opcode::slice, true},
                                          {Opcode::transpose, true}});
  return kMoving[i.opcode];
}

bool is_dear(const Computation& c, const Instruction& i) {
  if (i.opcode == Opcode::divide || i.opcode == Opcode::remainder)
    return !is_integer(i.shape.type) || !is_number(c, i.operands[1]);
  if (i.opcode == Opcode::convert)
    return i.shape.type == ElementType::bf16 && c.at(i.operands[0]).shape.type == ElementType::f32;
  if (i.opcode == Opcode::abs || i.opcode == Opcode::sign || i.opcode == Opcode::cosine ||
      i.opcode == Opcode::sine || i.opcode == Opcode::tan)
    return is_complex(i.shape.type);
  return !is_cheap_opcode(i.opcode);
}

bool reads(const Instruction& i, int32_t place) {
  return std::ranges::find(i.operands, InstructionId(place)) != i.operands.end();
}

bool has_many_pieces(const Instruction& i) {
  return i.opcode == Opcode::concatenate && i.operands.size() > kMostPieces;
}

bool reads_one_array(const Computation& c, const Instruction& i) {
  return std::ranges::count_if(i.operands, [&](InstructionId id) {
           const Instruction& operand = c.at(id);
           if (operand.opcode == Opcode::broadcast || operand.opcode == Opcode::iota) return false;
           if (operand.opcode == Opcode::constant && operand.shape.element_count() == 1) return false;
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
