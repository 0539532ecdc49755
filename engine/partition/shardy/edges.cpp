// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/edges.h"

#include <algorithm>
#include <map>

#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

FactorDirection without(FactorDirection direction, FactorDirection allowed) {
  if (direction == allowed || allowed == FactorDirection::both) return direction;
  return direction == FactorDirection::both ? allowed : FactorDirection::none;
}

FactorDirection direction_of(const Instruction& i) {
  const auto said = frontend_attribute(i.verbatim, kAllowedDirection);
  if (!said || *said == "BOTH") return FactorDirection::both;
  if (*said == "FORWARD") return FactorDirection::forward;
  return *said == "BACKWARD" ? FactorDirection::backward : FactorDirection::none;
}

// By array: the first that is the same one.
std::vector<uint32_t> first_alike(const std::vector<uint32_t>& arrays) {
  std::vector<uint32_t> out;
  for (const uint32_t array : arrays)
    out.push_back(static_cast<uint32_t>(std::ranges::find(arrays, array) - arrays.begin()));
  return out;
}

class EdgeMaker {
 public:
  EdgeMaker(const Program& module, const ShardyArrays& arrays) : module_(module), arrays_(arrays) {}

  Edges of_module(const PropagationGuides& guides) {
    for (size_t c = 0; c < module_.computations.size(); ++c) {
      count_uses(module_.computations[c]);
      for (size_t k = 0; k < module_.computations[c].instructions.size(); ++k)
        add({ComputationId(static_cast<int64_t>(c)), InstructionId(static_cast<int64_t>(k))});
    }
    std::map<int64_t, std::vector<std::string>> groups;
    for (const auto& [id, name] : guides.groups) groups[id].push_back(name);
    for (const auto& [id, names] : groups) tie(names);
    return std::move(edges_);
  }

 private:
  void count_uses(const Computation& c) {
    uses_.assign(c.instructions.size(), 0);
    for (const Instruction& i : c.instructions)
      for (const InstructionId operand : i.operands) ++uses_[static_cast<size_t>(operand.value)];
  }

  void add(InstructionPlace place) {
    const Computation& c = module_.computation(place.computation);
    const Instruction& i = c.at(place.instruction);
    if (const auto links = propagation_rule(i.opcode).links; links != nullptr) {
      for (const SameLeaves& same : links(module_, place)) hand_over(same, i, place);
      return;
    }
    auto rule = factor_rule(c, i);
    if (!rule) return;
    Edge edge{0, place};
    EdgeKind kind{0, factor_class(i), direction_of(i)};
    for (const InstructionId operand : i.operands) {
      edge.arrays.push_back(number(arrays_.first_leaf({place.computation, operand})));
      kind.single_use = kind.single_use && uses_[static_cast<size_t>(operand.value)] <= 1;
    }
    // A function's result goes both ways from the first on.
    if (custom_call_target(i) == kFuncResultSharding) kind.single_use = true;
    for (size_t leaf = 0; leaf < leaf_count(i.shape); ++leaf)
      edge.arrays.push_back(number(arrays_.first_leaf(place) + leaf));
    keep(*std::move(rule), std::move(kind), std::move(edge));
  }

  void hand_over(const SameLeaves& same, const Instruction& i, InstructionPlace place) {
    const bool plumbing = operation(i.opcode).kind == OpClass::tuple;
    for (size_t n = 0; n < same.count; ++n) {
      const size_t from = arrays_.first_leaf(same.from.of) + same.from.first + n;
      const size_t to = arrays_.first_leaf(same.to.of) + same.to.first + n;
      keep(same_array(arrays_.dims(to)), {0, FactorClass::arrays},
           {0, plumbing ? InstructionPlace() : place, {number(from), number(to)}});
    }
  }

  // Arrays of one sharding group.
  void tie(const std::vector<std::string>& names) {
    std::vector<size_t> members;
    for (size_t c = 0; c < module_.computations.size(); ++c)
      for (size_t k = 0; k < module_.computations[c].instructions.size(); ++k)
        if (std::ranges::count(names, module_.computations[c].instructions[k].name) > 0)
          members.push_back(arrays_.first_leaf(
              {ComputationId(static_cast<int64_t>(c)), InstructionId(static_cast<int64_t>(k))}));
    for (size_t n = 1; n < members.size(); ++n)
      if (arrays_.dims(members[n]) == arrays_.dims(members[0]))
        keep(same_array(arrays_.dims(members[0])), {0, FactorClass::arrays},
             {0, {}, {number(members[0]), number(members[n])}});
  }

  static uint32_t number(size_t array) { return static_cast<uint32_t>(array); }

  void keep(FactorRule rule, EdgeKind kind, Edge edge) {
    for (const uint32_t array : edge.arrays)
      if (!arrays_.takes_part(array)) return;
    if (rule.factors.empty()) return;
    kind.rule = edges_.rules.number(std::move(rule));
    kind.alike = first_alike(edge.arrays);
    edge.kind = edges_.kinds.number(std::move(kind));
    edges_.all.push_back(std::move(edge));
  }

  const Program& module_;
  const ShardyArrays& arrays_;
  std::vector<int64_t> uses_;
  Edges edges_;
};

}  // namespace

FactorDirection EdgeKind::at_level(FactorRule::Kind factor, int level) const {
  const bool arrays = factor_class == FactorClass::arrays, slices = factor_class == FactorClass::slices;
  const bool passes = factor == FactorRule::Kind::pass_through;
  FactorDirection out = FactorDirection::none;
  if (level >= 1 || single_use) {
    if (arrays) out = FactorDirection::both;
    if (slices) out = FactorDirection::forward;
  }
  if ((level >= 2 && passes) || level >= 3)
    out = factor_class == FactorClass::broadcast ? FactorDirection::backward : FactorDirection::both;
  if (level >= 4) out = FactorDirection::both;
  return without(out, allowed);
}

Edges edges_of(const Program& module, const ShardyArrays& arrays, const PropagationGuides& guides) {
  return EdgeMaker(module, arrays).of_module(guides);
}

}  // namespace shardscope::inline partitioner
