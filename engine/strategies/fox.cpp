// SPDX-License-Identifier: Apache-2.0
// G. C. Fox, S. W. Otto, A. J. G. Hey, "Matrix algorithms on a hypercube I: matrix multiplication", 1987
// (broadcast, multiply, roll): one diagonal of X after the other goes along its rows while W rolls up.
#include "engine/strategies/families.h"

namespace shardscope {
namespace {

Result<Program> fox(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("fox", {"row", "col"}, mesh, options));
  SpmdBuilder b("fox", mesh, p, roles);
  const int64_t q = b.size("row");
  b.require(q == b.size("col"), "needs a square mesh, got " + b.axis("row") + "=" + std::to_string(q) + ", " +
                                    b.axis("col") + "=" + std::to_string(b.size("col")));
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));

  Value Y, before;
  for (int t = 0; t < q; ++t) {
    b.step(t);
    b.after(before);  // room for two blocks of X and of W on their way
    b.phase("X(i,i+" + std::to_string(t) + ") along row i");
    auto X_diagonal = b.broadcast(X, "col", [&](const MeshPlace& at) { return (at["row"] + t) % q; });
    if (t > 0) {
      b.phase("W up by 1");
      W = b.shift(W, "row", -1);
    }
    b.phase("Y += X W");
    before = Y;
    Y = Y + matmul(X_diagonal, W);
  }
  return b.finish(Y, ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

}  // namespace

std::vector<Strategy> fox_strategies() {
  return {{"fox",
           {"bmr"},
           StrategyKind::matmul,
           "Broadcast a diagonal of X, multiply, roll W",
           "Fox, Otto & Hey 1987",
           {"rows = cols", "rows divide m", "rows divide k", "rows divide n"},
           {"axes"},
           {"row", "col"},
           fox}};
}

}  // namespace shardscope
