// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/axis_moves.h"

#include <algorithm>
#include <optional>

#include "engine/base/check.h"

namespace shardscope::inline sharding {
namespace {

using Axes = std::vector<SplitAxes>;  // by dimension

// The axis that splits `dim` next; empty: there is none.
std::string next_wanted(const Axes& at, const Axes& to, size_t dim) {
  const size_t done = common_prefix(to[dim], at[dim]).size();
  return done < to[dim].size() ? to[dim][done] : "";
}

// Split otherwise than wanted, so that some axis must leave.
bool in_the_way(const Axes& at, const Axes& to, size_t dim) {
  return !starts_with(to[dim], at[dim]);
}

std::optional<AxisMove> next_cut(const Axes& at, const Axes& to) {
  for (size_t d = 0; d < at.size(); ++d) {
    if (in_the_way(at, to, d) || to[d].size() == at[d].size()) continue;
    const std::string axis = next_wanted(at, to, d);
    const bool taken =
        std::ranges::any_of(at, [&](const SplitAxes& axes) { return std::ranges::count(axes, axis) > 0; });
    if (!taken) return AxisMove{AxisMove::Kind::cut, axis, d, d};
  }
  return std::nullopt;
}

std::optional<AxisMove> next_exchange(const Axes& at, const Axes& to) {
  for (size_t d = 0; d < at.size(); ++d) {
    if (in_the_way(at, to, d) || to[d].size() == at[d].size()) continue;
    for (size_t e = 0; e < at.size(); ++e)
      if (e != d && in_the_way(at, to, e) && at[e].back() == next_wanted(at, to, d))
        return AxisMove{AxisMove::Kind::exchange, at[e].back(), d, e};
  }
  return std::nullopt;
}

// Of the dimensions in the way, the one behind whose gather waits an all-to-all, or a cut that makes the
// other gathers smaller.
AxisMove next_gather(const Axes& at, const Axes& to) {
  std::vector<size_t> dims;
  for (size_t d = 0; d < at.size(); ++d)
    if (in_the_way(at, to, d)) dims.push_back(d);
  CHECK(!dims.empty(), "the target splits by an axis twice");
  const auto lets_exchange = [&](size_t d) {
    const std::string wanted = next_wanted(at, to, d);
    return std::ranges::any_of(dims, [&](size_t e) { return e != d && at[e].back() == wanted; });
  };
  auto best = std::ranges::find_if(dims, lets_exchange);
  if (best == dims.end())
    best = std::ranges::find_if(dims, [&](size_t d) { return !next_wanted(at, to, d).empty(); });
  const size_t dim = best == dims.end() ? dims.front() : *best;
  return {AxisMove::Kind::gather, at[dim].back(), dim, dim};
}

}  // namespace

bool starts_with(const SplitAxes& axes, const SplitAxes& prefix) {
  return prefix.size() <= axes.size() && std::equal(prefix.begin(), prefix.end(), axes.begin());
}

SplitAxes common_prefix(const SplitAxes& a, const SplitAxes& b) {
  return {a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first};
}

std::vector<AxisMove> plan_axis_moves(const PartitionSpec& from, const PartitionSpec& to) {
  PartitionSpec at = from, target = to;
  target.dims.resize(at.dims.size());
  std::vector<AxisMove> out;
  while (at != target) {
    std::optional<AxisMove> move = next_cut(at.dims, target.dims);
    if (!move) move = next_exchange(at.dims, target.dims);
    if (!move) move = next_gather(at.dims, target.dims);
    at = moved(std::move(at), *move);
    out.push_back(*std::move(move));
  }
  return out;
}

PartitionSpec moved(PartitionSpec from, const AxisMove& move) {
  if (move.kind != AxisMove::Kind::cut) from.dims[move.from_dim].pop_back();
  if (move.kind != AxisMove::Kind::gather) from.dims[move.dim].push_back(move.axis);
  return from;
}

}  // namespace shardscope::inline sharding
