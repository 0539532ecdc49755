// SPDX-License-Identifier: Apache-2.0
// One collective of X[m,k] over all axes of the mesh and nothing else, to look at an algorithm or to set two
// side by side. Gathers begin with rows of X on each device; what sums begins with as many arrays as devices,
// whose sum X is. W and n play no part.
#include <algorithm>

#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

using Roles = SpmdBuilder::Roles;

// As many as the mesh has.
Roles all_axes(const SpmdBuilder& b) {
  Roles out;
  std::vector<std::string> taken;
  for (const char* role : {"row", "col", "depth"}) {
    if (!b.has_axis(role) || std::ranges::count(taken, b.axis(role)) > 0) continue;
    taken.push_back(b.axis(role));
    out.emplace_back(role);
  }
  return out;
}

PartitionSpec rows(const Roles& over) {
  return {{over, {}}};
}

Result<Program> finish(SpmdBuilder& b, Value X, const PartitionSpec& spec) {
  return b.finish(X, ArrayRole::lhs, {b.problem().m, b.problem().k}, spec);
}

Result<Program> all_gather(SpmdBuilder& b, const StrategyOptions&) {
  const Roles all = all_axes(b);
  const auto X = b.lhs("mk", rows(all));
  return finish(b, b.all_gather(X, all, 0), P("", ""));
}

Result<Program> reduce_scatter(SpmdBuilder& b, const StrategyOptions&) {
  const Roles all = all_axes(b);
  const auto parts = b.lhs("mk", P("", ""), all);
  b.require_divisible("m", b.problem().m, all);
  if (!b.ok()) return b.finish(parts, P("", ""));
  return finish(b, b.reduce_scatter(parts, all, 0), rows(all));
}

Result<Program> all_reduce(SpmdBuilder& b, const StrategyOptions&) {
  const Roles all = all_axes(b);
  return finish(b, b.all_reduce(b.lhs("mk", P("", ""), all), all), P("", ""));
}

// Part i of a device's rows goes to device i; what comes from device i are the columns i.
Result<Program> all_to_all(SpmdBuilder& b, const StrategyOptions&) {
  const Roles all = all_axes(b);
  b.require_divisible("m", b.problem().m, all);
  auto X = b.lhs("mk", {{{}, all}});
  X = b.all_to_all(X, all, 0);
  int64_t devices = 1;
  for (const std::string& role : all) devices *= b.size(role);
  std::vector<Value> columns;
  const int64_t share = b.problem().m / devices;
  for (int64_t i = 0; i < devices; ++i) columns.push_back(b.slice(X, 0, i * share, share));
  return finish(b, b.concatenate(columns, 1), rows(all));
}

// Along the last axis, on which neighbours are neighbours on every mesh.
Result<Program> permute(SpmdBuilder& b, const StrategyOptions&) {
  const Roles all = all_axes(b);
  auto X = b.lhs("mk", rows(all));
  b.step(0);
  X = b.shift(X, all.back(), 1);
  b.step(1);
  X = b.shift(X, all.back(), -1);
  b.end_steps();
  return finish(b, X, rows(all));
}

}  // namespace

std::vector<Strategy> bare_collective_strategies() {
  const Family f{"MPI, collective operations; Thakur et al. 2005", {"row", "col", "depth"}, {}, 1};
  return {
      f.part({"collective.all_gather"},
             "Only an all-gather: rows of X on each device, all of X on all of them", all_gather),
      f.part({"collective.reduce_scatter"},
             "Only a reduce-scatter: of as many arrays as devices each device gets its rows of the sum X",
             reduce_scatter),
      f.part({"collective.all_reduce"}, "Only an all-reduce: of as many arrays as devices all get the sum X",
             all_reduce),
      f.part({"collective.all_to_all"}, "Only an all-to-all: columns of X on each device become rows of X",
             all_to_all),
      f.part({"collective.permute"}, "Only permutes: every device's rows of X one device on, and home again",
             permute),
  };
}

}  // namespace shardscope::inline strategy
