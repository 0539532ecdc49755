// SPDX-License-Identifier: Apache-2.0
// S. Wang et al., "Overlap communication with dependent computation via decomposition in large deep learning
// models", ASPLOS 2023: one of the two collectives becomes a ring whose hops overlap the partial products.
// Halves travel in both directions at once: `low` up the axis (to i+1), `high` down (to i-1).
#include "engine/strategies/dataflows.h"
#include "engine/strategies/families.h"

namespace shardscope {

// X travels along col: after s hops a device holds the low half of X's block col-s and the high half of
// col+s.
Value wang_os(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t C = b.size(col);
  b.require_even(k, X.dim(1) * C, col);

  b.phase("gather " + w + " over " + b.axis(row));
  W = b.all_gather(W, row, 0);
  const int64_t h = X.dim(1) / 2;
  const Index j = b.axis_index(col);
  const auto W_rows = [&](Index block, int64_t half) {
    return b.dynamic_slice(W, 0, (2 * block + half) * h, h);
  };

  const int first = b.next_step();
  b.phase(y + " += " + x + " " + w + ", " + x + " around " + b.axis(col));
  b.step(first);
  auto low = b.slice(X, 1, 0, h), high = b.slice(X, 1, h, h);
  auto Y = matmul(low, W_rows(j, 0));
  Y = Y + matmul(high, W_rows(j, 1));
  for (int s = 1; s < C; ++s) {
    b.step(first + s);
    low = b.shift(low, col, 1);
    high = b.shift(high, col, -1);
    Y = Y + matmul(low, W_rows((j - s) % C, 0));
    Y = Y + matmul(high, W_rows((j + s) % C, 1));
  }
  b.step(-1);
  return Y;
}

// Y travels along col: an accumulator starts one hop past the device that it will reach last.
Value wang_ls(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t C = b.size(col), whole = W.dim(0) * b.size(row);
  b.require_divisible(n, whole, {col});
  b.require_even(n, whole, col);

  b.phase("gather " + w + " over " + b.axis(row));
  W = b.all_gather(W, row, 0);
  const int64_t h = whole / C / 2;
  const Index j = b.axis_index(col);
  const auto product = [&](Index block, int64_t half) {
    return einsum("mk,nk->mn", X, b.dynamic_slice(W, 0, (2 * block + half) * h, h));
  };

  const int first = b.next_step();
  b.phase(y + " += " + x + " " + w + "t, " + y + " around " + b.axis(col));
  b.step(first);
  auto low = product((j - 1) % C, 0), high = product((j + 1) % C, 1);
  for (int s = 1; s < C; ++s) {
    b.step(first + s);
    low = b.shift(low, col, 1);
    high = b.shift(high, col, -1);
    low = low + product((j - s - 1) % C, 0);
    high = high + product((j + s + 1) % C, 1);
  }
  const Value Y = b.concatenate({low, high}, 1);
  b.step(-1);
  return Y;
}

namespace {

// Y travels along row; X is gathered first.
Value wang_rs_osplit(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t R = b.size(row), whole = X.dim(1) * b.size(col);
  b.require_divisible(m, whole, {row});
  b.require_even(m, whole, row);

  b.phase("gather " + x + " over " + b.axis(col));
  X = b.all_gather(X, col, 1);
  const int64_t h = whole / R / 2;
  const Index i = b.axis_index(row);
  const auto product = [&](Index block, int64_t half) {
    return einsum("km,kn->mn", b.dynamic_slice(X, 1, (2 * block + half) * h, h), W);
  };

  const int first = b.next_step();
  b.phase(y + " += " + x + "t " + w + ", " + y + " around " + b.axis(row));
  b.step(first);
  auto low = product((i - 1) % R, 0), high = product((i + 1) % R, 1);
  for (int s = 1; s < R; ++s) {
    b.step(first + s);
    low = b.shift(low, row, 1);
    high = b.shift(high, row, -1);
    low = low + product((i - s - 1) % R, 0);
    high = high + product((i + s + 1) % R, 1);
  }
  const Value Y = b.concatenate({low, high}, 0);
  b.step(-1);
  return Y;
}

// X travels along col and fills the rows of the partial Y, which is scattered last.
Value wang_rs_isplit(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const auto& [x, w, y, m, k, n, row, col] = names;
  const int64_t C = b.size(col), whole = X.dim(1) * C;
  b.require_divisible(m, whole, {row});
  b.require_even(m, whole, col);

  const int64_t h = X.dim(1) / 2;
  const Index j = b.axis_index(col);
  const int first = b.next_step();
  b.phase("partial " + y + " = " + x + "t " + w + ", " + x + " around " + b.axis(col));
  b.step(first);
  auto Y = b.zeros({whole, W.dim(1)});
  Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", X, W), 0, 2 * h * j);
  auto low = b.slice(X, 1, 0, h), high = b.slice(X, 1, h, h);
  for (int s = 1; s < C; ++s) {
    b.step(first + s);
    low = b.shift(low, col, 1);
    high = b.shift(high, col, -1);
    Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", low, W), 0, 2 * h * ((j - s) % C));
    Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", high, W), 0, 2 * h * ((j + s) % C) + h);
  }
  b.step(-1);
  b.phase("scatter " + y + " over " + b.axis(row));
  return b.reduce_scatter(Y, row, 0);
}

}  // namespace

// Overlap the larger traffic: a device sends (C-1) KM/p of X or MN/p of Y.
Value wang_rs(SpmdBuilder& b, Value X, Value W, const ProductNames& names) {
  const int64_t R = b.size(names.row), C = b.size(names.col);
  const auto sent_of_x = static_cast<double>(C - 1) * static_cast<double>(X.dim(0) * R);
  const auto sent_of_y = static_cast<double>(R - 1) * static_cast<double>(W.dim(1) * C);
  const bool isplit = sent_of_x >= sent_of_y;
  b.choice(choice_name("variant", names), isplit ? "wang.rs.isplit" : "wang.rs.osplit");
  return isplit ? wang_rs_isplit(b, X, W, names) : wang_rs_osplit(b, X, W, names);
}

namespace {

using WangProduct = Value (*)(SpmdBuilder&, Value, Value, const ProductNames&);

template <WangProduct product>
Result<Program> plan_wang(const char* id, Dataflow dataflow, const Mesh& mesh, const MatmulProblem& p,
                          const StrategyOptions& options) {
  return single_product(id, dataflow, mesh, p, options,
                        [](SpmdBuilder& b, Value X, Value W) { return product(b, X, W, {}); });
}

Result<Program> plan_wang_os(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return plan_wang<wang_os>("wang.os", Dataflow::os, mesh, p, options);
}
Result<Program> plan_wang_ls(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return plan_wang<wang_ls>("wang.ls", Dataflow::ls, mesh, p, options);
}
Result<Program> plan_wang_rs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  return plan_wang<wang_rs>("wang.rs", Dataflow::rs, mesh, p, options);
}
Result<Program> plan_wang_rs_osplit(const Mesh& mesh, const MatmulProblem& p,
                                    const StrategyOptions& options) {
  return plan_wang<wang_rs_osplit>("wang.rs.osplit", Dataflow::rs, mesh, p, options);
}
Result<Program> plan_wang_rs_isplit(const Mesh& mesh, const MatmulProblem& p,
                                    const StrategyOptions& options) {
  return plan_wang<wang_rs_isplit>("wang.rs.isplit", Dataflow::rs, mesh, p, options);
}

}  // namespace

std::vector<Strategy> wang_strategies() {
  const std::string_view paper = "Wang et al., ASPLOS 2023";
  return {
      {"wang.os",
       {},
       StrategyKind::matmul,
       "Gather W, X travels both ways round the columns",
       paper,
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n", "k/cols even"},
       {"axes"},
       {"row", "col"},
       plan_wang_os},
      {"wang.ls",
       {"wang.is"},
       StrategyKind::matmul,
       "Gather W, Y travels both ways round the columns",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n", "n/cols even"},
       {"axes"},
       {"row", "col"},
       plan_wang_ls},
      {"wang.rs",
       {"wang.ws"},
       StrategyKind::matmul,
       "The form of wang.rs that overlaps the larger traffic",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n",
        "m/cols even (isplit) or m/rows even (osplit)"},
       {"axes"},
       {"row", "col"},
       plan_wang_rs},
      {"wang.rs.osplit",
       {"wang.ws.osplit"},
       StrategyKind::matmul,
       "Gather X, Y travels both ways round the rows",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n", "m/rows even"},
       {"axes"},
       {"row", "col"},
       plan_wang_rs_osplit},
      {"wang.rs.isplit",
       {"wang.ws.isplit"},
       StrategyKind::matmul,
       "X travels both ways round the columns, scatter Y",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n", "m/cols even"},
       {"axes"},
       {"row", "col"},
       plan_wang_rs_isplit},
  };
}

}  // namespace shardscope
