// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/equal_work.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "engine/backend/computation_rewrite.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kLongestReducer = 8;  // instructions that are compared

bool can_be_merged(const Instruction& i) {
  if (!i.control_predecessors.empty() || i.opcode == Opcode::parameter) return false;
  switch (operation(i.opcode).kind) {
    case OpClass::elementwise:
    case OpClass::product:
    case OpClass::reduction:
      return true;
    case OpClass::movement:
      return !has(i.opcode, Trait::ends) && operation(i.opcode).cost != CostClass::unknown &&
             i.opcode != Opcode::copy_start;
    case OpClass::indexed:
      return i.opcode != Opcode::scatter;
    case OpClass::source:
      return has(i.opcode, Trait::spelled);
    default:
      return i.opcode == Opcode::get_tuple_element;
  }
}

// What it does, whatever it is called.
Instruction nameless(Instruction i) {
  i.name.clear();
  i.called = {};
  i.sharding = {};
  i.provenance = {};
  i.verbatim = {};
  return i;
}

class Merging {
 public:
  Merging(const Program& program, const Computation& from) : program_(program), from_(from), rewrite_(from) {}

  Computation run() {
    for (size_t k = 0; k < from_.instructions.size(); ++k) {
      if (!can_be_merged(from_.instructions[k])) {
        rewrite_.copy(k);
        continue;
      }
      Instruction own = from_.instructions[k];
      for (InstructionId& operand : own.operands) operand = rewrite_.at(operand);
      std::vector<InstructionId>& alike = known_[{own.opcode, own.operands}];
      const auto same = std::ranges::find_if(
          alike, [&](InstructionId id) { return does_the_same(own, rewrite_.made(id)); });
      if (same == alike.end())
        alike.push_back(rewrite_.copy(k));
      else
        rewrite_.stand_for(k, *same);
    }
    return std::move(rewrite_).finish();
  }

 private:
  bool does_the_same(const Instruction& a, const Instruction& b) const {
    return a.shape == b.shape && calls_the_same(a, b) && nameless(a) == nameless(b);
  }

  bool calls_the_same(const Instruction& a, const Instruction& b) const {
    if (a.called.size() != b.called.size()) return false;
    for (size_t c = 0; c < a.called.size(); ++c) {
      const Computation& one = program_.computation(a.called[c].computation);
      const Computation& other = program_.computation(b.called[c].computation);
      const size_t count = one.instructions.size();
      if (&one == &other) continue;
      if (count != other.instructions.size() || count > kLongestReducer || one.root != other.root)
        return false;
      for (size_t k = 0; k < count; ++k)
        if (nameless(one.instructions[k]) != nameless(other.instructions[k])) return false;
    }
    return true;
  }

  const Program& program_;
  const Computation& from_;
  ComputationRewrite rewrite_;
  std::map<std::pair<Opcode, std::vector<InstructionId>>, std::vector<InstructionId>> known_;
};

}  // namespace

Computation without_equal_work(const Program& program, const Computation& computation) {
  return Merging(program, computation).run();
}

}  // namespace shardscope::inline backend
