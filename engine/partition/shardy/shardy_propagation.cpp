// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/shardy_propagation.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <map>

#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/shardy/factor_spread.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope {
namespace {

constexpr int kRankLevels = 5;
constexpr size_t kEdgesBetweenLooks = 256;  // edges between two looks at the stop token

// Arrays that one rule ties together: an operation's, or those that are the same.
struct Edge {
  FactorRule rule;
  std::vector<size_t> arrays;  // operands, then results
  std::string instruction;     // "": what only hands arrays over
  FactorClass kind = FactorClass::other;
  FactorDirection allowed = FactorDirection::both;  // of a barrier
  bool single_use = true;                           // nobody else reads its operands
};

FactorDirection without(FactorDirection direction, FactorDirection allowed) {
  if (direction == allowed || allowed == FactorDirection::both) return direction;
  return direction == FactorDirection::both ? allowed : FactorDirection::none;
}

// Which way a factor goes at a level, as far as the levels before go or further.
FactorDirection at_level(const Edge& edge, size_t factor, int level) {
  const bool arrays = edge.kind == FactorClass::arrays, slices = edge.kind == FactorClass::slices;
  const bool passes = edge.rule.factors[factor].kind == FactorRule::Kind::pass_through;
  FactorDirection out = FactorDirection::none;
  if (level >= 1 || edge.single_use) {
    if (arrays) out = FactorDirection::both;
    if (slices) out = FactorDirection::forward;
  }
  if ((level >= 2 && passes) || level >= 3)
    out = edge.kind == FactorClass::broadcast ? FactorDirection::backward : FactorDirection::both;
  if (level >= 4) out = FactorDirection::both;
  return without(out, edge.allowed);
}

class Edges {
 public:
  Edges(const Program& module, const ShardyArrays& arrays) : module_(module), arrays_(arrays) {}

  std::vector<Edge> of_module(const PropagationGuides& guides) {
    for (size_t c = 0; c < module_.computations.size(); ++c) {
      count_uses(module_.computations[c]);
      for (size_t k = 0; k < module_.computations[c].instructions.size(); ++k)
        add({ComputationId(static_cast<int64_t>(c)), InstructionId(static_cast<int64_t>(k))});
    }
    for (const auto& [id, names] : groups_of(guides)) tie(names);
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
      for (const SameLeaves& same : links(module_, place)) hand_over(same, i);
      return;
    }
    auto rule = factor_rule(c, i);
    if (!rule) return;
    Edge edge{*std::move(rule), {}, i.name, factor_class(i), direction_of(i)};
    for (const InstructionId operand : i.operands) {
      edge.arrays.push_back(arrays_.first_leaf({place.computation, operand}));
      edge.single_use = edge.single_use && uses_[static_cast<size_t>(operand.value)] <= 1;
    }
    for (size_t leaf = 0; leaf < leaf_count(i.shape); ++leaf)
      edge.arrays.push_back(arrays_.first_leaf(place) + leaf);
    keep(std::move(edge));
  }

  void hand_over(const SameLeaves& same, const Instruction& i) {
    const bool plumbing = i.opcode == Opcode::tuple || i.opcode == Opcode::get_tuple_element;
    for (size_t n = 0; n < same.count; ++n) {
      const size_t from = arrays_.first_leaf(same.from.of) + same.from.first + n;
      const size_t to = arrays_.first_leaf(same.to.of) + same.to.first + n;
      Edge edge{same_array(arrays_.shape(to).dims), {from, to}, plumbing ? "" : i.name, FactorClass::arrays};
      keep(std::move(edge));
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
      if (arrays_.shape(members[n]).dims == arrays_.shape(members[0]).dims)
        keep({same_array(arrays_.shape(members[0]).dims), {members[0], members[n]}, "", FactorClass::arrays});
  }

  static std::map<int64_t, std::vector<std::string>> groups_of(const PropagationGuides& guides) {
    std::map<int64_t, std::vector<std::string>> out;
    for (const auto& [id, name] : guides.groups) out[id].push_back(name);
    return out;
  }

  static FactorDirection direction_of(const Instruction& i) {
    const auto said = frontend_attribute(i.verbatim, kAllowedDirection);
    if (!said || *said == "BOTH") return FactorDirection::both;
    if (*said == "FORWARD") return FactorDirection::forward;
    return *said == "BACKWARD" ? FactorDirection::backward : FactorDirection::none;
  }

  void keep(Edge edge) {
    for (const size_t array : edge.arrays)
      if (!arrays_.takes_part(array)) return;
    if (!edge.rule.factors.empty()) edges_.push_back(std::move(edge));
  }

  const Program& module_;
  const ShardyArrays& arrays_;
  std::vector<int64_t> uses_;
  std::vector<Edge> edges_;
};

class EdgePropagator {
 public:
  EdgePropagator(ShardyArrays& arrays, std::vector<Edge> edges, std::vector<PropagationStep>& steps)
      : arrays_(arrays), edges_(std::move(edges)), steps_(steps), waiting_(edges_.size(), false) {
    for (size_t e = 0; e < edges_.size(); ++e) {
      for (const size_t array : edges_[e].arrays) {
        if (array >= edges_of_.size()) edges_of_.resize(array + 1);
        if (edges_of_[array].empty() || edges_of_[array].back() != e) edges_of_[array].push_back(e);
      }
    }
  }

  Result<void> run(const std::stop_token& stop) {
    for (const int64_t round : arrays_.rounds()) {
      arrays_.begin(round);
      for (level_ = 0; level_ < kRankLevels; ++level_) TRY_VOID(until_nothing_changes(stop));
    }
    return {};
  }

 private:
  Result<void> until_nothing_changes(const std::stop_token& stop) {
    for (size_t e = 0; e < edges_.size(); ++e) wait(e);
    for (size_t n = 0; !queue_.empty(); ++n) {
      if (n % kEdgesBetweenLooks == 0 && stop.stop_requested()) return cancelled();
      const size_t e = queue_.front();
      queue_.pop_front();
      waiting_[e] = false;
      visit(e);
    }
    return {};
  }

  void wait(size_t e) {
    if (waiting_[e]) return;
    waiting_[e] = true;
    queue_.push_back(e);
  }

  const FactorRule::Mapping& mapping(const Edge& edge, size_t n) const {
    const size_t operands = edge.rule.operands.size();
    return n < operands ? edge.rule.operands[n] : edge.rule.results[n - operands];
  }

  bool is_cut(const Edge& edge) const {
    return std::ranges::any_of(edge.arrays, [&](size_t array) {
      return std::ranges::any_of(arrays_.axes(array).dims,
                                 [](const AxisList& axes) { return !axes.empty(); });
    });
  }

  void visit(size_t e) {
    const Edge& edge = edges_[e];
    if (!is_cut(edge)) return;
    std::vector<ArrayByFactors> before;
    for (size_t n = 0; n < edge.arrays.size(); ++n)
      before.push_back(by_factors(edge.rule, mapping(edge, n), arrays_.axes(edge.arrays[n])));
    std::vector<ArrayByFactors> after = before;
    const auto changed =
        spread_factors(edge.rule, after, [&](size_t f) { return at_level(edge, f, level_); });
    for (size_t n = 0; n < changed.size(); ++n) {
      if (!changed[n]) continue;
      const size_t array = edge.arrays[n];
      ArrayAxes axes = by_dims(edge.rule, mapping(edge, n), after[n], arrays_.axes(array));
      if (axes == arrays_.axes(array)) continue;
      record(edge, n, axes, before);
      arrays_.set(array, std::move(axes));
      for (const size_t other : edges_of_[array]) wait(other);
    }
  }

  // One step for each dimension that is cut further.
  void record(const Edge& edge, size_t n, const ArrayAxes& axes, const std::vector<ArrayByFactors>& before) {
    const size_t array = edge.arrays[n];
    const ArrayAxes& was = arrays_.axes(array);
    for (size_t d = 0; d < axes.dims.size(); ++d) {
      if (axes.dims[d] == was.dims[d]) continue;
      PropagationStep step;
      step.computation = arrays_.computation_of(array);
      step.instruction = arrays_.instruction_of(array).name;
      step.leaf = arrays_.leaf_number(array);
      step.dimension = static_cast<int64_t>(d);
      if (const auto& sharding = arrays_.sharding_of(axes); sharding.ok()) step.sharding = *sharding;
      step.pass =
          n < edge.rule.operands.size() ? PropagationStep::Pass::backward : PropagationStep::Pass::forward;
      step.level = level_;
      const Source from = source_of(edge, n, mapping(edge, n)[d], before);
      const AxesOrigin origin = arrays_.origin_of(from.array, from.dimension);
      step.from = arrays_.instruction_of(from.array).name;
      step.from_dimension = static_cast<int64_t>(from.dimension);
      step.origin = origin.instruction;
      step.origin_dimension = origin.dimension;
      step.reason = reason(edge, step, from, added(was.dims[d], axes.dims[d]));
      arrays_.set_origin(array, d, origin);
      steps_.push_back(std::move(step));
    }
  }

  struct Source {
    size_t array = 0, dimension = 0, factor = 0;
  };
  // The array of the edge that has most of a factor of these.
  Source source_of(const Edge& edge, size_t n, const std::vector<size_t>& factors,
                   const std::vector<ArrayByFactors>& before) const {
    Source out{edge.arrays[n], 0, factors.front()};
    int64_t most = 1;
    for (const size_t f : factors) {
      for (size_t a = 0; a < before.size(); ++a) {
        if (a == n || !before[a].factors[f] || size_of(before[a].factors[f]->axes) <= most) continue;
        most = size_of(before[a].factors[f]->axes);
        const FactorRule::Mapping& of = mapping(edge, a);
        const auto at =
            std::ranges::find_if(of, [&](const auto& dim) { return std::ranges::count(dim, f) > 0; });
        out = {edge.arrays[a], static_cast<size_t>(at - of.begin()), f};
      }
    }
    return out;
  }

  static AxisList added(const AxisList& was, const AxisList& is) {
    AxisList out;
    for (size_t k = 0; k < is.size(); ++k)
      if (k >= was.size() || !(was[k] == is[k])) out.push_back(is[k]);
    return out;
  }

  std::string reason(const Edge& edge, const PropagationStep& step, const Source& from,
                     const AxisList& axes) const {
    std::string out =
        fmt::format("takes {} in dimension {} from {} (dimension {})", axes_text(arrays_.mesh(), axes),
                    step.dimension, step.from, step.from_dimension);
    if (!edge.instruction.empty())
      out += fmt::format(" through {}'s factor {}", edge.instruction, factor_name(from.factor));
    if (step.origin != step.from)
      out += fmt::format("; it began at {} (dimension {})", step.origin, step.origin_dimension);
    return out;
  }

  ShardyArrays& arrays_;
  std::vector<Edge> edges_;
  std::vector<PropagationStep>& steps_;
  std::vector<bool> waiting_;
  std::vector<std::vector<size_t>> edges_of_;  // by array
  std::deque<size_t> queue_;
  int level_ = 0;
};

}  // namespace

Result<void> spread_by_factors(const PropagationGuides& guides, const OpenEnds& may_cut,
                               PropagatedModule& out, const std::stop_token& stop) {
  TRY(ShardyArrays arrays, ShardyArrays::make(out.module, out.devices, may_cut));
  if (!arrays.note().empty()) out.notes.push_back(arrays.note());
  std::vector<Edge> edges = Edges(out.module, arrays).of_module(guides);
  TRY_VOID(EdgePropagator(arrays, std::move(edges), out.steps).run(stop));
  TRY_VOID(arrays.write(out.module));
  return arrays.write_even_ends(out.module);
}

}  // namespace shardscope
