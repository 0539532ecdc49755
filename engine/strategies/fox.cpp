// SPDX-License-Identifier: Apache-2.0
// G. C. Fox, S. W. Otto, A. J. G. Hey, "Matrix algorithms on a hypercube I: matrix multiplication", 1987
// (broadcast, multiply, roll): one diagonal of X after the other goes along its rows while W rolls up.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

Result<Program> fox(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t q = b.require_square();
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));

  Value Y;
  for (int t = 0; t < q; ++t) {
    b.step(t, Y);  // room for two blocks of X and of W on their way
    const auto diagonal = [&](const MeshPlace& at) { return (at["row"] + t) % q; };
    auto X_diagonal = b.broadcast(X, "col", diagonal, "X(i,i+" + std::to_string(t) + ") along row i");
    if (t > 0) W = b.shift(W, "row", -1);
    Y = Y + matmul(X_diagonal, W);
  }
  return b.finish(Y, P("row", "col"));
}

}  // namespace

std::vector<Strategy> fox_strategies() {
  const Family f{"Fox, Otto & Hey 1987", {"row", "col"}};
  return {f.matmul({"fox", "bmr"}, "Broadcast a diagonal of X, multiply, roll W", fox)};
}

}  // namespace shardscope::inline strategy
