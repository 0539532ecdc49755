// SPDX-License-Identifier: Apache-2.0
// MeshSlice, ISCA 2025: every collective of the GSPMD form is cut into S partial ones, so that those of both
// axes overlap the products of other slices. Slice i of a local array takes b columns (or rows) out of every
// S·b: strided, so that slices of arrays that are split over different axes match.
#include <algorithm>
#include <numeric>

#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

struct Slicing {
  int64_t slices = 1;  // S
  int64_t block = 1;   // b
};

// S·b must divide the extents `first` and `second`. What the user leaves open is the largest legal S <= 8,
// then the largest legal b <= 8.
Slicing slicing(SpmdBuilder& b, const StrategyOptions& options, const ProductNames& names,
                const std::string& first_name, int64_t first, const std::string& second_name,
                int64_t second) {
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
  b.choice(choice_name("slices", names), text(chosen.slices));
  b.choice(choice_name("block", names), text(chosen.block));
  return b.ok() ? chosen : Slicing{};
}

}  // namespace

Value meshslice_os(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t rows = X.dim(0), kc = X.dim(1), kr = W.dim(0), columns = W.dim(1);
  const int64_t whole = kc * b.size(col);
  const auto [S, block] =
      slicing(b, options, names, k + "/" + b.axis_count(col), kc, k + "/" + b.axis_count(row), kr);

  X = b.reshape(X, {rows, kc / (S * block), S, block});
  W = b.reshape(W, {kr / (S * block), S, block, columns});
  const int first = b.next_step();
  Value Y;
  for (int i = 0; i < S; ++i) {
    b.step(first + i);
    b.phase("gather slice of " + x + " over " + b.axis(col));
    auto Xi = b.reshape(b.all_gather(b.slice(X, 2, i, 1), col, 1), {rows, whole / S});
    b.phase("gather slice of " + w + " over " + b.axis(row));
    auto Wi = b.reshape(b.all_gather(b.slice(W, 1, i, 1), row, 0), {whole / S, columns});
    b.phase(y + " += slice of " + x + " " + w);
    Y = Y + matmul(Xi, Wi);
  }
  b.step(-1);
  return Y;
}

Value meshslice_ls(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t whole = W.dim(0) * b.size(row);
  b.require_divisible(n, whole, {col});
  const int64_t rows = X.dim(0), nr = W.dim(0), nc = whole / b.size(col), depth = W.dim(1);
  const auto [S, block] =
      slicing(b, options, names, n + "/" + b.axis_count(row), nr, n + "/" + b.axis_count(col), nc);

  W = b.reshape(W, {nr / (S * block), S, block, depth});
  const int first = b.next_step();
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    b.step(first + i);
    b.phase("gather slice of " + w + " over " + b.axis(row));
    auto Wi = b.all_gather(b.slice(W, 1, i, 1), row, 0);
    b.phase("partial slice of " + y + " = " + x + " " + w + "t");
    auto Yi = einsum("mk,gsbk->mgsb", X, Wi);
    b.phase("scatter slice of " + y + " over " + b.axis(col));
    Y.push_back(b.reduce_scatter(Yi, col, 1));
  }
  const Value all = b.reshape(b.concatenate(Y, 2), {rows, nc});
  b.step(-1);
  return all;
}

Value meshslice_rs(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t whole = X.dim(1) * b.size(col);
  b.require_divisible(m, whole, {row});
  const int64_t depth = X.dim(0), mc = X.dim(1), mr = whole / b.size(row), columns = W.dim(1);
  const auto [S, block] =
      slicing(b, options, names, m + "/" + b.axis_count(col), mc, m + "/" + b.axis_count(row), mr);

  X = b.reshape(X, {depth, mc / (S * block), S, block});
  const int first = b.next_step();
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    b.step(first + i);
    b.phase("gather slice of " + x + " over " + b.axis(col));
    auto Xi = b.all_gather(b.slice(X, 2, i, 1), col, 1);
    b.phase("partial slice of " + y + " = " + x + "t " + w);
    auto Yi = einsum("kgsb,kn->gsbn", Xi, W);
    b.phase("scatter slice of " + y + " over " + b.axis(row));
    Y.push_back(b.reduce_scatter(Yi, row, 0));
  }
  const Value all = b.reshape(b.concatenate(Y, 1), {mr, columns});
  b.step(-1);
  return all;
}

namespace {

using MeshsliceProduct = Value (*)(SpmdBuilder&, const StrategyOptions&, Value, Value, const ProductNames&);

template <MeshsliceProduct product, Dataflow dataflow>
Result<Program> plan_meshslice(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  constexpr const char* kIds[] = {"meshslice.os", "meshslice.ls", "meshslice.rs"};
  return single_product(
      kIds[static_cast<size_t>(dataflow)], dataflow, mesh, p, options,
      [&options](SpmdBuilder& b, Value X, Value W) { return product(b, options, X, W, {}); });
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
       plan_meshslice<meshslice_os, Dataflow::os>},
      {"meshslice.ls",
       {"systolic.is"},
       StrategyKind::matmul,
       "Sliced gather of W and scatter of Y; X stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n",
        "slices*block divides n/rows and n/cols"},
       {"axes", "slices", "block"},
       {"row", "col"},
       plan_meshslice<meshslice_ls, Dataflow::ls>},
      {"meshslice.rs",
       {"systolic.ws"},
       StrategyKind::matmul,
       "Sliced gather of X and scatter of Y; W stays",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n",
        "slices*block divides m/cols and m/rows"},
       {"axes", "slices", "block"},
       {"row", "col"},
       plan_meshslice<meshslice_rs, Dataflow::rs>},
  };
}

}  // namespace shardscope
