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
int64_t panel_width(SpmdBuilder& b, const StrategyOptions& options, const std::string& size, int64_t whole) {
  const int64_t of_col = whole / b.size("col"), of_row = whole / b.size("row");
  const int64_t extent = std::gcd(of_col, of_row);
  int64_t width = options.block.value_or(std::min(extent, kWidestPanel));
  b.limit(options.block.value_or(1) >= 1, "block must be positive, got " + std::to_string(width));
  if (!b.ok()) return 1;
  while (!options.block && extent % width != 0) --width;
  const std::string cols = size + "/" + b.axis_count("col"), rows = size + "/" + b.axis_count("row");
  b.require(extent % width == 0, "block must divide " + cols + " and " + rows +
                                     ", got block=" + std::to_string(width) + ", " + cols + "=" +
                                     std::to_string(of_col) + ", " + rows + "=" + std::to_string(of_row));
  b.choice("block", std::to_string(width));
  return b.ok() ? width : 1;
}

// From panels along `dim` that only their owners have summed up, each device takes those of its own
// coordinate.
Value own_panels(SpmdBuilder& b, const std::vector<Value>& panels, size_t dim, std::string_view role) {
  b.end_steps();
  if (!b.ok()) return {};
  b.phase("own panels of Y");
  const Value all = b.concatenate(panels, dim);
  const int64_t own = all.dim(dim) / b.size(role);
  return b.dynamic_slice(all, dim, own * b.axis_index(role), own);
}

// Y stays: columns k0.. of X go along the rows of devices, rows k0.. of W along the columns.
Result<Program> summa_os(SpmdBuilder& b, const StrategyOptions& options) {
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  const int64_t kc = X.dim(1), kr = W.dim(0), width = panel_width(b, options, "k", b.problem().k);

  Value Y;
  for (int64_t k = 0; b.ok() && k < b.problem().k; k += width) {
    b.step(static_cast<int>(k / width), Y);
    b.phase("panel of X from column " + std::to_string(k / kc));
    auto X_panel = b.broadcast(b.slice(X, 1, k % kc, width), "col", k / kc);
    b.phase("panel of W from row " + std::to_string(k / kr));
    auto W_panel = b.broadcast(b.slice(W, 0, k % kr, width), "row", k / kr);
    b.phase("Y += panels of X W");
    Y = Y + matmul(X_panel, W_panel);
  }
  return b.finish(Y, P("row", "col"));
}

// X stays, W is stored [n,k]: rows n0.. of W go along the columns of devices, columns n0.. of Y are summed up
// where they belong.
Result<Program> summa_ls(SpmdBuilder& b, const StrategyOptions& options) {
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("nk", P("row", "col"));
  b.require_divisible("n", b.problem().n, {"col"});
  const int64_t nr = W.dim(0), nc = b.problem().n / b.size("col"),
                width = panel_width(b, options, "n", b.problem().n);

  std::vector<Value> Y;
  Value part;
  for (int64_t n = 0; b.ok() && n < b.problem().n; n += width) {
    b.step(static_cast<int>(n / width), part);
    b.phase("panel of W from row " + std::to_string(n / nr));
    auto W_panel = b.broadcast(b.slice(W, 0, n % nr, width), "row", n / nr);
    b.phase("partial panel of Y = X Wt");
    part = einsum("mk,nk->mn", X, W_panel);
    b.phase("sum of Y to column " + std::to_string(n / nc));
    Y.push_back(b.reduce(part, "col", n / nc));
  }
  return b.finish(own_panels(b, Y, 1, "col"), P("row", "col"));
}

// W stays, X is stored [k,m]: columns m0.. of X go along the rows of devices, rows m0.. of Y are summed up
// where they belong.
Result<Program> summa_rs(SpmdBuilder& b, const StrategyOptions& options) {
  auto X = b.lhs("km", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  b.require_divisible("m", b.problem().m, {"row"});
  const int64_t mc = X.dim(1), mr = b.problem().m / b.size("row"),
                width = panel_width(b, options, "m", b.problem().m);

  std::vector<Value> Y;
  Value part;
  for (int64_t m = 0; b.ok() && m < b.problem().m; m += width) {
    b.step(static_cast<int>(m / width), part);
    b.phase("panel of X from column " + std::to_string(m / mc));
    auto X_panel = b.broadcast(b.slice(X, 1, m % mc, width), "col", m / mc);
    b.phase("partial panel of Y = Xt W");
    part = einsum("km,kn->mn", X_panel, W);
    b.phase("sum of Y to row " + std::to_string(m / mr));
    Y.push_back(b.reduce(part, "row", m / mr));
  }
  return b.finish(own_panels(b, Y, 0, "row"), P("row", "col"));
}

}  // namespace

std::vector<Strategy> summa_strategies() {
  const Family f{"SUMMA, van de Geijn & Watts 1997", {"row", "col"}, {"block"}};
  return {
      f.matmul({"summa.os", "summa"}, "Broadcast panels of X and W, multiply; Y stays", summa_os),
      f.matmul({"summa.ls", "summa.is"}, "Broadcast panels of W, sum panels of Y; X stays", summa_ls),
      f.matmul({"summa.rs", "summa.ws"}, "Broadcast panels of X, sum panels of Y; W stays", summa_rs),
  };
}

}  // namespace shardscope
