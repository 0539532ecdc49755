// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/shardy_propagation.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <unordered_map>

#include "engine/partition/shardy/edges.h"

namespace shardscope::inline partitioner {
namespace {

constexpr size_t kEdgesBetweenLooks = 256;  // edges between two looks at the stop token

// A dimension that is cut further, and where that comes from: arrays by their place in the edge.
struct Cut {
  uint32_t dimension = 0;
  uint32_t from_array = 0, from_dimension = 0, from_factor = 0;
  uint32_t words = 0;  // what cuts it
};
struct NewAxes {
  uint32_t array = 0;  // by its place in the edge
  uint32_t axes = 0;
  std::vector<Cut> cuts{};
};

// What visits come to. Arrays of one edge do not change but by their axes, so that is a matter of the edge's
// kind, the level and the axes: remembered, since a deep module is the same layer again and again.
class Visits {
 public:
  Visits(const Edges& edges, ShardyArrays& arrays) : edges_(edges), arrays_(arrays) {}

  const std::vector<NewAxes>& of(const Edge& edge, int level) {
    key_.assign({edge.kind, static_cast<uint32_t>(level)});
    for (const uint32_t array : edge.arrays) key_.push_back(arrays_.axes(array));
    const auto known = known_.find(key_);
    return known != known_.end() ? known->second
                                 : known_.emplace(key_, visit(edge.kind, level)).first->second;
  }
  std::vector<std::string> words() const {
    std::vector<std::string> out;
    for (uint32_t n = 0; n < words_.size(); ++n) out.push_back(words_[n]);
    return out;
  }

 private:
  struct Hash {
    size_t operator()(const std::vector<uint32_t>& key) const {
      uint64_t out = 14695981039346656037u;  // FNV-1a
      for (const uint32_t part : key) out = (out ^ part) * 1099511628211u;
      return out;
    }
  };

  // Of the edge whose axes are in key_.
  std::vector<NewAxes> visit(uint32_t number, int level) {
    const EdgeKind& kind = edges_.kinds[number];
    rule_ = &edges_.rules[kind.rule];
    std::vector<uint32_t> axes(key_.begin() + 2, key_.end());
    before_.clear();
    for (size_t n = 0; n < axes.size(); ++n)
      before_.push_back(by_factors(*rule_, rule_->array(n), arrays_.axes_numbered(axes[n])));
    std::vector<ArrayByFactors> after = before_;
    const auto changed =
        spread_factors(*rule_, after, [&](size_t f) { return kind.at_level(rule_->factors[f].kind, level); });
    std::vector<NewAxes> out;
    for (size_t n = 0; n < axes.size(); ++n) {
      uint32_t& own = axes[kind.alike[n]];
      if (!changed[n]) continue;
      const ArrayAxes was = arrays_.axes_numbered(own);
      ArrayAxes is = by_dims(*rule_, rule_->array(n), after[n], was);
      if (is == was) continue;
      std::vector<Cut> cuts = cuts_of(n, was, is);
      own = arrays_.number(std::move(is));
      out.push_back({static_cast<uint32_t>(n), own, std::move(cuts)});
    }
    return out;
  }

  std::vector<Cut> cuts_of(size_t n, const ArrayAxes& was, const ArrayAxes& is) {
    std::vector<Cut> out;
    for (size_t d = 0; d < is.dims.size(); ++d) {
      if (is.dims[d] == was.dims[d]) continue;
      Cut cut = source_of(n, rule_->array(n)[d]);
      cut.dimension = static_cast<uint32_t>(d);
      cut.words = words_.number(axes_text(arrays_.mesh(), added(was.dims[d], is.dims[d])));
      out.push_back(cut);
    }
    return out;
  }

  // The array of the edge that has most of a factor of these.
  Cut source_of(size_t n, const std::vector<size_t>& factors) const {
    Cut out{0, static_cast<uint32_t>(n), 0, static_cast<uint32_t>(factors.front())};
    int64_t most = 1;
    for (const size_t f : factors) {
      for (size_t a = 0; a < before_.size(); ++a) {
        if (a == n || !before_[a].factors[f] || size_of(before_[a].factors[f]->axes) <= most) continue;
        most = size_of(before_[a].factors[f]->axes);
        const FactorRule::Mapping& of = rule_->array(a);
        const auto at =
            std::ranges::find_if(of, [&](const auto& dim) { return std::ranges::count(dim, f) > 0; });
        out.from_array = static_cast<uint32_t>(a);
        out.from_dimension = static_cast<uint32_t>(at - of.begin());
        out.from_factor = static_cast<uint32_t>(f);
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

  const Edges& edges_;
  ShardyArrays& arrays_;
  Numbered<std::string> words_;
  std::unordered_map<std::vector<uint32_t>, std::vector<NewAxes>, Hash> known_;
  // Of the visit at work.
  std::vector<uint32_t> key_;  // kind, level, the arrays' axes
  const FactorRule* rule_ = nullptr;
  std::vector<ArrayByFactors> before_;
};

class EdgePropagator {
 public:
  EdgePropagator(ShardyArrays& arrays, Edges edges)
      : arrays_(arrays),
        edges_(std::move(edges)),
        visits_(edges_, arrays),
        waiting_(edges_.all.size(), false) {
    for (uint32_t e = 0; e < edges_.all.size(); ++e) {
      for (const uint32_t array : edges_.all[e].arrays) {
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

  void hand_over(PropagatedModule& out) && {
    out.steps = std::move(steps_);
    out.shardings = arrays_.shardings();
    out.cuts = visits_.words();
  }

 private:
  Result<void> until_nothing_changes(const std::stop_token& stop) {
    for (uint32_t e = 0; e < edges_.all.size(); ++e) wait(e);
    for (size_t n = 0; !queue_.empty(); ++n) {
      if (n % kEdgesBetweenLooks == 0 && stop.stop_requested()) return cancelled();
      const uint32_t e = queue_.front();
      queue_.pop_front();
      waiting_[e] = false;
      visit(edges_.all[e]);
    }
    return {};
  }

  void wait(uint32_t e) {
    if (waiting_[e]) return;
    waiting_[e] = true;
    queue_.push_back(e);
  }

  void visit(const Edge& edge) {
    for (const NewAxes& made : visits_.of(edge, level_)) {
      for (const Cut& cut : made.cuts) record(edge, made, cut);
      const uint32_t array = edge.arrays[made.array];
      arrays_.set(array, made.axes);
      for (const uint32_t other : edges_of_[array]) wait(other);
    }
  }

  void record(const Edge& edge, const NewAxes& made, const Cut& cut) {
    const uint32_t array = edge.arrays[made.array], from = edge.arrays[cut.from_array];
    const size_t operands = edges_.rules[edges_.kinds[edge.kind].rule].operands.size();
    PropagationStep step;
    step.to = arrays_.dimension(array, cut.dimension);
    step.from = arrays_.dimension(from, cut.from_dimension);
    step.origin = arrays_.origin(array, cut.dimension) = arrays_.origin(from, cut.from_dimension);
    step.sharding = made.axes;
    step.cut = cut.words;
    step.pass = made.array < operands ? PropagationStep::Pass::backward : PropagationStep::Pass::forward;
    step.level = static_cast<int8_t>(level_);
    step.through = edge.through;
    step.factor = static_cast<int32_t>(cut.from_factor);
    steps_.push_back(step);
  }

  ShardyArrays& arrays_;
  Edges edges_;
  Visits visits_;
  std::vector<bool> waiting_;
  std::vector<std::vector<uint32_t>> edges_of_;  // by array
  std::deque<uint32_t> queue_;
  std::vector<PropagationStep> steps_;
  int level_ = 0;
};

}  // namespace

Result<void> spread_by_factors(const PropagationGuides& guides, const EntryEnds& ends, Program& module,
                               PropagatedModule& out, const std::stop_token& stop) {
  TRY(ShardyArrays arrays, ShardyArrays::make(module, out.devices, ends.may_cut));
  if (!arrays.note().empty()) out.notes.push_back(arrays.note());
  EdgePropagator propagator(arrays, edges_of(module, arrays, guides));
  TRY_VOID(propagator.run(stop));
  std::move(propagator).hand_over(out);
  TRY_VOID(arrays.write(module));
  TRY(const int64_t were_parts, arrays.write_ends(module, ends.whole_axes));
  if (were_parts > 0)
    out.notes.push_back(
        fmt::format("{} {} split by a part of an axis: as XLA compiles modules, arguments and results "
                    "are split by whole axes only",
                    were_parts, were_parts == 1 ? "argument or result was" : "arguments and results were"));
  return {};
}

}  // namespace shardscope::inline partitioner
