// SPDX-License-Identifier: Apache-2.0
// S. Wang et al., "Overlap communication with dependent computation via decomposition in large deep learning
// models", ASPLOS 2023: one of the two collectives becomes a ring whose hops overlap the partial products.
// Halves travel in both directions at once: `low` up the axis (to i+1), `high` down (to i-1).
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {

// X travels along col: after s hops a device holds the low half of X's block col-s and the high half of
// col+s.
Value wang_os(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t C = b.size(col), h = X.dim(1) / 2;
  b.require_even(k, X.dim(1) * C, col);
  W = b.all_gather(W, row, 0);
  const Index j = b.axis_index(col);
  const auto W_rows = [&](Index block, int64_t half) {
    return b.dynamic_slice(W, 0, (2 * block + half) * h, h);
  };

  b.phase(b.product() + " += " + X.name() + " " + W.name() + ", " + X.name() + " around " + b.axis(col));
  b.step(0);
  auto low = b.slice(X, 1, 0, h), high = b.slice(X, 1, h, h);
  Value Y;
  b.rounds(0, C, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) {
      low = b.shift(low, names.col, 1);
      high = b.shift(high, names.col, -1);
    }
    Y = Y + matmul(low, W_rows((j - s) % C, 0));
    Y = Y + matmul(high, W_rows((j + s) % C, 1));
  });
  b.end_steps();
  return Y;
}

// Y travels along col: an accumulator starts one hop past the device that it will reach last.
Value wang_ls(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t C = b.size(col), whole = W.dim(0) * b.size(row), h = whole / C / 2;
  b.require_divisible(n, whole, {col});
  b.require_even(n, whole, col);
  W = b.all_gather(W, row, 0);
  const Index j = b.axis_index(col);
  const auto product = [&](Index block, int64_t half) {
    return einsum("mk,nk->mn", X, b.dynamic_slice(W, 0, (2 * block + half) * h, h));
  };

  b.phase(b.product() + " += " + X.name() + " " + W.name() + "t, " + b.product() + " around " + b.axis(col));
  Value low, high;
  b.rounds(0, C, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) {
      low = b.shift(low, names.col, 1);
      high = b.shift(high, names.col, -1);
    }
    low = low + product((j - s - 1) % C, 0);
    high = high + product((j + s + 1) % C, 1);
  });
  const Value Y = b.concatenate({low, high}, 1);
  b.end_steps();
  return Y;
}

namespace {

// Y travels along row; X is gathered first.
Value wang_rs_osplit(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t R = b.size(row), whole = X.dim(1) * b.size(col), h = whole / R / 2;
  b.require_divisible(m, whole, {row});
  b.require_even(m, whole, row);
  X = b.all_gather(X, col, 1);
  const Index i = b.axis_index(row);
  const auto product = [&](Index block, int64_t half) {
    return einsum("km,kn->mn", b.dynamic_slice(X, 1, (2 * block + half) * h, h), W);
  };

  b.phase(b.product() + " += " + X.name() + "t " + W.name() + ", " + b.product() + " around " + b.axis(row));
  Value low, high;
  b.rounds(0, R, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) {
      low = b.shift(low, names.row, 1);
      high = b.shift(high, names.row, -1);
    }
    low = low + product((i - s - 1) % R, 0);
    high = high + product((i + s + 1) % R, 1);
  });
  const Value Y = b.concatenate({low, high}, 0);
  b.end_steps();
  return Y;
}

// X travels along col and fills the rows of the partial Y, which is scattered last.
Value wang_rs_isplit(SpmdBuilder& b, const StrategyOptions&, Value X, Value W, const ProductNames& names) {
  const auto& [m, k, n, row, col] = names;
  const int64_t C = b.size(col), whole = X.dim(1) * C, h = X.dim(1) / 2;
  b.require_divisible(m, whole, {row});
  b.require_even(m, whole, col);
  const Index j = b.axis_index(col);

  b.phase("partial " + b.product() + " = " + X.name() + "t " + W.name() + ", " + X.name() + " around " +
          b.axis(col));
  b.step(0);
  auto Y = b.zeros({whole, W.dim(1)});
  Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", X, W), 0, 2 * h * j);
  auto low = b.slice(X, 1, 0, h), high = b.slice(X, 1, h, h);
  b.rounds(1, C, [&](int64_t s) {
    b.step(static_cast<int>(s));
    low = b.shift(low, names.col, 1);
    high = b.shift(high, names.col, -1);
    Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", low, W), 0, 2 * h * ((j - s) % C));
    Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", high, W), 0, 2 * h * ((j + s) % C) + h);
  });
  b.end_steps();
  return b.reduce_scatter(Y, row, 0);
}

}  // namespace

// Overlap the larger traffic: a device sends (C-1) KM/p of X or MN/p of Y.
Value wang_rs(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W, const ProductNames& names) {
  const int64_t R = b.size(names.row), C = b.size(names.col);
  const auto sent_of_x = static_cast<double>(C - 1) * static_cast<double>(X.dim(0) * R);
  const auto sent_of_y = static_cast<double>(R - 1) * static_cast<double>(W.dim(1) * C);
  const bool isplit = sent_of_x >= sent_of_y;
  b.choice("variant", isplit ? "wang.rs.isplit" : "wang.rs.osplit");
  return (isplit ? wang_rs_isplit : wang_rs_osplit)(b, options, X, W, names);
}

std::vector<Strategy> wang_strategies() {
  const Family f{"Wang et al., ASPLOS 2023", {"row", "col"}};
  return {
      f.matmul({"wang.os"}, "Gather W, X travels both ways round the columns", single<Dataflow::os, wang_os>),
      f.matmul({"wang.ls", "wang.is"}, "Gather W, Y travels both ways round the columns",
               single<Dataflow::ls, wang_ls>),
      f.matmul({"wang.rs", "wang.ws"}, "The form of wang.rs that overlaps the larger traffic",
               single<Dataflow::rs, wang_rs>),
      f.matmul({"wang.rs.osplit", "wang.ws.osplit"}, "Gather X, Y travels both ways round the rows",
               single<Dataflow::rs, wang_rs_osplit>),
      f.matmul({"wang.rs.isplit", "wang.ws.isplit"}, "X travels both ways round the columns, scatter Y",
               single<Dataflow::rs, wang_rs_isplit>),
  };
}

}  // namespace shardscope::inline strategy
