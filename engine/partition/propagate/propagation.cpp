// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/propagate/propagation.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "engine/base/text.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/propagate/propagation_state.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/partitioned.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

using Pass = PropagationStep::Pass;

constexpr int kLevels = 4;

// Invariant: an instruction around which nothing changed since its last visit in a pass is left out, since
// the visit would offer the same to the same arrays. So a sweep costs what changed, not what there is.
class Propagator {
 public:
  Propagator(const Program& module, PropagationState& state, std::stop_token stop)
      : module_(module), state_(state), stop_(std::move(stop)) {
    for (const Computation& c : module.computations) {
      const ComputationId id(static_cast<int64_t>(places_.size()));
      std::vector<Place>& places = places_.emplace_back(c.instructions.size());
      for (size_t k = 0; k < places.size(); ++k) {
        places[k].rule = propagation_rule(c.instructions[k].opcode);
        if (places[k].rule.links != nullptr)
          places[k].links = places[k].rule.links(module, {id, InstructionId(static_cast<int64_t>(k))});
      }
    }
  }

  // Levels one after the other, each until nothing changes, or until it is asked to stop.
  void run() {
    for (level_ = 0; level_ < kLevels; ++level_) {
      // From here on two cuts of one array are merged: what was refused before is offered again.
      if (level_ == 1) forget_visits();
      do {
        changed_ = false;
        for (size_t c = 0; c < module_.computations.size(); ++c) computation(c, Pass::forward);
        for (size_t c = module_.computations.size(); c-- > 0;) computation(c, Pass::backward);
      } while (changed_ && !stop_.stop_requested());
    }
  }

 private:
  struct Place {
    PropagationRule rule;
    std::vector<SameLeaves> links;           // as the rule says
    std::array<int64_t, 2> visited{-1, -1};  // by pass: how many changes there were before its last visit
  };

  void forget_visits() {
    for (auto& places : places_)
      for (Place& place : places) place.visited = {-1, -1};
  }

  void computation(size_t c, Pass pass) {
    here_ = ComputationId(static_cast<int64_t>(c));
    const size_t count = module_.computations[c].instructions.size();
    for (size_t n = 0; n < count && !stop_.stop_requested(); ++n) {
      const InstructionId id(static_cast<int64_t>(pass == Pass::forward ? n : count - 1 - n));
      visit(id, pass);
    }
  }

  const Computation& here() const { return module_.computation(here_); }

  void visit(InstructionId id, Pass pass) {
    const Instruction& i = here().at(id);
    Place& place = places_[static_cast<size_t>(here_.value)][static_cast<size_t>(id.value)];
    const PropagationRule& rule = place.rule;
    int64_t& visited = place.visited[pass == Pass::forward ? 0 : 1];
    if (level_ < rule.level || (visited >= 0 && newest_around(i, place, id) <= visited)) return;
    visited = state_.changes();
    if (rule.links != nullptr) {
      for (const SameLeaves& same : place.links) equal(same, pass);
    } else if (pass == Pass::forward) {
      forward(i, rule, state_.first_leaf(here_, id));
    } else {
      backward(i, rule, state_.first_leaf(here_, id));
    }
  }

  // The last change of what a visit looks at.
  int64_t newest_around(const Instruction& i, const Place& place, InstructionId id) const {
    int64_t newest = 0;
    const auto look = [&](size_t first, size_t count) {
      for (size_t leaf = first; leaf < first + count; ++leaf) newest = std::max(newest, state_.changed(leaf));
    };
    for (const SameLeaves& same : place.links) {
      look(first_of(same.to), same.count);
      look(first_of(same.from), same.count);
    }
    if (place.rule.links != nullptr) return newest;
    look(state_.first_leaf(here_, id), leaf_count(i.shape));
    for (size_t k = 0; k < i.operands.size(); ++k)
      if (!here().at(i.operands[k]).shape.is_tuple) look(operand(i, k), 1);
    return newest;
  }

  size_t first_of(const SameLeaves::Run& run) const {
    return state_.first_leaf(run.of.computation, run.of.instruction) + run.first;
  }

  size_t operand(const Instruction& i, size_t k) const { return state_.first_leaf(here_, i.operands[k]); }

  void offer(size_t to, const std::optional<Tiling>& candidate, size_t from, Pass pass) {
    if (candidate && state_.offer(to, *candidate, from, pass, level_)) changed_ = true;
  }

  void equal(const SameLeaves& same, Pass pass) {
    size_t target = first_of(same.to), source = first_of(same.from);
    if (pass == Pass::backward) std::swap(target, source);
    for (size_t leaf = 0; leaf < same.count; ++leaf)
      offer(target + leaf, state_.tiling(source + leaf), source + leaf, pass);
  }

  // Of a product the larger operand speaks first, of equals the left.
  void forward(const Instruction& i, const PropagationRule& rule, size_t result) {
    if (rule.to_result == nullptr || (i.shape.is_tuple && !rule.all_alike)) return;
    std::vector<size_t> order(i.operands.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (product_dims(here(), i) && order.size() == 2 &&
        here().at(i.operands[1]).shape.bytes() > here().at(i.operands[0]).shape.bytes())
      std::swap(order[0], order[1]);
    const size_t leaves = leaf_count(i.shape);
    std::vector<Instruction> of_leaves;  // of several arrays: as if it had that one alone
    if (i.shape.is_tuple) {
      of_leaves.assign(leaves, i);
      const std::vector<Shape> shapes = leaves_of(i.shape);
      for (size_t leaf = 0; leaf < leaves; ++leaf) of_leaves[leaf].shape = shapes[leaf];
    }
    for (const size_t k : order) {
      if (here().at(i.operands[k]).shape.is_tuple) continue;
      const size_t from = operand(i, k);
      const auto& tiling = state_.tiling(from);
      if (!tiling || tiling->is_replicated()) continue;
      for (size_t leaf = 0; leaf < leaves; ++leaf)
        offer(result + leaf, rule.to_result(here(), i.shape.is_tuple ? of_leaves[leaf] : i, k, *tiling), from,
              Pass::forward);
    }
  }

  void backward(const Instruction& i, const PropagationRule& rule, size_t result) {
    if (i.shape.is_tuple || rule.to_operand == nullptr) return;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      if (here().at(i.operands[k]).shape.is_tuple) continue;
      const size_t to = operand(i, k);
      const auto& tiling = state_.tiling(result);
      if (tiling && !tiling->is_replicated())
        offer(to, rule.to_operand(here(), i, k, *tiling), result, Pass::backward);
      if (i.operands.size() != 2) continue;
      const size_t other = operand(i, 1 - k);
      const auto& partner = state_.tiling(other);
      if (partner && !partner->is_replicated() && product_dims(here(), i))
        offer(to, operand_from_partner(here(), i, k, *partner), other, Pass::backward);
    }
  }

  const Program& module_;
  PropagationState& state_;
  std::stop_token stop_;
  std::vector<std::vector<Place>> places_;  // by computation
  ComputationId here_;
  int level_ = 0;
  bool changed_ = false;
};

}  // namespace

void spread_by_tiles(const Program& module, PropagationState& state, const std::stop_token& stop) {
  Propagator(module, state, stop).run();
}

}  // namespace shardscope::inline partitioner
