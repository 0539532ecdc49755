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

// S·b must divide `extent`/first and `extent`/second. What the user leaves open is the largest legal S <= 8,
// then the largest legal b <= 8.
Slicing slicing(SpmdBuilder& b, const StrategyOptions& options, const std::string& size, int64_t extent,
                const std::string& first, const std::string& second) {
  const int64_t shares[] = {extent / b.size(first), extent / b.size(second)};
  const auto legal = [share = std::gcd(shares[0], shares[1])](int64_t s, int64_t block) {
    return share % s == 0 && (share / s) % block == 0;
  };
  Slicing chosen{options.slices.value_or(8), options.block.value_or(8)};
  b.limit(chosen.slices >= 1, "slices must be positive, got " + std::to_string(chosen.slices));
  b.limit(chosen.block >= 1, "block must be positive, got " + std::to_string(chosen.block));
  if (!b.ok()) return {};

  const int64_t given_block = options.block.value_or(1);
  while (!options.slices && chosen.slices > 1 && !legal(chosen.slices, given_block)) --chosen.slices;
  while (!options.block && chosen.block > 1 && !legal(chosen.slices, chosen.block)) --chosen.block;
  const std::string of_first = size + "/" + b.axis_count(first),
                    of_second = size + "/" + b.axis_count(second);
  const auto got = [](const std::string& what, int64_t value) {
    return ", " + what + "=" + std::to_string(value);
  };
  b.require(legal(chosen.slices, chosen.block), "slices*block must divide " + of_first + " and " + of_second +
                                                    ", got slices=" + std::to_string(chosen.slices) +
                                                    got("block", chosen.block) + got(of_first, shares[0]) +
                                                    got(of_second, shares[1]));
  b.choice("slices", std::to_string(chosen.slices));
  b.choice("block", std::to_string(chosen.block));
  return b.ok() ? chosen : Slicing{};
}

}  // namespace

Value meshslice_os(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t rows = X.dim(0), columns = W.dim(1), whole = X.dim(1) * b.size(col);
  const auto [S, block] = slicing(b, options, k, whole, col, row);

  X = b.reshape(X, {rows, X.dim(1) / (S * block), S, block});
  W = b.reshape(W, {W.dim(0) / (S * block), S, block, columns});
  Value Y;
  for (int i = 0; i < S; ++i) {
    b.step(i);
    b.phase("gather slice of " + X.name() + " over " + b.axis(col));
    auto Xi = b.reshape(b.all_gather(b.slice(X, 2, i, 1), col, 1), {rows, whole / S});
    b.phase("gather slice of " + W.name() + " over " + b.axis(row));
    auto Wi = b.reshape(b.all_gather(b.slice(W, 1, i, 1), row, 0), {whole / S, columns});
    b.phase(b.product() + " += slice of " + X.name() + " " + W.name());
    Y = Y + matmul(Xi, Wi);
  }
  b.end_steps();
  return Y;
}

Value meshslice_ls(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t rows = X.dim(0), depth = W.dim(1), whole = W.dim(0) * b.size(row);
  b.require_divisible(n, whole, {col});
  const auto [S, block] = slicing(b, options, n, whole, row, col);

  W = b.reshape(W, {W.dim(0) / (S * block), S, block, depth});
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    b.step(i);
    b.phase("gather slice of " + W.name() + " over " + b.axis(row));
    auto Wi = b.all_gather(b.slice(W, 1, i, 1), row, 0);
    b.phase("partial slice of " + b.product() + " = " + X.name() + " " + W.name() + "t");
    auto Yi = einsum("mk,gsbk->mgsb", X, Wi);
    b.phase("scatter slice of " + b.product() + " over " + b.axis(col));
    Y.push_back(b.reduce_scatter(Yi, col, 1));
  }
  const Value all = b.reshape(b.concatenate(Y, 2), {rows, whole / b.size(col)});
  b.end_steps();
  return all;
}

Value meshslice_rs(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t depth = X.dim(0), columns = W.dim(1), whole = X.dim(1) * b.size(col);
  b.require_divisible(m, whole, {row});
  const auto [S, block] = slicing(b, options, m, whole, col, row);

  X = b.reshape(X, {depth, X.dim(1) / (S * block), S, block});
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    b.step(i);
    b.phase("gather slice of " + X.name() + " over " + b.axis(col));
    auto Xi = b.all_gather(b.slice(X, 2, i, 1), col, 1);
    b.phase("partial slice of " + b.product() + " = " + X.name() + "t " + W.name());
    auto Yi = einsum("kgsb,kn->gsbn", Xi, W);
    b.phase("scatter slice of " + b.product() + " over " + b.axis(row));
    Y.push_back(b.reduce_scatter(Yi, row, 0));
  }
  const Value all = b.reshape(b.concatenate(Y, 1), {whole / b.size(row), columns});
  b.end_steps();
  return all;
}

std::vector<Strategy> meshslice_strategies() {
  const Family f{"MeshSlice, ISCA 2025", {"row", "col"}, {"slices", "block"}};
  return {
      f.matmul({"meshslice.os", "systolic.os"}, "Sliced gathers of X and W beside sliced products",
               single<Dataflow::os, meshslice_os>),
      f.matmul({"meshslice.ls", "systolic.is"}, "Sliced gather of W and scatter of Y; X stays",
               single<Dataflow::ls, meshslice_ls>),
      f.matmul({"meshslice.rs", "systolic.ws"}, "Sliced gather of X and scatter of Y; W stays",
               single<Dataflow::rs, meshslice_rs>),
  };
}

}  // namespace shardscope
