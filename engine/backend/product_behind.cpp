// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/product_behind.h"

#include <algorithm>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/kernel.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostBehind = 32;

size_t place_number(InstructionId id) {
  return static_cast<size_t>(id.value);
}

// Of what alone is read by it: whether only the program's results read it.
bool is_result(const Computation& c, const std::vector<std::vector<size_t>>& readers, size_t place) {
  if (place_number(c.root) == place) return true;
  return readers[place].size() == 1 && readers[place].front() == place_number(c.root) &&
         c.root_instruction().shape.is_tuple;
}

bool can_follow(const Computation& c, const std::vector<std::vector<size_t>>& readers, size_t place,
                size_t before) {
  const Instruction& i = c.instructions[place];
  const Shape& of = c.instructions[before].shape;
  if (!is_fusible(i) || !is_elementwise(i.opcode)) return false;
  if (bits(i.shape.type) > bits(of.type) && !is_result(c, readers, place)) return false;
  return std::ranges::all_of(i.operands, [&](InstructionId id) {
    return place_number(id) == before || is_spread(c, id) || is_given_array(c, id);
  });
}

// In which order a library does them.
enum class Step : uint8_t { never, factor, sum, cut, rounding };
Step step_of(const Computation& c, const Instruction& i, size_t before) {
  static const OpTable<Step> kSteps({}, {{Opcode::multiply, Step::factor},
                                         {Opcode::add, Step::sum},
                                         {Opcode::maximum, Step::cut},
                                         {Opcode::convert, Step::rounding}});
  static const OpTable<bool> kSpreads({}, {{Opcode::broadcast, true}, {Opcode::reshape, true}});
  const Step step = kSteps[i.opcode];
  if (step == Step::never || step == Step::rounding) return step;
  for (const InstructionId id : i.operands) {
    if (place_number(id) == before) continue;
    const Instruction* other = &c.at(id);
    while (kSpreads[other->opcode]) other = &c.at(other->operands[0]);
    if (step != Step::sum && other->opcode != Opcode::constant) return Step::never;
    if (step == Step::sum && !is_spread(c, id)) return Step::never;
  }
  return step;
}

}  // namespace

bool is_spread(const Computation& c, InstructionId id) {
  for (int steps = 0; steps < 16; ++steps) {
    const Instruction& i = c.at(id);
    if (i.shape.is_tuple) return false;
    if (i.shape.rank() == 0 || i.opcode == Opcode::constant) return true;
    const bool small = i.shape.element_count() == *std::ranges::max_element(i.shape.dims);
    if (is_given(i)) return small;
    if (i.opcode != Opcode::broadcast && i.opcode != Opcode::reshape && i.opcode != Opcode::convert)
      return false;
    id = i.operands[0];
  }
  return false;
}

bool is_given_array(const Computation& c, InstructionId id) {
  const Instruction* i = &c.at(id);
  while (has(i->opcode, Trait::view)) i = &c.at(i->operands[0]);
  return is_given(*i);
}

std::vector<size_t> behind_product(const Computation& c, const std::vector<std::vector<size_t>>& readers,
                                   size_t product) {
  std::vector<size_t> out;
  size_t kept = 0, at = product;
  while (out.size() < kMostBehind && readers[at].size() == 1 && place_number(c.root) != at) {
    const size_t next = readers[at].front();
    const bool view = has(c.instructions[next].opcode, Trait::view);
    if (!view && !can_follow(c, readers, next, at)) break;
    out.push_back(next);
    if (!view) kept = out.size();
    at = next;
  }
  out.resize(kept);
  return out;
}

size_t done_by_library(const Computation& c, size_t product, const std::vector<size_t>& behind) {
  Step last = Step::never;
  size_t out = 0, before = product;
  for (size_t k = 0; k < behind.size(); before = behind[k++]) {
    const Instruction& i = c.instructions[behind[k]];
    if (has(i.opcode, Trait::view)) continue;
    const Step step = step_of(c, i, before);
    if (step == Step::never || (step != Step::rounding && step <= last)) return out;
    if (step != Step::rounding) last = step;
    out = k + 1;
  }
  return out;
}

std::vector<bool> stand_behind_products(const Computation& c,
                                        const std::vector<std::vector<size_t>>& readers) {
  std::vector<bool> out(readers.size(), false);
  for (size_t k = 0; k < readers.size(); ++k) {
    const Instruction& i = c.instructions[k];
    if (i.opcode != Opcode::dot || !i.control_predecessors.empty()) continue;
    for (const size_t place : behind_product(c, readers, k)) out[place] = true;
  }
  return out;
}

}  // namespace shardscope::inline backend
