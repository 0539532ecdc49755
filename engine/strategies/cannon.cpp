// SPDX-License-Identifier: Apache-2.0
// L. E. Cannon, "A cellular computer to implement the Kalman filter algorithm", 1969: blocks are skewed so
// that those that meet on a device belong together, then they move on by one device a step. Two of the three
// matrices travel and the third stays. A device sends to its left and upper neighbour, so that it receives
// from the right and from below. There is one spare block of what travels: what arrives for step t takes the
// place of what step t-2 used.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

Value skewed_left(SpmdBuilder& b, Value X) {
  const auto to = [](const MeshPlace& at) { return at.moved("col", -at["row"]); };
  return b.permute(X, to, "skew " + X.name() + ": row i left by i");
}

Value skewed_up(SpmdBuilder& b, Value W) {
  const auto to = [](const MeshPlace& at) { return at.moved("row", -at["col"]); };
  return b.permute(W, to, "skew " + W.name() + ": column j up by j");
}

// Y stays. After the skew device (i,j) holds X(i,i+j) and W(i+j,j).
Result<Program> cannon_os(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t q = b.require_square();
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  X = skewed_left(b, X);
  W = skewed_up(b, W);

  Value Y;
  for (int t = 0; t < q; ++t) {
    b.step(t, Y);
    if (t > 0) {
      X = b.shift(X, "col", -1);
      W = b.shift(W, "row", -1);
    }
    Y = Y + matmul(X, W);
  }
  return b.finish(Y, P("row", "col"));
}

// X stays, W is stored [n,k]. Device (i,j) holds W(i+j,j) and adds to Y(i,i+j); W and Y move on together. The
// last step leaves Y(i,i+j-1) there.
Result<Program> cannon_ls(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t q = b.require_square();
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("nk", P("row", "col"));
  W = skewed_up(b, W);

  Value Y;
  for (int t = 0; t < q; ++t) {
    b.step(t, Y);
    if (t > 0) {
      W = b.shift(W, "row", -1);
      Y = b.shift(Y, "col", -1);
    }
    Y = Y + einsum("mk,nk->mn", X, W);
  }
  b.end_steps();
  const auto home = [](const MeshPlace& at) { return at.moved("col", at["row"] - 1); };
  Y = b.permute(Y, home, "unskew Y: row i right by i-1");
  return b.finish(Y, P("row", "col"));
}

// W stays, X is stored [k,m]. Device (i,j) holds X(i,i+j) and adds to Y(i+j,j); X and Y move on together. The
// last step leaves Y(i+j-1,j) there.
Result<Program> cannon_rs(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t q = b.require_square();
  auto X = b.lhs("km", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  X = skewed_left(b, X);

  Value Y;
  for (int t = 0; t < q; ++t) {
    b.step(t, Y);
    if (t > 0) {
      X = b.shift(X, "col", -1);
      Y = b.shift(Y, "row", -1);
    }
    Y = Y + einsum("km,kn->mn", X, W);
  }
  b.end_steps();
  const auto home = [](const MeshPlace& at) { return at.moved("row", at["col"] - 1); };
  Y = b.permute(Y, home, "unskew Y: column j down by j-1");
  return b.finish(Y, P("row", "col"));
}

// As cannon.os, in halves of the blocks along k: the low ones move left and up, the high ones right and down,
// so that both directions of every link are used.
Result<Program> cannon_bidirectional(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t q = b.require_square();
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));
  b.require_even("k", b.problem().k, "col");
  X = skewed_left(b, X);
  W = skewed_up(b, W);
  const int64_t h = X.dim(1) / 2;
  auto X_low = b.slice(X, 1, 0, h), X_high = b.slice(X, 1, h, h);
  auto W_low = b.slice(W, 0, 0, h), W_high = b.slice(W, 0, h, h);

  Value Y;
  for (int t = 0; t < q; ++t) {
    b.step(t, Y);
    if (t > 0) {
      b.phase("halves of X left and right by 1");
      X_low = b.shift(X_low, "col", -1);
      X_high = b.shift(X_high, "col", 1);
      b.phase("halves of W up and down by 1");
      W_low = b.shift(W_low, "row", -1);
      W_high = b.shift(W_high, "row", 1);
    }
    b.phase("Y += X W");
    Y = Y + matmul(X_low, W_low);
    Y = Y + matmul(X_high, W_high);
  }
  return b.finish(Y, P("row", "col"));
}

}  // namespace

std::vector<Strategy> cannon_strategies() {
  const std::vector<std::string_view> roles{"row", "col"};
  const Family f{"Cannon 1969", roles}, halves{"Cannon 1969, halves as in Wang et al., ASPLOS 2023", roles};
  return {
      f.matmul({"cannon.os", "cannon"}, "Skew X and W, then shift them round the torus; Y stays", cannon_os),
      f.matmul({"cannon.ls", "cannon.is"}, "W and Y travel round the torus; X stays", cannon_ls),
      f.matmul({"cannon.rs", "cannon.ws"}, "X and Y travel round the torus; W stays", cannon_rs),
      halves.matmul({"cannon.bidirectional"}, "Cannon in halves that travel both ways", cannon_bidirectional),
  };
}

}  // namespace shardscope::inline strategy
