// SPDX-License-Identifier: Apache-2.0
// MeshSlice, ISCA 2025: every collective of the GSPMD form is cut into S partial ones, so that those of both
// axes overlap the products of other slices. Slice i of a local array takes b columns (or rows) out of every
// S·b: strided, so that slices of arrays that are split over different axes match.
#include <algorithm>
#include <numeric>

#include "engine/strategies/families.h"

namespace shardscope {
namespace {

struct Slicing {
  int64_t slices = 1;  // S
  int64_t block = 1;   // b
};

// S·b must divide the extents `first` and `second`. What the user leaves open is the largest legal S <= 8,
// then the largest legal b <= 8.
Slicing slicing(SpmdBuilder& b, const StrategyOptions& options, const std::string& first_name, int64_t first,
                const std::string& second_name, int64_t second) {
  const int64_t extent = std::gcd(first, second);
  const auto legal = [extent](int64_t s, int64_t block) {
    return extent % s == 0 && (extent / s) % block == 0;
  };
  b.require(options.slices.value_or(1) >= 1,
            "slices must be positive, got " + std::to_string(options.slices.value_or(1)));
  b.require(options.block.value_or(1) >= 1,
            "block must be positive, got " + std::to_string(options.block.value_or(1)));
  if (!b.ok()) return {};

  Slicing chosen{options.slices.value_or(8), options.block.value_or(8)};
  const int64_t given_block = options.block.value_or(1);
  if (!options.slices) {
    while (chosen.slices > 1 && !legal(chosen.slices, given_block)) --chosen.slices;
  }
  if (!options.block) {
    while (chosen.block > 1 && !legal(chosen.slices, chosen.block)) --chosen.block;
  }
  const auto text = [](int64_t value) { return std::to_string(value); };
  b.require(legal(chosen.slices, chosen.block),
            "slices*block must divide " + first_name + " and " + second_name +
                ", got slices=" + text(chosen.slices) + ", block=" + text(chosen.block) + ", " + first_name +
                "=" + text(first) + ", " + second_name + "=" + text(second));
  b.choice("slices", text(chosen.slices));
  b.choice("block", text(chosen.block));
  return b.ok() ? chosen : Slicing{};
}

Result<Program> meshslice_os(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("meshslice.os", {"row", "col"}, mesh, options));
  SpmdBuilder b("meshslice.os", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  const int64_t m = X.dim(0), kc = X.dim(1), kr = W.dim(0), n = W.dim(1);
  const auto [S, block] = slicing(b, options, "k/" + b.axis_count("col"), kc, "k/" + b.axis_count("row"), kr);

  X = b.reshape(X, {m, kc / (S * block), S, block});
  W = b.reshape(W, {kr / (S * block), S, block, n});
  Value Y;
  for (int i = 0; i < S; ++i) {
    b.step(i);
    b.phase("gather slice of X over " + b.axis("col"));
    auto Xi = b.reshape(b.all_gather(b.slice(X, 2, i, 1), "col", 1), {m, p.k / S});
    b.phase("gather slice of W over " + b.axis("row"));
    auto Wi = b.reshape(b.all_gather(b.slice(W, 1, i, 1), "row", 0), {p.k / S, n});
    b.phase("Y += slice of X W");
    Y = Y + matmul(Xi, Wi);
  }
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

Result<Program> meshslice_ls(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("meshslice.ls", {"row", "col"}, mesh, options));
  SpmdBuilder b("meshslice.ls", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.n, p.k}, P("row", "col"), /*transposed=*/true);
  b.require_divisible("n", p.n, {"col"});
  const int64_t m = X.dim(0), nr = W.dim(0), nc = p.n / b.size("col"), k = W.dim(1);
  const auto [S, block] = slicing(b, options, "n/" + b.axis_count("row"), nr, "n/" + b.axis_count("col"), nc);

  W = b.reshape(W, {nr / (S * block), S, block, k});
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    b.step(i);
    b.phase("gather slice of W over " + b.axis("row"));
    auto Wi = b.all_gather(b.slice(W, 1, i, 1), "row", 0);
    b.phase("partial slice of Y = X Wt");
    auto Yi = einsum("mk,gsbk->mgsb", X, Wi);
    b.phase("scatter slice of Y over " + b.axis("col"));
    Y.push_back(b.reduce_scatter(Yi, "col", 1));
  }
  return b.finish(b.reshape(b.concatenate(Y, 2), {m, nc}), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

Result<Program> meshslice_rs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("meshslice.rs", {"row", "col"}, mesh, options));
  SpmdBuilder b("meshslice.rs", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", "col"), /*transposed=*/true);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_divisible("m", p.m, {"row"});
  const int64_t k = X.dim(0), mc = X.dim(1), mr = p.m / b.size("row"), n = W.dim(1);
  const auto [S, block] = slicing(b, options, "m/" + b.axis_count("col"), mc, "m/" + b.axis_count("row"), mr);

  X = b.reshape(X, {k, mc / (S * block), S, block});
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    b.step(i);
    b.phase("gather slice of X over " + b.axis("col"));
    auto Xi = b.all_gather(b.slice(X, 2, i, 1), "col", 1);
    b.phase("partial slice of Y = Xt W");
    auto Yi = einsum("kgsb,kn->gsbn", Xi, W);
    b.phase("scatter slice of Y over " + b.axis("row"));
    Y.push_back(b.reduce_scatter(Yi, "row", 0));
  }
  return b.finish(b.reshape(b.concatenate(Y, 1), {mr, n}), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

}  // namespace

std::vector<Strategy> meshslice_strategies() {
  const std::string_view paper = "MeshSlice, ISCA 2025";
  return {
      {"meshslice.os",
       {"systolic.os"},
       StrategyKind::matmul,
       "Sliced gathers of X and W beside sliced products",
       paper,
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n",
        "slices*block divides k/cols and k/rows"},
       {"axes", "slices", "block"},
       {"row", "col"},
       meshslice_os},
      {"meshslice.ls",
       {"systolic.is"},
       StrategyKind::matmul,
       "Sliced gather of W and scatter of Y; X stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n",
        "slices*block divides n/rows and n/cols"},
       {"axes", "slices", "block"},
       {"row", "col"},
       meshslice_ls},
      {"meshslice.rs",
       {"systolic.ws"},
       StrategyKind::matmul,
       "Sliced gather of X and scatter of Y; W stays",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n",
        "slices*block divides m/cols and m/rows"},
       {"axes", "slices", "block"},
       {"row", "col"},
       meshslice_rs},
  };
}

}  // namespace shardscope
