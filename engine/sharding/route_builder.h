// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/sharding/routes.h"

namespace shardscope::inline sharding {

// Finds all splits and all steps between them.
class RouteGraph::Builder {
 public:
  Builder(const RouteQuestion& question, const CostOfStep& cost, std::stop_token stop)
      : question_(question), cost_(cost), stop_(std::move(stop)) {}
  Result<RouteGraph> build();

 private:
  using Key = std::tuple<SplitStep::Kind, Numbers, std::vector<int64_t>, size_t, size_t>;

  // False: there are more than are searched.
  bool find_splits();
  void place(size_t part, Split& split, bool& fits);
  bool divides(const Split& split) const;
  Result<void> add_steps(int node);
  Result<void> add_slices(int node);
  Result<void> add_gathers(int node);
  Result<void> add_exchanges(int node);
  Result<void> add_permutes(int node);
  Result<void> add_sums(int node);
  Result<void> add_partial(int node);
  // Nothing where there is no such split.
  Result<void> add(int node, SplitStep::Kind kind, Numbers axes, Split to);
  Result<StepCost> cost_of(int node, SplitStep::Kind kind, const Numbers& axes, int to);
  Numbers unused(const Split& split) const;

  const RouteQuestion& question_;
  const CostOfStep& cost_;
  std::stop_token stop_;
  RouteGraph out_;
  std::map<std::vector<int64_t>, std::vector<int>> alike_;  // nodes by their counts, of partial results last
  std::map<Key, StepCost> known_;
};

// How finely axes are cut: in primes; at the ends' cuts and where one axis has the size of another; at the
// ends' cuts alone.
enum class PartSizes { primes, matching, given };
AxisParts cut_axes(const Mesh& mesh, const std::vector<AxisSplit>& ends, PartSizes sizes);

}  // namespace shardscope::inline sharding
