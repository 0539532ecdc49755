// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/in_place.h"

#include <algorithm>

namespace shardscope {
namespace {

size_t place(InstructionId id) {
  return static_cast<size_t>(id.value);
}

bool is_alike(const Shape& a, const Shape& b) {
  return !a.is_tuple && !b.is_tuple && a.dims == b.dims && a.layout == b.layout && a.bytes() == b.bytes();
}

bool is_read_through(const Instruction& i) {
  return i.opcode == Opcode::bitcast || i.opcode == Opcode::reshape ||
         i.opcode == Opcode::get_tuple_element || i.opcode == Opcode::optimization_barrier;
}

// Of a fused computation.
class Inside {
 public:
  explicit Inside(const Computation& c) : c_(c), readers_(c.instructions.size()) {
    for (size_t k = 0; k < readers_.size(); ++k)
      for (const InstructionId operand : c.instructions[k].operands) readers_[place(operand)].push_back(k);
  }

  std::vector<InstructionId> roots() const {
    const Instruction& root = c_.root_instruction();
    return root.opcode == Opcode::tuple ? root.operands : std::vector{c_.root};
  }

  // Whether all who read it read but the element that they write.
  bool is_read_by_element(size_t at) const {
    return std::ranges::all_of(readers_[at], [&](size_t reader) {
      const Instruction& i = c_.instructions[reader];
      if (i.opcode == Opcode::tuple) return true;
      const bool steps =
          operation(i.opcode).kind == OpClass::elementwise || is_read_through(i) || i.opcode == Opcode::copy;
      return steps && (is_read_through(i) || is_alike_in_size(i.shape, c_.instructions[at].shape)) &&
             is_read_by_element(reader);
    });
  }

  // Whether an update of a part of it is what `root` gives, and nothing else reads it but where it is
  // updated.
  bool is_updated(size_t at, InstructionId root) const {
    InstructionId r = root;
    while (is_read_through(c_.at(r)) && !c_.at(r).operands.empty()) r = c_.at(r).operands[0];
    const Instruction& update = c_.at(r);
    if (!has(update.opcode, Trait::updates)) return false;
    InstructionId from = update.operands[0];
    while (is_read_through(c_.at(from)) && !c_.at(from).operands.empty()) from = c_.at(from).operands[0];
    return place(from) == at && is_read_in_the_place(at, update);
  }

 private:
  static bool is_alike_in_size(const Shape& a, const Shape& b) { return a.dims == b.dims; }

  // What the update itself reads of it is the slice that it changes.
  bool is_read_in_the_place(size_t at, const Instruction& update) const {
    return std::ranges::all_of(readers_[at], [&](size_t reader) {
      const Instruction& i = c_.instructions[reader];
      if (&i == &update) return true;
      if (is_read_through(i)) return is_read_in_the_place(reader, update);
      if (i.opcode != Opcode::dynamic_slice || update.opcode != Opcode::dynamic_update_slice) return false;
      return std::equal(i.operands.begin() + 1, i.operands.end(), update.operands.begin() + 2,
                        update.operands.end());
    });
  }

  const Computation& c_;
  std::vector<std::vector<size_t>> readers_;
};

void add_of_fusion(const Computation& fused, const Computation& c, const Instruction& i,
                   std::vector<PlaceOf>& out) {
  const Inside inside(fused);
  const std::vector<InstructionId> roots = inside.roots();
  for (size_t k = 0; k < fused.instructions.size(); ++k) {
    const int64_t number = fused.instructions[k].parameter_number;
    if (number < 0 || static_cast<size_t>(number) >= i.operands.size()) continue;
    const auto operand = static_cast<size_t>(number);
    const Shape& given = c.at(i.operands[operand]).shape;
    for (size_t r = 0; r < roots.size(); ++r) {
      const Shape& made = fused.at(roots[r]).shape;
      if (given.is_tuple || given.bytes() != made.bytes()) continue;
      const bool updated = inside.is_updated(k, roots[r]);
      if (updated || (is_alike(given, made) && inside.is_read_by_element(k)))
        out.push_back({operand, 0, i.shape.is_tuple ? 1 + r : 0, updated});
    }
  }
  std::ranges::stable_sort(out, {}, &PlaceOf::operand);
}

}  // namespace

std::vector<PlaceOf> may_stand_in(const Program& program, const Computation& computation,
                                  const Instruction& instruction) {
  std::vector<PlaceOf> out;
  const Instruction& i = instruction;
  if (const Computation* fused = fused_computation(program, i)) {
    add_of_fusion(*fused, computation, i, out);
    return out;
  }
  if (has(i.opcode, Trait::updates)) {
    const size_t count = i.opcode == Opcode::scatter ? i.operands.size() / 2 : 1;
    for (size_t k = 0; k < count; ++k) out.push_back({k, 0, i.shape.is_tuple ? 1 + k : 0, true});
  } else if (i.opcode == Opcode::sort) {
    for (size_t k = 0; k < i.operands.size(); ++k) out.push_back({k, 0, i.shape.is_tuple ? 1 + k : 0});
  } else if (operation(i.opcode).kind == OpClass::elementwise) {
    for (size_t k = 0; k < i.operands.size(); ++k)
      if (is_alike(computation.at(i.operands[k]).shape, i.shape)) out.push_back({k, 0, 0});
  }
  return out;
}

}  // namespace shardscope
