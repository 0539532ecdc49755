// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/propagate/propagation.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/propagate/propagation_state.h"
#include "engine/partition/types/partitioned.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

using Pass = PropagationStep::Pass;

constexpr int kLevels = 4;

// Leaves of the first `count` elements of a tuple.
size_t leaves_before(const Shape& tuple, size_t count) {
  size_t leaves = 0;
  for (size_t e = 0; e < count; ++e) leaves += leaf_count(tuple.elements[e]);
  return leaves;
}

class Propagator {
 public:
  Propagator(const Program& module, PropagationState& state) : module_(module), state_(state) {}

  // Levels one after the other, each until nothing changes.
  void run() {
    for (level_ = 0; level_ < kLevels; ++level_) {
      do {
        changed_ = false;
        for (size_t c = 0; c < module_.computations.size(); ++c) computation(c, Pass::forward);
        for (size_t c = module_.computations.size(); c-- > 0;) computation(c, Pass::backward);
      } while (changed_);
    }
  }

 private:
  void computation(size_t c, Pass pass) {
    here_ = ComputationId(static_cast<int64_t>(c));
    const size_t count = module_.computations[c].instructions.size();
    for (size_t n = 0; n < count; ++n) {
      const InstructionId id(static_cast<int64_t>(pass == Pass::forward ? n : count - 1 - n));
      visit(id, pass);
    }
  }

  const Computation& here() const { return module_.computation(here_); }

  void visit(InstructionId id, Pass pass) {
    const Instruction& i = here().at(id);
    if (level_ < propagation_level(i)) return;
    const size_t result = state_.first_leaf(here_, id);
    switch (i.opcode) {
      case Opcode::tuple:
        for (size_t k = 0; k < i.operands.size(); ++k)
          equal(result + leaves_before(i.shape, k), operand(i, k), leaf_count(i.shape.elements[k]), pass);
        return;
      case Opcode::get_tuple_element:
        equal(
            result,
            operand(i, 0) + leaves_before(here().at(i.operands[0]).shape, static_cast<size_t>(i.tuple_index)),
            leaf_count(i.shape), pass);
        return;
      case Opcode::while_:
        return loop(i, result, pass);
      case Opcode::conditional:
        return branches(i, result, pass);
      case Opcode::optimization_barrier:
        if (i.operands.size() == 1 && leaves_of_operand(i, 0) == leaf_count(i.shape))
          equal(result, operand(i, 0), leaf_count(i.shape), pass);
        return;
      default:
        break;
    }
    if (pass == Pass::forward)
      forward(i, result);
    else
      backward(i, result);
  }

  size_t operand(const Instruction& i, size_t k) const { return state_.first_leaf(here_, i.operands[k]); }

  void offer(size_t to, const std::optional<Tiling>& candidate, size_t from, Pass pass) {
    if (candidate && state_.offer(to, *candidate, from, pass, level_)) changed_ = true;
  }
  size_t leaves_of_operand(const Instruction& i, size_t k) const {
    return leaf_count(here().at(i.operands[k]).shape);
  }
  // Leaves that are the same arrays: `to` is made of `from`.
  void equal(size_t to, size_t from, size_t count, Pass pass) {
    for (size_t leaf = 0; leaf < count; ++leaf) {
      const size_t target = (pass == Pass::forward ? to : from) + leaf;
      const size_t source = (pass == Pass::forward ? from : to) + leaf;
      offer(target, state_.tiling(source), source, pass);
    }
  }

  // Of a product the larger operand speaks first, of equals the left.
  void forward(const Instruction& i, size_t result) {
    std::vector<size_t> order(i.operands.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    if (product_dims(here(), i) && order.size() == 2 &&
        here().at(i.operands[1]).shape.bytes() > here().at(i.operands[0]).shape.bytes())
      std::swap(order[0], order[1]);
    const size_t leaves = leaf_count(i.shape);
    for (const size_t k : order) {
      if (here().at(i.operands[k]).shape.is_tuple) continue;
      const size_t from = operand(i, k);
      const auto& tiling = state_.tiling(from);
      if (!tiling || tiling->is_replicated()) continue;
      const bool several = i.shape.is_tuple;  // a reduce or sort of several arrays: all alike
      const bool alike = i.opcode == Opcode::reduce || i.opcode == Opcode::sort ||
                         (i.opcode == Opcode::custom_call && custom_call_target(i) == "TopK");
      if (several && !alike) return;
      Instruction one = i;
      if (several) one.shape = i.shape.elements[0];
      const auto candidate = result_from_operand(here(), several ? one : i, k, *tiling);
      for (size_t leaf = 0; leaf < leaves; ++leaf) offer(result + leaf, candidate, from, Pass::forward);
    }
  }

  void backward(const Instruction& i, size_t result) {
    if (i.shape.is_tuple) return;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (here().at(i.operands[k]).shape.is_tuple) continue;
      const size_t to = operand(i, k);
      const auto& tiling = state_.tiling(result);
      if (tiling && !tiling->is_replicated())
        offer(to, operand_from_result(here(), i, k, *tiling), result, Pass::backward);
      if (i.operands.size() != 2) continue;
      const size_t other = operand(i, 1 - k);
      const auto& partner = state_.tiling(other);
      if (partner && !partner->is_replicated() && product_dims(here(), i))
        offer(to, operand_from_partner(here(), i, k, *partner), other, Pass::backward);
    }
  }

  // The first leaf of a called computation's parameter; none when it reads none.
  std::optional<size_t> parameter_of(ComputationId called) const {
    const Computation& c = module_.computation(called);
    for (size_t k = 0; k < c.instructions.size(); ++k)
      if (c.instructions[k].opcode == Opcode::parameter)
        return state_.first_leaf(called, InstructionId(static_cast<int64_t>(k)));
    return std::nullopt;
  }

  // What goes round a loop has one sharding.
  void loop(const Instruction& i, size_t result, Pass pass) {
    const size_t count = leaf_count(i.shape);
    equal(result, operand(i, 0), count, pass);
    for (const CalledComputation& called : i.called) {
      if (const auto parameter = parameter_of(called.computation)) equal(*parameter, result, count, pass);
      if (called.key == "body")
        equal(result, state_.first_leaf(called.computation, module_.computation(called.computation).root),
              count, pass);
    }
  }

  void branches(const Instruction& i, size_t result, Pass pass) {
    for (size_t b = 0; b < i.called.size() && b + 1 < i.operands.size(); ++b) {
      const ComputationId branch = i.called[b].computation;
      const Instruction& root = module_.computation(branch).root_instruction();
      const auto parameter = parameter_of(branch);
      if (parameter) equal(*parameter, operand(i, b + 1), leaves_of_operand(i, b + 1), pass);
      if (leaf_count(root.shape) == leaf_count(i.shape))
        equal(result, state_.first_leaf(branch, module_.computation(branch).root), leaf_count(i.shape), pass);
    }
  }

  const Program& module_;
  PropagationState& state_;
  ComputationId here_;
  int level_ = 0;
  bool changed_ = false;
};

// "allow_spmd_sharding_propagation_to_output={true}", "=true" or bare.
std::optional<bool> allowed(const Program& module, std::string_view key) {
  for (const VerbatimAttribute& attribute : module.verbatim)
    if (attribute.key == key) return attribute.value.find("false") == std::string::npos;
  return std::nullopt;
}

}  // namespace

Result<PropagatedModule> propagate(const Program& module, const PropagationOptions& options) {
  PropagatedModule out;
  PartitionOptions of_partition;
  of_partition.devices = options.devices;
  TRY(out.devices, partition_devices(module, of_partition));
  TRY(out.module, prepare_for_spmd(module, SpmdDialect::current, &out.renamed));
  const bool to_output = options.to_output.value_or(
      allowed(module, "allow_spmd_sharding_propagation_to_output").value_or(false));
  const bool to_parameters = allowed(module, "allow_spmd_sharding_propagation_to_parameters").value_or(true);
  TRY(PropagationState state, PropagationState::make(out.module, out.devices, to_parameters, to_output));
  Propagator(out.module, state).run();
  out.steps = state.steps();
  state.write(out.module);
  return out;
}

std::vector<std::string> reasons_of(const PropagatedModule& module, const std::string& instruction) {
  std::vector<std::string> out;
  for (const PropagationStep& step : module.steps)
    if (step.instruction == instruction) out.push_back(step.reason);
  return out;
}

}  // namespace shardscope
