// SPDX-License-Identifier: Apache-2.0
// MeshSlice, ISCA 2025: every collective of the GSPMD form is cut into S partial ones, so that those of both
// axes overlap the products of other slices. Slice i of a local array takes b columns (or rows) out of every
// S·b: strided, so that slices of arrays that are split over different axes match.
#include <algorithm>
#include <numeric>

#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"
#include "engine/strategies/like_steps.h"

namespace shardscope::inline strategy {
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

// Goes through slices, of which some are under way at a time: the gathers of a slice wait for the product of
// the slice `prefetch` before it, whose buffers they take, and for the scatter of the one before that, so
// that partial results do not pile up where the links of the scatter are the slower ones. Two slices hide as
// much as more of them do: while one is multiplied the next one comes.
class Slices {
 public:
  // Of each slice later ones wait for so many `things`: for its product, and for its scatter.
  Slices(SpmdBuilder& b, const StrategyOptions& options, int64_t slices, int64_t things)
      : b_(b),
        prefetch_(std::clamp<int64_t>(options.prefetch.value_or(2), 1, slices)),
        things_(things),
        steps_(b, slices, longest_wait(),
               [this, slices](int64_t slice) { return prefetch_ > kMostInLoops ? 1 : slices - slice; }),
        has_loops_(!b.is_sketch() && steps_.has_loops()) {
    const int64_t asked = options.prefetch.value_or(prefetch_);
    b.limit(asked >= 1, "prefetch must be positive, got " + std::to_string(asked));
    b.choice("prefetch", std::to_string(prefetch_));
  }
  Slices(const Slices&) = delete;  // its steps ask it
  Slices& operator=(const Slices&) = delete;

  const LikeSteps& steps() const { return steps_; }
  // Writes slice `at` from `values`, which slices hand on to each other.
  using Write = std::function<void(Index at, std::vector<Value>& values)>;
  void each(std::vector<Value>& values, const Write& write) {
    const auto own = std::ssize(values);  // behind them what slices made, the newest last
    steps_.each(values, [&](int slice, Index round, std::vector<Value>& in) {
      b_.step(slice);
      const auto made = [&](int64_t before, int64_t thing) {
        const int64_t at = std::ssize(in) - before * things_ + thing;
        return at < own || thing >= things_ ? Value() : in[static_cast<size_t>(at)];
      };
      b_.after({made(prefetch_, 0), made(prefetch_ + 1, 1)});
      write(round + slice, in);
      in.insert(in.end(), made_.begin(), made_.end());
      made_.clear();
      if (has_loops_ && std::ssize(in) > own + longest_wait() * things_)
        in.erase(in.begin() + own, in.begin() + own + things_);
    });
  }
  // What comes after the product of a slice waits for no other slice.
  Value product(Value made) {
    b_.after({});
    return remember(made);
  }
  Value scatter(Value made) { return remember(made); }

 private:
  static constexpr int64_t kMostInLoops = 4;  // slices under way: a loop hands on what they made
  int64_t longest_wait() const { return prefetch_ + things_ - 1; }
  // In a loop nothing but that it is there, so that no slice keeps what those before it made.
  Value remember(Value made) {
    made_.push_back(has_loops_ ? b_.done(made) : made);
    return made;
  }

  SpmdBuilder& b_;
  int64_t prefetch_, things_;
  LikeSteps steps_;
  bool has_loops_;
  std::vector<Value> made_;  // by the slice that is written
};

}  // namespace

Value meshslice_os(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t rows = X.dim(0), columns = W.dim(1), whole = X.dim(1) * b.size(col);
  const auto [S, block] = slicing(b, options, k, whole, col, row);
  const int64_t slice = whole / S;

  X = b.reshape(X, {rows, X.dim(1) / (S * block), S, block});
  W = b.reshape(W, {W.dim(0) / (S * block), S, block, columns});
  Slices slices(b, options, S, 1);
  std::vector<Value> values{X, W, {}};
  slices.each(values, [&](Index i, std::vector<Value>& in) {
    b.phase("gather slice of " + in[0].name() + " over " + b.axis(names.col));
    auto Xi = b.reshape(b.all_gather(b.dynamic_slice(in[0], 2, i, 1), names.col, 1), {rows, slice});
    b.phase("gather slice of " + in[1].name() + " over " + b.axis(names.row));
    auto Wi = b.reshape(b.all_gather(b.dynamic_slice(in[1], 1, i, 1), names.row, 0), {slice, columns});
    b.phase(b.product() + " += slice of " + in[0].name() + " " + in[1].name());
    in[2] = slices.product(in[2] + matmul(Xi, Wi));
  });
  b.end_steps();
  return values[2];
}

Value meshslice_ls(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t rows = X.dim(0), depth = W.dim(1), whole = W.dim(0) * b.size(row);
  b.require_divisible(n, whole, {col});
  const auto [S, block] = slicing(b, options, n, whole, row, col);

  W = b.reshape(W, {W.dim(0) / (S * block), S, block, depth});
  Slices slices(b, options, S, 2);
  Pieces Y(b, slices.steps(), 2, S);
  std::vector<Value> values{X, W, {}};
  slices.each(values, [&](Index i, std::vector<Value>& in) {
    b.phase("gather slice of " + in[1].name() + " over " + b.axis(names.row));
    auto Wi = b.all_gather(b.dynamic_slice(in[1], 1, i, 1), names.row, 0);
    b.phase("partial slice of " + b.product() + " = " + in[0].name() + " " + in[1].name() + "t");
    auto Yi = slices.product(einsum("mk,gsbk->mgsb", in[0], Wi));
    b.phase("scatter slice of " + b.product() + " over " + b.axis(names.col));
    Y.add(slices.scatter(b.reduce_scatter(Yi, names.col, 1)), i, in[2]);
  });
  const Value all = b.reshape(Y.all(values[2]), {rows, whole / b.size(col)});
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
  Slices slices(b, options, S, 2);
  Pieces Y(b, slices.steps(), 1, S);
  std::vector<Value> values{X, W, {}};
  slices.each(values, [&](Index i, std::vector<Value>& in) {
    b.phase("gather slice of " + in[0].name() + " over " + b.axis(names.col));
    auto Xi = b.all_gather(b.dynamic_slice(in[0], 2, i, 1), names.col, 1);
    b.phase("partial slice of " + b.product() + " = " + in[0].name() + "t " + in[1].name());
    auto Yi = slices.product(einsum("kgsb,kn->gsbn", Xi, in[1]));
    b.phase("scatter slice of " + b.product() + " over " + b.axis(names.row));
    Y.add(slices.scatter(b.reduce_scatter(Yi, names.row, 0)), i, in[2]);
  });
  const Value all = b.reshape(Y.all(values[2]), {whole / b.size(row), columns});
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

}  // namespace shardscope::inline strategy
