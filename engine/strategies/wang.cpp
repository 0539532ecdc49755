// SPDX-License-Identifier: Apache-2.0
// S. Wang et al., "Overlap communication with dependent computation via decomposition in large deep learning
// models", ASPLOS 2023: one of the two collectives becomes a ring whose hops overlap the partial products.
// Halves travel in both directions at once: `low` up the axis (to i+1), `high` down (to i-1).
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

// X travels along col: after s hops a device holds the low half of X's block col-s and the high half of
// col+s.
Result<Program> wang_os(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("wang.os", {"row", "col"}, mesh, options));
  SpmdBuilder b("wang.os", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_even("k", p.k, "col");

  b.phase("gather W over " + b.axis("row"));
  W = b.all_gather(W, "row", 0);
  const int64_t h = X.dim(1) / 2, C = b.size("col");
  const Index col = b.axis_index("col");
  const auto W_rows = [&](Index block, int64_t half) {
    return b.dynamic_slice(W, 0, (2 * block + half) * h, h);
  };

  b.phase("Y += X W, X around " + b.axis("col"));
  b.step(0);
  auto low = b.slice(X, 1, 0, h), high = b.slice(X, 1, h, h);
  auto Y = matmul(low, W_rows(col, 0));
  Y = Y + matmul(high, W_rows(col, 1));
  for (int s = 1; s < C; ++s) {
    b.step(s);
    low = b.shift(low, "col", 1);
    high = b.shift(high, "col", -1);
    Y = Y + matmul(low, W_rows((col - s) % C, 0));
    Y = Y + matmul(high, W_rows((col + s) % C, 1));
  }
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// Y travels along col: an accumulator starts one hop past the device that it will reach last.
Result<Program> wang_ls(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("wang.ls", {"row", "col"}, mesh, options));
  SpmdBuilder b("wang.ls", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.n, p.k}, P("row", "col"), /*transposed=*/true);
  b.require_divisible("n", p.n, {"col"});
  b.require_even("n", p.n, "col");

  b.phase("gather W over " + b.axis("row"));
  W = b.all_gather(W, "row", 0);
  const int64_t C = b.size("col"), h = p.n / C / 2;
  const Index col = b.axis_index("col");
  const auto product = [&](Index block, int64_t half) {
    return einsum("mk,nk->mn", X, b.dynamic_slice(W, 0, (2 * block + half) * h, h));
  };

  b.phase("Y += X Wt, Y around " + b.axis("col"));
  b.step(0);
  auto low = product((col - 1) % C, 0), high = product((col + 1) % C, 1);
  for (int s = 1; s < C; ++s) {
    b.step(s);
    low = b.shift(low, "col", 1);
    high = b.shift(high, "col", -1);
    low = low + product((col - s - 1) % C, 0);
    high = high + product((col + s + 1) % C, 1);
  }
  return b.finish(b.concatenate({low, high}, 1), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// Y travels along row; X is gathered first.
Result<Program> wang_rs_osplit(SpmdBuilder& b, const MatmulProblem& p) {
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", "col"), /*transposed=*/true);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_divisible("m", p.m, {"row"});
  b.require_even("m", p.m, "row");

  b.phase("gather X over " + b.axis("col"));
  X = b.all_gather(X, "col", 1);
  const int64_t R = b.size("row"), h = p.m / R / 2;
  const Index row = b.axis_index("row");
  const auto product = [&](Index block, int64_t half) {
    return einsum("km,kn->mn", b.dynamic_slice(X, 1, (2 * block + half) * h, h), W);
  };

  b.phase("Y += Xt W, Y around " + b.axis("row"));
  b.step(0);
  auto low = product((row - 1) % R, 0), high = product((row + 1) % R, 1);
  for (int s = 1; s < R; ++s) {
    b.step(s);
    low = b.shift(low, "row", 1);
    high = b.shift(high, "row", -1);
    low = low + product((row - s - 1) % R, 0);
    high = high + product((row + s + 1) % R, 1);
  }
  return b.finish(b.concatenate({low, high}, 0), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// X travels along col and fills the rows of the partial Y, which is scattered last.
Result<Program> wang_rs_isplit(SpmdBuilder& b, const MatmulProblem& p) {
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", "col"), /*transposed=*/true);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_divisible("m", p.m, {"row"});
  b.require_even("m", p.m, "col");

  const int64_t h = X.dim(1) / 2, C = b.size("col");
  const Index col = b.axis_index("col");
  b.phase("partial Y = Xt W, X around " + b.axis("col"));
  b.step(0);
  auto Y = b.zeros({p.m, W.dim(1)});
  Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", X, W), 0, 2 * h * col);
  auto low = b.slice(X, 1, 0, h), high = b.slice(X, 1, h, h);
  for (int s = 1; s < C; ++s) {
    b.step(s);
    low = b.shift(low, "col", 1);
    high = b.shift(high, "col", -1);
    Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", low, W), 0, 2 * h * ((col - s) % C));
    Y = b.dynamic_update_slice(Y, einsum("km,kn->mn", high, W), 0, 2 * h * ((col + s) % C) + h);
  }
  b.step(-1);
  b.phase("scatter Y over " + b.axis("row"));
  return b.finish(b.reduce_scatter(Y, "row", 0), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// Overlap the larger traffic: a device sends (C-1) KM/p of X or MN/p of Y.
Result<Program> wang_rs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("wang.rs", {"row", "col"}, mesh, options));
  SpmdBuilder b("wang.rs", mesh, p, roles);
  const auto sent_of_x = static_cast<double>(b.size("col") - 1) * static_cast<double>(p.k);
  const auto sent_of_y = static_cast<double>(b.size("row") - 1) * static_cast<double>(p.n);
  const bool isplit = sent_of_x >= sent_of_y;
  b.choice("variant", isplit ? "wang.rs.isplit" : "wang.rs.osplit");
  return isplit ? wang_rs_isplit(b, p) : wang_rs_osplit(b, p);
}

template <Result<Program> (*variant)(SpmdBuilder&, const MatmulProblem&), bool isplit>
Result<Program> wang_rs_variant(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  const char* id = isplit ? "wang.rs.isplit" : "wang.rs.osplit";
  TRY(auto roles, assign_roles(id, {"row", "col"}, mesh, options));
  SpmdBuilder b(id, mesh, p, roles);
  return variant(b, p);
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
       wang_os},
      {"wang.ls",
       {"wang.is"},
       StrategyKind::matmul,
       "Gather W, Y travels both ways round the columns",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n", "n/cols even"},
       {"axes"},
       {"row", "col"},
       wang_ls},
      {"wang.rs",
       {"wang.ws"},
       StrategyKind::matmul,
       "The form of wang.rs that overlaps the larger traffic",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n",
        "m/cols even (isplit) or m/rows even (osplit)"},
       {"axes"},
       {"row", "col"},
       wang_rs},
      {"wang.rs.osplit",
       {"wang.ws.osplit"},
       StrategyKind::matmul,
       "Gather X, Y travels both ways round the rows",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n", "m/rows even"},
       {"axes"},
       {"row", "col"},
       wang_rs_variant<wang_rs_osplit, false>},
      {"wang.rs.isplit",
       {"wang.ws.isplit"},
       StrategyKind::matmul,
       "X travels both ways round the columns, scatter Y",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n", "m/cols even"},
       {"axes"},
       {"row", "col"},
       wang_rs_variant<wang_rs_isplit, true>},
  };
}

}  // namespace shardscope
