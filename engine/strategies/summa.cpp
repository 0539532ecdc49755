// SPDX-License-Identifier: Apache-2.0
// R. A. van de Geijn, J. Watts, "SUMMA: scalable universal matrix multiplication algorithm", 1997: the
// contraction (or a dimension of Y) goes by in panels of b; whoever owns a panel broadcasts it. Room for two
// panels of each kind: those of step s take the place of those of step s-2.
#include <algorithm>
#include <numeric>

#include "engine/strategies/families.h"

namespace shardscope {
namespace {

constexpr int64_t kWidestPanel = 512;

// A panel must lie on one device, so b divides both local extents. What the user leaves open is the widest
// legal b <= 512.
int64_t panel_width(SpmdBuilder& b, const StrategyOptions& options, const char* what, int64_t rows,
                    int64_t cols) {
  const int64_t extent = std::gcd(rows, cols);
  b.require(options.block.value_or(1) >= 1,
            "block must be positive, got " + std::to_string(options.block.value_or(1)));
  if (!b.ok()) return 1;
  int64_t width = options.block.value_or(std::min(extent, kWidestPanel));
  if (!options.block) {
    while (extent % width != 0) --width;
  }
  const std::string of_cols = what + ("/" + b.axis_count("col")),
                    of_rows = what + ("/" + b.axis_count("row"));
  b.require(extent % width == 0, "block must divide " + of_cols + " and " + of_rows +
                                     ", got block=" + std::to_string(width) + ", " + of_cols + "=" +
                                     std::to_string(cols) + ", " + of_rows + "=" + std::to_string(rows));
  b.choice("block", std::to_string(width));
  return b.ok() ? width : 1;
}

// From panels along `dim` that only their owners have summed up, each device takes those of its own
// coordinate.
Value own_panels(SpmdBuilder& b, const std::vector<Value>& panels, size_t dim, std::string_view role) {
  if (!b.ok()) return {};
  const Value all = b.concatenate(panels, dim);
  const int64_t own = all.dim(dim) / b.size(role);
  return b.dynamic_slice(all, dim, own * b.axis_index(role), own);
}

// Y stays: columns k0.. of X go along the rows of devices, rows k0.. of W along the columns.
Result<Program> summa_os(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("summa.os", {"row", "col"}, mesh, options));
  SpmdBuilder b("summa.os", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  const int64_t kc = X.dim(1), kr = W.dim(0);
  const int64_t width = panel_width(b, options, "k", kr, kc);

  Value Y, before;
  for (int64_t k = 0; b.ok() && k < p.k; k += width) {
    b.step(static_cast<int>(k / width));
    b.after(before);
    b.phase("panel of X from column " + std::to_string(k / kc));
    auto X_panel = b.broadcast(b.slice(X, 1, k % kc, width), "col", k / kc);
    b.phase("panel of W from row " + std::to_string(k / kr));
    auto W_panel = b.broadcast(b.slice(W, 0, k % kr, width), "row", k / kr);
    b.phase("Y += panels of X W");
    before = Y;
    Y = Y + matmul(X_panel, W_panel);
  }
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// X stays, W is stored [n,k]: rows n0.. of W go along the columns of devices, columns n0.. of Y are summed up
// where they belong.
Result<Program> summa_ls(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("summa.ls", {"row", "col"}, mesh, options));
  SpmdBuilder b("summa.ls", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.n, p.k}, P("row", "col"), /*transposed=*/true);
  b.require_divisible("n", p.n, {"col"});
  const int64_t nr = W.dim(0), nc = p.n / b.size("col");
  const int64_t width = panel_width(b, options, "n", nr, nc);

  std::vector<Value> Y;
  Value part, before;
  for (int64_t n = 0; b.ok() && n < p.n; n += width) {
    b.step(static_cast<int>(n / width));
    b.after(before);
    b.phase("panel of W from row " + std::to_string(n / nr));
    auto W_panel = b.broadcast(b.slice(W, 0, n % nr, width), "row", n / nr);
    b.phase("partial panel of Y = X Wt");
    before = part;
    part = einsum("mk,nk->mn", X, W_panel);
    b.phase("sum of Y to column " + std::to_string(n / nc));
    Y.push_back(b.reduce(part, "col", n / nc));
  }
  b.step(-1);
  b.phase("own panels of Y");
  return b.finish(own_panels(b, Y, 1, "col"), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// W stays, X is stored [k,m]: columns m0.. of X go along the rows of devices, rows m0.. of Y are summed up
// where they belong.
Result<Program> summa_rs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("summa.rs", {"row", "col"}, mesh, options));
  SpmdBuilder b("summa.rs", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", "col"), /*transposed=*/true);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_divisible("m", p.m, {"row"});
  const int64_t mc = X.dim(1), mr = p.m / b.size("row");
  const int64_t width = panel_width(b, options, "m", mr, mc);

  std::vector<Value> Y;
  Value part, before;
  for (int64_t m = 0; b.ok() && m < p.m; m += width) {
    b.step(static_cast<int>(m / width));
    b.after(before);
    b.phase("panel of X from column " + std::to_string(m / mc));
    auto X_panel = b.broadcast(b.slice(X, 1, m % mc, width), "col", m / mc);
    b.phase("partial panel of Y = Xt W");
    before = part;
    part = einsum("km,kn->mn", X_panel, W);
    b.phase("sum of Y to row " + std::to_string(m / mr));
    Y.push_back(b.reduce(part, "row", m / mr));
  }
  b.step(-1);
  b.phase("own panels of Y");
  return b.finish(own_panels(b, Y, 0, "row"), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

}  // namespace

std::vector<Strategy> summa_strategies() {
  const std::string_view paper = "SUMMA, van de Geijn & Watts 1997";
  return {
      {"summa.os",
       {"summa"},
       StrategyKind::matmul,
       "Broadcast panels of X and W, multiply; Y stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide k", "cols divide n",
        "block divides k/cols and k/rows"},
       {"axes", "block"},
       {"row", "col"},
       summa_os},
      {"summa.ls",
       {"summa.is"},
       StrategyKind::matmul,
       "Broadcast panels of W, sum panels of Y; X stays",
       paper,
       {"rows divide m", "cols divide k", "rows divide n", "cols divide n",
        "block divides n/rows and n/cols"},
       {"axes", "block"},
       {"row", "col"},
       summa_ls},
      {"summa.rs",
       {"summa.ws"},
       StrategyKind::matmul,
       "Broadcast panels of X, sum panels of Y; W stays",
       paper,
       {"rows divide k", "cols divide m", "rows divide m", "cols divide n",
        "block divides m/cols and m/rows"},
       {"axes", "block"},
       {"row", "col"},
       summa_rs},
  };
}

}  // namespace shardscope
