// SPDX-License-Identifier: Apache-2.0
// All ways of an array from one split to another, and the cheapest: shortest paths in the graph of its
// splits. A split is a node; every collective that leads from one to another is an edge with its cost.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/sharding/split_step.h"

namespace shardscope::inline sharding {

// Costs add up; what is less is better, time before bytes.
struct StepCost {
  Picoseconds time = 0;
  double bytes = 0;   // that a device sends, the mean over devices
  int64_t steps = 0;  // that are taken
  auto operator<=>(const StepCost&) const = default;
  StepCost operator+(const StepCost& other) const {
    return {time + other.time, bytes + other.bytes, steps + other.steps};
  }
};
// What a step costs; `steps` is not read. Called once for steps that are alike but for where they stand.
using CostOfStep = std::function<Result<StepCost>(const SplitStep& step)>;

struct SplitRoute {
  std::vector<SplitStep> steps;
  StepCost cost;
};

// What is asked of the graph: where splits begin and end says which parts of axes there must be.
struct RouteQuestion {
  const Mesh& mesh;
  std::vector<int64_t> dims;    // of the array
  std::vector<AxisSplit> ends;  // that are asked for
  bool partial = false;         // arrays of partial results are made on the way too
};

// Invariant: every split by the parts of the mesh's axes that divides the array evenly is a node, and every
// step between two of them an edge.
class RouteGraph {
 public:
  // Errors: an end that does not divide the array evenly; parts of an axis that do not nest; more splits than
  // are searched; cancelled; what `cost` says.
  static Result<RouteGraph> make(const RouteQuestion& question, const CostOfStep& cost, std::stop_token stop);

  // The parts that axes are cut in.
  const AxisParts& parts() const { return parts_; }
  size_t splits() const { return splits_.size(); }
  size_t steps() const { return edges_.size(); }

  // The best way of each kind (which collectives, how often), the cheapest first; `most` at most. What does
  // all that a cheaper one does and more is left out. Both ends are splits of the question's parts.
  std::vector<SplitRoute> routes(const AxisSplit& from, const AxisSplit& to, size_t most) const;
  // What the cheapest way from `from` costs, by split.
  std::map<AxisSplit, StepCost> costs_from(const AxisSplit& from) const;
  std::map<AxisSplit, StepCost> costs_to(const AxisSplit& to) const;
  std::vector<AxisSplit> all_splits() const;

 private:
  // Parts by their numbers.
  using Numbers = std::vector<int>;
  struct Split {
    std::vector<Numbers> dims;
    Numbers partial;
    auto operator<=>(const Split&) const = default;
  };
  struct Edge {
    int from = 0, to = 0;
    SplitStep::Kind kind = SplitStep::Kind::slice;
    Numbers axes;
    StepCost cost;
  };
  class Builder;
  class Search;

  int node_of(const AxisSplit& split) const;
  AxisParts parts_of(const Numbers& numbers) const;
  AxisSplit split_of(int node) const;
  std::vector<StepCost> distances(int node, bool backward) const;
  std::map<AxisSplit, StepCost> by_split(const std::vector<StepCost>& costs) const;
  SplitRoute route_of(const std::vector<int>& edges) const;

  AxisParts parts_;
  std::vector<Split> splits_;
  std::map<Split, int> numbers_;
  std::vector<Edge> edges_;
  std::vector<std::vector<int>> out_, in_;  // by node: numbers of edges
};

}  // namespace shardscope::inline sharding
