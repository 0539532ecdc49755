// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/module_sizes.h"

#include <algorithm>

#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/op_table.h"
#include "engine/session/proof/size_rules.h"

namespace shardscope::inline session {
namespace {

// Where a value is made.
struct ValuePlace {
  size_t computation, instruction;
};

// Links sizes instruction by instruction, and those that tuples, loops and branches hand on.
class SizeLinker {
 public:
  explicit SizeLinker(const Program& module) : module_(module) {
    for (const Computation& c : module.computations) {
      auto& by_instruction = out_.first.emplace_back();
      for (const Instruction& i : c.instructions) {
        auto& by_leaf = by_instruction.emplace_back();
        for (const Shape& leaf : leaves_of(i.shape)) {
          by_leaf.push_back(out_.classes.count());
          for (const int64_t size : leaf.dims) out_.classes.add(size);
        }
      }
    }
  }

  ModuleSizes link() {
    for (size_t c = 0; c < module_.computations.size(); ++c)
      for (size_t k = 0; k < module_.computations[c].instructions.size(); ++k) instruction({c, k});
    out_.classes.settle();
    return std::move(out_);
  }

 private:
  const Instruction& at(ValuePlace p) const {
    return module_.computations[p.computation].instructions[p.instruction];
  }
  const std::vector<size_t>& leaves(ValuePlace p) const { return out_.first[p.computation][p.instruction]; }
  ValuePlace operand(ValuePlace p, size_t k) const {
    return {p.computation, static_cast<size_t>(at(p).operands[k].value)};
  }
  ValuePlace root(ComputationId of) const {
    return {static_cast<size_t>(of.value), static_cast<size_t>(module_.computation(of).root.value)};
  }
  std::vector<ValuePlace> parameters(ComputationId of) const {
    std::vector<ValuePlace> out;
    const auto c = static_cast<size_t>(of.value);
    for (const InstructionId id : parameter_ids(module_.computations[c]))
      out.push_back({c, static_cast<size_t>(id.value)});
    return out;
  }

  // Leaf `from` of one value is leaf `to` of the other.
  void same_leaf(ValuePlace a, size_t from, ValuePlace b, size_t to) {
    const std::vector<Shape> shapes = leaves_of(at(a).shape);
    for (size_t d = 0; d < shapes[from].rank(); ++d)
      out_.classes.unite(leaves(a)[from] + d, leaves(b)[to] + d);
  }
  void same(ValuePlace a, ValuePlace b) {
    for (size_t leaf = 0; leaf < std::min(leaves(a).size(), leaves(b).size()); ++leaf)
      same_leaf(a, leaf, b, leaf);
  }

  void instruction(ValuePlace here) {
    static const OpTable<void (SizeLinker::*)(ValuePlace)> kRules(
        {}, {{Opcode::get_tuple_element, &SizeLinker::taken},
             {Opcode::tuple, &SizeLinker::handed_on},
             {Opcode::optimization_barrier, &SizeLinker::handed_on},
             {Opcode::while_, &SizeLinker::loop},
             {Opcode::conditional, &SizeLinker::branches}});
    if (const auto rule = kRules[at(here).opcode]) return (this->*rule)(here);
    SizedInstruction x{module_.computations[here.computation], at(here), {}, leaves(here)};
    for (size_t k = 0; k < at(here).operands.size(); ++k) {
      const std::vector<size_t>& of = leaves(operand(here, k));
      x.operands.push_back(of.empty() ? 0 : of.front());
    }
    link_sizes(x, out_.classes);
  }

  void taken(ValuePlace here) {
    const Shape& tuple = at(operand(here, 0)).shape;
    size_t leaf = 0;
    for (int64_t e = 0; e < at(here).tuple_index; ++e)
      leaf += leaf_count(tuple.elements[static_cast<size_t>(e)]);
    for (size_t l = 0; l < leaves(here).size(); ++l) same_leaf(operand(here, 0), leaf + l, here, l);
  }

  void handed_on(ValuePlace here) {
    size_t leaf = 0;
    for (size_t k = 0; k < at(here).operands.size(); ++k)
      for (size_t l = 0; l < leaves(operand(here, k)).size(); ++l)
        same_leaf(operand(here, k), l, here, leaf++);
  }

  void loop(ValuePlace here) {
    same(operand(here, 0), here);
    for (const CalledComputation& called : at(here).called) {
      for (const ValuePlace parameter : parameters(called.computation)) same(parameter, here);
      if (called.key == "body") same(root(called.computation), here);
    }
  }

  void branches(ValuePlace here) {
    const Instruction& i = at(here);
    for (size_t b = 0; b < i.called.size(); ++b) {
      const ComputationId called = i.called[b].computation;
      same(root(called), here);
      if (b + 1 >= i.operands.size()) continue;
      for (const ValuePlace parameter : parameters(called)) same(operand(here, b + 1), parameter);
    }
  }

  const Program& module_;
  ModuleSizes out_;
};

}  // namespace

ModuleSizes module_sizes(const Program& module) {
  return SizeLinker(module).link();
}

}  // namespace shardscope::inline session
