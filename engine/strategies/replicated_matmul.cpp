// SPDX-License-Identifier: Apache-2.0
// Three mesh axes: the contraction is split over the third one, so that each layer sums a part of it.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

std::string got(const SpmdBuilder& b, std::string_view role) {
  return b.axis(role) + "=" + std::to_string(b.size(role));
}

// E. Solomonik, J. Demmel, "Communication-optimal parallel 2.5D matrix multiplication and LU factorization
// algorithms", Euro-Par 2011: X, W and Y live on layer 0; each of c layers gets copies, does q/c of Cannon's
// q steps, beginning with another one, and the layers' sums are added up.
Result<Program> matmul_2_5d(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("2.5d", {"row", "col", "depth"}, mesh, options));
  SpmdBuilder b("2.5d", mesh, p, roles);
  const int64_t q = b.size("row"), c = b.size("depth");
  b.require(q == b.size("col"),
            "needs a square mesh in every layer, got " + got(b, "row") + ", " + got(b, "col"));
  b.require(q % c == 0, b.axis("depth") + " must divide " + b.axis_count("row") + ", got " + got(b, "depth") +
                            ", " + b.axis_count("row") + "=" + std::to_string(q));
  b.home("depth", 0);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));
  const int64_t steps = q / c;
  b.choice("replication", std::to_string(c));

  b.phase("copies of X over " + b.axis("depth"));
  X = b.broadcast(X, "depth", 0);
  b.phase("copies of W over " + b.axis("depth"));
  W = b.broadcast(W, "depth", 0);
  // Layer l begins with Cannon's step l q/c.
  b.phase("skew X: row i left by i + l q/c");
  X = b.permute(X, [&](const MeshPlace& at) { return at.moved("col", -at["row"] - at["depth"] * steps); });
  b.phase("skew W: column j up by j + l q/c");
  W = b.permute(W, [&](const MeshPlace& at) { return at.moved("row", -at["col"] - at["depth"] * steps); });

  Value Y, before;
  for (int t = 0; t < steps; ++t) {
    b.step(t);
    if (t > 0) {
      b.after(before);  // one spare block of X and of W, as in Cannon's algorithm
      b.phase("X left by 1");
      X = b.shift(X, "col", -1);
      b.phase("W up by 1");
      W = b.shift(W, "row", -1);
    }
    b.phase("Y += X W");
    before = Y;
    Y = Y + matmul(X, W);
  }
  b.step(-1);
  b.after({});
  b.phase("sum of Y over " + b.axis("depth"));
  Y = b.reduce(Y, "depth", 0);
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

// R. C. Agarwal et al., "A three-dimensional approach to parallel matrix multiplication", IBM J. Res. Dev.
// 1995: one gather of X, one of W, one product, one scatter of Y, each over an axis of its own.
Result<Program> matmul_3d(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("3d", {"row", "col", "depth"}, mesh, options));
  SpmdBuilder b("3d", mesh, p, roles);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, {{{"row"}, {"depth", "col"}}});
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, {{{"depth", "row"}, {"col"}}});
  b.require_divisible("n", p.n, {"col", "depth"});

  b.phase("gather X over " + b.axis("col"));
  X = b.all_gather(X, "col", 1);
  b.phase("gather W over " + b.axis("row"));
  W = b.all_gather(W, "row", 0);
  b.phase("partial Y = X W");
  auto Y = matmul(X, W);
  b.phase("scatter Y over " + b.axis("depth"));
  Y = b.reduce_scatter(Y, "depth", 1);
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, {{{"row"}, {"col", "depth"}}});
}

}  // namespace

std::vector<Strategy> replicated_strategies() {
  return {{"2.5d",
           {},
           StrategyKind::matmul,
           "Cannon's steps shared out among layers that hold copies",
           "Solomonik & Demmel, Euro-Par 2011",
           {"rows = cols", "depth divides rows", "rows divide m", "rows divide k", "rows divide n"},
           {"axes"},
           {"row", "col", "depth"},
           matmul_2_5d},
          {"3d",
           {},
           StrategyKind::matmul,
           "Gather X and W, multiply, scatter Y, each over its own axis",
           "Agarwal et al. 1995",
           {"rows divide m", "cols*depth divide k", "rows*depth divide k", "cols divide n",
            "cols*depth divide n"},
           {"axes"},
           {"row", "col", "depth"},
           matmul_3d}};
}

}  // namespace shardscope
