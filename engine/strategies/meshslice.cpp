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

// Which slices are under way: the gathers of a slice wait for the product of the slice `prefetch` before it,
// whose buffers they take, and for the scatter of the one before that, so that partial results do not pile up
// where the links of the scatter are the slower ones. Two slices hide as much as more of them do: while one
// is multiplied the next one comes.
class UnderWay {
 public:
  UnderWay(SpmdBuilder& b, const StrategyOptions& options, int64_t slices)
      : b_(b), prefetch_(options.prefetch.value_or(2)) {
    b.limit(prefetch_ >= 1, "prefetch must be positive, got " + std::to_string(prefetch_));
    b.choice("prefetch", std::to_string(std::min(prefetch_, slices)));
  }
  void begin(int slice) {
    b_.step(slice);
    b_.after({at(products_, slice - prefetch_), at(scatters_, slice - prefetch_ - 1)});
  }
  Value product(Value made) {
    products_.push_back(made);
    b_.after({});
    return made;
  }
  Value scatter(Value made) {
    scatters_.push_back(made);
    return made;
  }

 private:
  static Value at(const std::vector<Value>& of, int64_t slice) {
    return slice >= 0 && slice < static_cast<int64_t>(of.size()) ? of[static_cast<size_t>(slice)] : Value();
  }

  SpmdBuilder& b_;
  int64_t prefetch_;
  std::vector<Value> products_, scatters_;
};

}  // namespace

Value meshslice_os(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t rows = X.dim(0), columns = W.dim(1), whole = X.dim(1) * b.size(col);
  const auto [S, block] = slicing(b, options, k, whole, col, row);

  X = b.reshape(X, {rows, X.dim(1) / (S * block), S, block});
  W = b.reshape(W, {W.dim(0) / (S * block), S, block, columns});
  UnderWay slices(b, options, S);
  Value Y;
  for (int i = 0; i < S; ++i) {
    slices.begin(i);
    b.phase("gather slice of " + X.name() + " over " + b.axis(col));
    auto Xi = b.reshape(b.all_gather(b.slice(X, 2, i, 1), col, 1), {rows, whole / S});
    b.phase("gather slice of " + W.name() + " over " + b.axis(row));
    auto Wi = b.reshape(b.all_gather(b.slice(W, 1, i, 1), row, 0), {whole / S, columns});
    b.phase(b.product() + " += slice of " + X.name() + " " + W.name());
    Y = slices.product(Y + matmul(Xi, Wi));
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
  UnderWay slices(b, options, S);
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    slices.begin(i);
    b.phase("gather slice of " + W.name() + " over " + b.axis(row));
    auto Wi = b.all_gather(b.slice(W, 1, i, 1), row, 0);
    b.phase("partial slice of " + b.product() + " = " + X.name() + " " + W.name() + "t");
    auto Yi = slices.product(einsum("mk,gsbk->mgsb", X, Wi));
    b.phase("scatter slice of " + b.product() + " over " + b.axis(col));
    Y.push_back(slices.scatter(b.reduce_scatter(Yi, col, 1)));
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
  UnderWay slices(b, options, S);
  std::vector<Value> Y;
  for (int i = 0; i < S; ++i) {
    slices.begin(i);
    b.phase("gather slice of " + X.name() + " over " + b.axis(col));
    auto Xi = b.all_gather(b.slice(X, 2, i, 1), col, 1);
    b.phase("partial slice of " + b.product() + " = " + X.name() + "t " + W.name());
    auto Yi = slices.product(einsum("kgsb,kn->gsbn", Xi, W));
    b.phase("scatter slice of " + b.product() + " over " + b.axis(row));
    Y.push_back(slices.scatter(b.reduce_scatter(Yi, row, 0)));
  }
  const Value all = b.reshape(b.concatenate(Y, 1), {whole / b.size(row), columns});
  b.end_steps();
  return all;
}

std::vector<Strategy> meshslice_strategies() {
  const Family f{"MeshSlice, ISCA 2025", {"row", "col"}, {"slices", "block", "prefetch"}};
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
