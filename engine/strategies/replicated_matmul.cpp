// SPDX-License-Identifier: Apache-2.0
// Three mesh axes: the contraction is split over the third one, so that each layer sums a part of it.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// E. Solomonik, J. Demmel, "Communication-optimal parallel 2.5D matrix multiplication and LU factorization
// algorithms", Euro-Par 2011: X, W and Y live on layer 0; each of c layers gets copies, does q/c of Cannon's
// q steps, beginning with another one, and the layers' sums are added up.
Result<Program> matmul_2_5d(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t q = b.require_square(" in every layer"), c = b.size("depth"), steps = q / c;
  const std::string depth = b.axis("depth"), rows = b.axis_count("row");
  b.require(q % c == 0, depth + " must divide " + rows + ", got " + depth + "=" + std::to_string(c) + ", " +
                            rows + "=" + std::to_string(q));
  b.home("depth", 0);
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  b.choice("replication", std::to_string(c));

  X = b.broadcast(X, "depth", 0);
  W = b.broadcast(W, "depth", 0);
  // Layer l begins with Cannon's step l q/c.
  const auto left = [&](const MeshPlace& at) { return at.moved("col", -at["row"] - at["depth"] * steps); };
  const auto up = [&](const MeshPlace& at) { return at.moved("row", -at["col"] - at["depth"] * steps); };
  X = b.permute(X, left, "skew X: row i left by i + l q/c");
  W = b.permute(W, up, "skew W: column j up by j + l q/c");

  Value Y;
  for (int t = 0; t < steps; ++t) {
    b.step(t, Y);  // one spare block of X and of W, as in Cannon's algorithm
    if (t > 0) {
      X = b.shift(X, "col", -1);
      W = b.shift(W, "row", -1);
    }
    Y = Y + matmul(X, W);
  }
  b.end_steps();
  return b.finish(b.reduce(Y, "depth", 0), P("row", "col"));
}

// R. C. Agarwal et al., "A three-dimensional approach to parallel matrix multiplication", IBM J. Res. Dev.
// 1995: one gather of X, one of W, one product, one scatter of Y, each over an axis of its own.
Result<Program> matmul_3d(SpmdBuilder& b, const StrategyOptions&) {
  auto X = b.lhs("mk", {{{"row"}, {"depth", "col"}}});
  auto W = b.rhs("kn", {{{"depth", "row"}, {"col"}}});
  b.require_divisible("n", b.problem().n, {"col", "depth"});

  X = b.all_gather(X, "col", 1);
  W = b.all_gather(W, "row", 0);
  auto Y = matmul(X, W);
  Y = b.reduce_scatter(Y, "depth", 1);
  return b.finish(Y, {{{"row"}, {"col", "depth"}}});
}

}  // namespace

std::vector<Strategy> replicated_strategies() {
  const std::vector<std::string_view> roles{"row", "col", "depth"};
  const Family layers{"Solomonik & Demmel, Euro-Par 2011", roles}, box{"Agarwal et al. 1995", roles};
  return {layers.matmul({"2.5d"}, "Cannon's steps shared out among layers that hold copies", matmul_2_5d),
          box.matmul({"3d"}, "Gather X and W, multiply, scatter Y, each over its own axis", matmul_3d)};
}

}  // namespace shardscope::inline strategy
