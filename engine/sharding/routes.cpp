// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/routes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

#include "engine/base/check.h"
#include "engine/sharding/route_builder.h"

namespace shardscope::inline sharding {
namespace {

constexpr StepCost kFar{std::numeric_limits<Picoseconds>::max(), 0, 0};
constexpr size_t kMostTried = 200'000;   // ways that are begun
constexpr int64_t kMoreCollectives = 3;  // than the best way has

// How often a way does each kind of step; what devices do by themselves does not count.
using Kinds = std::array<int8_t, 7>;

bool does_all_of(const Kinds& way, const Kinds& other) {
  for (size_t k = 0; k < way.size(); ++k)
    if (way[k] < other[k]) return false;
  return true;
}

}  // namespace

Result<RouteGraph> RouteGraph::make(const RouteQuestion& question, const CostOfStep& cost,
                                    std::stop_token stop) {
  return Builder(question, cost, std::move(stop)).build();
}

AxisParts RouteGraph::parts_of(const Numbers& numbers) const {
  AxisParts out;
  for (const int number : numbers) out.push_back(parts_[static_cast<size_t>(number)]);
  return out;
}

AxisSplit RouteGraph::split_of(int node) const {
  const Split& split = splits_[static_cast<size_t>(node)];
  AxisSplit out;
  for (const Numbers& dim : split.dims) out.dims.push_back(joined(parts_of(dim)));
  out.partial = joined(parts_of(split.partial));
  return out;
}

int RouteGraph::node_of(const AxisSplit& split) const {
  const auto numbers = [&](const AxisParts& parts) {
    Numbers out;
    for (const AxisPart& part : parts)
      for (size_t n = 0; n < parts_.size(); ++n)
        if (parts_[n].axis == part.axis && parts_[n].before >= part.before &&
            parts_[n].before < part.before * part.size)
          out.push_back(static_cast<int>(n));
    return out;
  };
  Split key;
  for (const AxisParts& dim : split.dims) key.dims.push_back(numbers(dim));
  key.partial = numbers(split.partial);
  std::ranges::sort(key.partial);
  const auto found = numbers_.find(key);
  CHECK(found != numbers_.end(), "a split that is no node");
  return found->second;
}

std::vector<AxisSplit> RouteGraph::all_splits() const {
  std::vector<AxisSplit> out;
  for (size_t node = 0; node < splits_.size(); ++node) out.push_back(split_of(static_cast<int>(node)));
  return out;
}

std::vector<StepCost> RouteGraph::distances(int node, bool backward) const {
  std::vector<StepCost> out(splits_.size(), kFar);
  using Entry = std::pair<StepCost, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  out[static_cast<size_t>(node)] = {};
  queue.emplace(StepCost{}, node);
  while (!queue.empty()) {
    const auto [cost, at] = queue.top();
    queue.pop();
    if (out[static_cast<size_t>(at)] < cost) continue;
    for (const int number : (backward ? in_ : out_)[static_cast<size_t>(at)]) {
      const Edge& edge = edges_[static_cast<size_t>(number)];
      const int next = backward ? edge.from : edge.to;
      const StepCost there = cost + edge.cost;
      if (!(there < out[static_cast<size_t>(next)])) continue;
      out[static_cast<size_t>(next)] = there;
      queue.emplace(there, next);
    }
  }
  return out;
}

std::map<AxisSplit, StepCost> RouteGraph::by_split(const std::vector<StepCost>& costs) const {
  std::map<AxisSplit, StepCost> out;
  for (size_t node = 0; node < costs.size(); ++node)
    out.emplace(split_of(static_cast<int>(node)), costs[node]);
  return out;
}

std::map<AxisSplit, StepCost> RouteGraph::costs_from(const AxisSplit& from) const {
  return by_split(distances(node_of(from), false));
}

std::map<AxisSplit, StepCost> RouteGraph::costs_to(const AxisSplit& to) const {
  return by_split(distances(node_of(to), true));
}

SplitRoute RouteGraph::route_of(const std::vector<int>& edges) const {
  SplitRoute out;
  for (const int number : edges) {
    const Edge& edge = edges_[static_cast<size_t>(number)];
    out.cost = out.cost + edge.cost;
    SplitStep step{edge.kind, joined(parts_of(edge.axes)), split_of(edge.from), split_of(edge.to)};
    // Cuts one after the other are one.
    if (!out.steps.empty() && edge.kind == StepKind::slice && out.steps.back().kind == StepKind::slice) {
      SplitStep& before = out.steps.back();
      before.axes.insert(before.axes.end(), step.axes.begin(), step.axes.end());
      before.axes = joined(before.axes);
      before.to = std::move(step.to);
      continue;
    }
    out.steps.push_back(std::move(step));
  }
  return out;
}

// Ways in the order of their cost: those that are begun wait by what they cost in the end at least, which the
// distances to the end say exactly.
class RouteGraph::Search {
 public:
  Search(const RouteGraph& graph, int from, int to)
      : graph_(graph), to_(to), rest_(graph.distances(to, true)) {
    begun_.push_back({from, -1, -1, {}, {}});
    queue_.emplace(rest_[static_cast<size_t>(from)], 0);
  }

  // The numbers of its edges; none: there is no other way.
  std::optional<std::vector<int>> next() {
    while (!queue_.empty() && begun_.size() < kMostTried) {
      const int number = queue_.top().second;
      queue_.pop();
      const Begun way = begun_[static_cast<size_t>(number)];
      if (count(way.kinds) > most_ || is_known(way.kinds) || !seen_.emplace(way.node, way.kinds).second)
        continue;
      if (way.node == to_) {
        if (known_.empty()) most_ = count(way.kinds) + kMoreCollectives;
        known_.push_back(way.kinds);
        return edges_of(number);
      }
      for (const int edge : graph_.out_[static_cast<size_t>(way.node)]) go_on(number, edge);
    }
    return std::nullopt;
  }

 private:
  struct Begun {
    int node = 0, before = -1, edge = -1;
    StepCost cost;
    Kinds kinds{};
  };

  static int64_t count(const Kinds& kinds) { return std::accumulate(kinds.begin(), kinds.end(), int64_t{0}); }
  bool was_at(int node, int number) const {
    for (; number >= 0; number = begun_[static_cast<size_t>(number)].before)
      if (begun_[static_cast<size_t>(number)].node == node) return true;
    return false;
  }
  bool is_known(const Kinds& kinds) const {
    return std::ranges::any_of(known_, [&](const Kinds& known) { return does_all_of(kinds, known); });
  }
  void go_on(int number, int edge) {
    const Edge& step = graph_.edges_[static_cast<size_t>(edge)];
    const Begun& way = begun_[static_cast<size_t>(number)];
    Begun next{step.to, number, edge, way.cost + step.cost, way.kinds};
    if (!is_local(step.kind)) ++next.kinds[static_cast<size_t>(step.kind)];
    const bool ends = rest_[static_cast<size_t>(next.node)] != kFar;
    if (!ends || was_at(next.node, number) || is_known(next.kinds) || seen_.contains({next.node, next.kinds}))
      return;
    begun_.push_back(next);
    queue_.emplace(next.cost + rest_[static_cast<size_t>(next.node)], static_cast<int>(begun_.size()) - 1);
  }
  std::vector<int> edges_of(int number) const {
    std::vector<int> out;
    for (; begun_[static_cast<size_t>(number)].edge >= 0; number = begun_[static_cast<size_t>(number)].before)
      out.push_back(begun_[static_cast<size_t>(number)].edge);
    std::ranges::reverse(out);
    return out;
  }

  const RouteGraph& graph_;
  int to_;
  int64_t most_ = std::numeric_limits<int64_t>::max();  // collectives of a way
  std::vector<StepCost> rest_;
  std::vector<Begun> begun_;
  std::vector<Kinds> known_;
  std::set<std::pair<int, Kinds>> seen_;
  std::priority_queue<std::pair<StepCost, int>, std::vector<std::pair<StepCost, int>>, std::greater<>> queue_;
};

std::vector<SplitRoute> RouteGraph::routes(const AxisSplit& from, const AxisSplit& to, size_t most) const {
  Search search(*this, node_of(from), node_of(to));
  std::vector<SplitRoute> out;
  while (out.size() < most) {
    const auto edges = search.next();
    if (!edges) break;
    out.push_back(route_of(*edges));
  }
  return out;
}

}  // namespace shardscope::inline sharding
