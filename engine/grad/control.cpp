// SPDX-License-Identifier: Apache-2.0
// Derivatives through tuples, branches and custom-calls: where values go, not what is computed of them.
#include <algorithm>

#include "engine/grad/regions.h"
#include "engine/grad/turn.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/registered.h"

namespace shardscope::inline grad {
namespace {

// Branches on the way back: each is given its operand and the cotangents of the results, and gives those of
// the operands of all branches, zeros for the others'.
class BranchWriter {
 public:
  explicit BranchWriter(const GradTurn& turn) : t_(turn), loop_(turn.at()) {}

  Result<void> write() {
    std::vector<InstructionId> operands = {t_.operand(0)};
    std::vector<CalledComputation> called;
    const std::vector<InstructionId> bars = t_.sweep.active_bars(t_.id);
    for (size_t b = 0; b < loop_.called->size(); ++b) {
      std::vector<InstructionId> given = {t_.operand(b + 1)};
      given.insert(given.end(), bars.begin(), bars.end());
      operands.push_back(t_.page().tuple(given));
      TRY(const ComputationId branch, write_branch(b, t_.page().shape(operands.back())));
      called.push_back({(*loop_.called)[b].key, branch});
    }
    Instruction back;
    back.opcode = Opcode::conditional;
    back.operands = std::move(operands);
    back.shape = t_.page().module().made().computation(called.front().computation).root_instruction().shape;
    back.called = std::move(called);
    const InstructionId made = t_.page().made(std::move(back));
    int64_t next = 0;
    for (size_t b = 0; b < loop_.called->size(); ++b)
      for (size_t leaf = 0; leaf < t_.sweep.active(operand_id(b)).size(); ++leaf)
        if (t_.sweep.is_active(operand_id(b), leaf))
          t_.sweep.give(operand_id(b), leaf, t_.page().element(made, next++));
    return {};
  }

 private:
  InstructionId operand_id(size_t branch) const { return loop_.operands[branch + 1]; }

  Result<ComputationId> write_branch(size_t b, const Shape& given) {
    const Computation& branch = t_.sweep.program().computation((*loop_.called)[b].computation);
    GradPage page(t_.page().module(), branch.name + ".bar");
    const InstructionId all = page.parameter(0, given, loop_.name + ".bars");
    GradSweep sweep(branch,
                    active_arrays(t_.sweep.program(), branch, {t_.sweep.active(operand_id(b))}, branch.root,
                                  t_.sweep.active(t_.id)),
                    {page, page, [](InstructionId id) { return id; }}, t_.sweep.remat());
    TRY_VOID(sweep.forward({page.element(all, 0)}));
    int64_t next = 1;
    for (size_t leaf = 0; leaf < t_.sweep.active(t_.id).size(); ++leaf)
      if (t_.sweep.is_active(t_.id, leaf)) sweep.give(branch.root, leaf, page.element(all, next++));
    TRY_VOID(sweep.backward());
    const auto parameters = parameter_ids(branch);
    std::vector<InstructionId> results;
    for (size_t other = 0; other < loop_.called->size(); ++other) {
      const std::vector<Shape> leaves = leaves_of(t_.operand_shape(other + 1));
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (!t_.sweep.is_active(operand_id(other), leaf)) continue;
        const InstructionId bar =
            other == b && !parameters.empty() ? sweep.bar(parameters.front(), leaf) : InstructionId();
        results.push_back(bar.valid() ? bar : page.zeros(Shape::array(leaves[leaf].type, leaves[leaf].dims)));
      }
    }
    const InstructionId root = page.tuple(results);
    return page.module().add(std::move(page).finish(root));
  }

  const GradTurn& t_;
  const Instruction& loop_;
};

}  // namespace

Result<void> grad_nothing(const GradTurn&) {
  return {};
}

// The operand's arrays, each as it is.
Result<void> grad_forward(const GradTurn& t) {
  for (size_t leaf = 0; leaf < t.sweep.active(t.id).size(); ++leaf)
    t.sweep.give(t.at().operands[0], leaf, t.bar(leaf));
  return {};
}

// What is held to a sharding has a cotangent that is held to it too.
Result<void> grad_copy(const GradTurn& t) {
  if (t.at().shape.is_tuple || !has_sharding(t.at())) return grad_forward(t);
  const InstructionId held = t.page().op(Opcode::copy, {t.bar()});
  Instruction& copy = t.page().edit(held);
  copy.sharding = t.at().sharding;
  copy.sharding_text = t.at().sharding_text;
  copy.verbatim = t.at().verbatim;
  t.give(0, held);
  return {};
}

Result<void> grad_tuple(const GradTurn& t) {
  size_t next = 0;
  for (const InstructionId id : t.at().operands)
    for (size_t leaf = 0; leaf < t.sweep.active(id).size(); ++leaf) t.sweep.give(id, leaf, t.bar(next++));
  return {};
}

Result<void> grad_element(const GradTurn& t) {
  const size_t first = first_leaf(t.operand_shape(0), static_cast<size_t>(t.at().tuple_index));
  for (size_t leaf = 0; leaf < t.sweep.active(t.id).size(); ++leaf)
    t.sweep.give(t.at().operands[0], first + leaf, t.bar(leaf));
  return {};
}

Result<void> grad_conditional(const GradTurn& t) {
  return BranchWriter(t).write();
}

namespace {

// By a derivative of its own: it is given operands and cotangents.
Result<void> by_backward(const GradTurn& t, const Shape& gives) {
  GradPage& page = t.page();
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < t.operand_count(); ++k) operands.push_back(t.operand(k));
  const std::vector<Shape> leaves = leaves_of(t.at().shape);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf)
    operands.push_back(t.bar(leaf).valid() ? t.bar(leaf)
                                           : page.zeros(Shape::array(leaves[leaf].type, leaves[leaf].dims)));
  const InstructionId made = page.op(Opcode::custom_call, gives, operands);
  page.edit(made).attributes = CustomCall{custom_call_target(t.at()) + std::string(kBackward)};
  for (size_t k = 0; k < t.operand_count(); ++k)
    if (t.wants(k)) t.give(k, gives.is_tuple ? page.element(made, static_cast<int64_t>(k)) : made);
  return {};
}

}  // namespace

Result<void> grad_custom_call(const GradTurn& t) {
  if (const Shape* gives = t.page().module().backward_of(custom_call_target(t.at())))
    return by_backward(t, *gives);
  if (enters_region(t.at()) || leaves_region(t.at())) return grad_region_end(t);
  switch (custom_target(t.at())) {
    case CustomTarget::sharding:
      return grad_copy(t);
    case CustomTarget::placement:
      return grad_forward(t);
    case CustomTarget::top_k:
    case CustomTarget::approx_top_k:
      return grad_top_k(t);
    case CustomTarget::potrf:
      return grad_potrf(t);
    case CustomTarget::getrf:
      return grad_getrf(t);
    case CustomTarget::trsm:
      return grad_trsm(t);
    default:
      return t.error("no derivative of this custom-call is known");
  }
}

}  // namespace shardscope::inline grad
