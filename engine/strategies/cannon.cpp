// SPDX-License-Identifier: Apache-2.0
// L. E. Cannon, "A cellular computer to implement the Kalman filter algorithm", 1969: blocks are skewed so
// that those that meet on a device belong together, then they move on by one device a step. Two of the three
// matrices travel and the third stays. A device sends to its left and upper neighbour, so that it receives
// from the right and from below. There is one spare block of what travels: what arrives for step t takes the
// place of what step t-2 used.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

void require_square(SpmdBuilder& b) {
  b.require(b.size("row") == b.size("col"), "needs a square mesh, got " + b.axis("row") + "=" +
                                                std::to_string(b.size("row")) + ", " + b.axis("col") + "=" +
                                                std::to_string(b.size("col")));
}

// Y stays. After the skew device (i,j) holds X(i,i+j) and W(i+j,j).
Result<Program> cannon_os(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("cannon.os", {"row", "col"}, mesh, options));
  SpmdBuilder b("cannon.os", mesh, p, roles);
  require_square(b);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));

  b.phase("skew X: row i left by i");
  X = b.permute(X, [](const MeshPlace& at) { return at.moved("col", -at["row"]); });
  b.phase("skew W: column j up by j");
  W = b.permute(W, [](const MeshPlace& at) { return at.moved("row", -at["col"]); });

  Value Y, before;
  for (int t = 0; t < b.size("row"); ++t) {
    b.step(t);
    if (t > 0) {
      b.after(before);
      b.phase("X left by 1");
      X = b.shift(X, "col", -1);
      b.phase("W up by 1");
      W = b.shift(W, "row", -1);
    }
    b.phase("Y += X W");
    before = Y;
    Y = Y + matmul(X, W);
  }
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// X stays, W is stored [n,k]. Device (i,j) holds W(i+j,j) and adds to Y(i,i+j); W and Y move on together.
Result<Program> cannon_ls(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("cannon.ls", {"row", "col"}, mesh, options));
  SpmdBuilder b("cannon.ls", mesh, p, roles);
  require_square(b);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.n, p.k}, P("row", "col"), /*transposed=*/true);

  b.phase("skew W: column j up by j");
  W = b.permute(W, [](const MeshPlace& at) { return at.moved("row", -at["col"]); });

  Value Y, before;
  for (int t = 0; t < b.size("row"); ++t) {
    b.step(t);
    if (t > 0) {
      b.after(before);
      b.phase("W up by 1");
      W = b.shift(W, "row", -1);
      b.phase("Y left by 1");
      Y = b.shift(Y, "col", -1);
    }
    b.phase("Y += X Wt");
    before = Y;
    Y = Y + einsum("mk,nk->mn", X, W);
  }
  // The last step has left Y(i,i+j-1) on device (i,j).
  b.step(-1);
  b.after({});
  b.phase("unskew Y: row i right by i-1");
  Y = b.permute(Y, [](const MeshPlace& at) { return at.moved("col", at["row"] - 1); });
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// W stays, X is stored [k,m]. Device (i,j) holds X(i,i+j) and adds to Y(i+j,j); X and Y move on together.
Result<Program> cannon_rs(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("cannon.rs", {"row", "col"}, mesh, options));
  SpmdBuilder b("cannon.rs", mesh, p, roles);
  require_square(b);
  auto X = b.input(ArrayRole::lhs, {p.k, p.m}, P("row", "col"), /*transposed=*/true);
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));

  b.phase("skew X: row i left by i");
  X = b.permute(X, [](const MeshPlace& at) { return at.moved("col", -at["row"]); });

  Value Y, before;
  for (int t = 0; t < b.size("row"); ++t) {
    b.step(t);
    if (t > 0) {
      b.after(before);
      b.phase("X left by 1");
      X = b.shift(X, "col", -1);
      b.phase("Y up by 1");
      Y = b.shift(Y, "row", -1);
    }
    b.phase("Y += Xt W");
    before = Y;
    Y = Y + einsum("km,kn->mn", X, W);
  }
  b.step(-1);
  b.after({});
  b.phase("unskew Y: column j down by j-1");
  Y = b.permute(Y, [](const MeshPlace& at) { return at.moved("row", at["col"] - 1); });
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// As cannon.os, in halves of the blocks along k: the low ones move left and up, the high ones right and down,
// so that both directions of every link are used.
Result<Program> cannon_bidirectional(const Mesh& mesh, const MatmulProblem& p,
                                     const StrategyOptions& options) {
  TRY(auto roles, assign_roles("cannon.bidirectional", {"row", "col"}, mesh, options));
  SpmdBuilder b("cannon.bidirectional", mesh, p, roles);
  require_square(b);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  b.require_even("k", p.k, "col");

  b.phase("skew X: row i left by i");
  X = b.permute(X, [](const MeshPlace& at) { return at.moved("col", -at["row"]); });
  b.phase("skew W: column j up by j");
  W = b.permute(W, [](const MeshPlace& at) { return at.moved("row", -at["col"]); });
  const int64_t h = X.dim(1) / 2;
  auto X_low = b.slice(X, 1, 0, h), X_high = b.slice(X, 1, h, h);
  auto W_low = b.slice(W, 0, 0, h), W_high = b.slice(W, 0, h, h);

  Value Y, before;
  for (int t = 0; t < b.size("row"); ++t) {
    b.step(t);
    if (t > 0) {
      b.after(before);
      b.phase("halves of X left and right by 1");
      X_low = b.shift(X_low, "col", -1);
      X_high = b.shift(X_high, "col", 1);
      b.phase("halves of W up and down by 1");
      W_low = b.shift(W_low, "row", -1);
      W_high = b.shift(W_high, "row", 1);
    }
    b.phase("Y += X W");
    before = Y;
    Y = Y + matmul(X_low, W_low);
    Y = Y + matmul(X_high, W_high);
  }
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

}  // namespace

std::vector<Strategy> cannon_strategies() {
  const std::string_view paper = "Cannon 1969";
  const std::vector<std::string_view> options = {"axes"}, roles = {"row", "col"};
  return {
      {"cannon.os",
       {"cannon"},
       StrategyKind::matmul,
       "Skew X and W, then shift them round the torus; Y stays",
       paper,
       {"rows = cols", "rows divide m", "rows divide k", "rows divide n"},
       options,
       roles,
       cannon_os},
      {"cannon.ls",
       {"cannon.is"},
       StrategyKind::matmul,
       "W and Y travel round the torus; X stays",
       paper,
       {"rows = cols", "rows divide m", "rows divide k", "rows divide n"},
       options,
       roles,
       cannon_ls},
      {"cannon.rs",
       {"cannon.ws"},
       StrategyKind::matmul,
       "X and Y travel round the torus; W stays",
       paper,
       {"rows = cols", "rows divide m", "rows divide k", "rows divide n"},
       options,
       roles,
       cannon_rs},
      {"cannon.bidirectional",
       {},
       StrategyKind::matmul,
       "Cannon in halves that travel both ways",
       "Cannon 1969, halves as in Wang et al., ASPLOS 2023",
       {"rows = cols", "rows divide m", "rows divide n", "rows divide k", "k/cols even"},
       options,
       roles,
       cannon_bidirectional},
  };
}

}  // namespace shardscope
