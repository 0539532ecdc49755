// SPDX-License-Identifier: Apache-2.0
// Collective matmul on one ring of n devices (Wang et al., ASPLOS 2023; JAX's shard_map tutorial): the
// all-gather before a product, or the reduce-scatter after it, is taken apart into n-1 hops, and each hop
// overlaps the product of what is already there.
//
// The bidirectional forms send half of every shard each way, all the way round: n-1 steps of half the bytes,
// for any n. Sending whole shards both ways needs ceil((n-1)/2) steps only, but has two traps: for even n the
// shard opposite arrives from both sides in the last step and would be multiplied twice (wrong for every even
// n, right for every odd one), and for n = 2 both hops carry the same shard over the same link.
#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

// Rows of X travel up: after s hops a device holds those of device i-s and makes the same rows of Y.
Result<Program> ag_matmul(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t m = b.problem().m;
  auto X = b.lhs("mk", P("row", ""));
  auto W = b.rhs("kn", P("", "row"));
  const int64_t h = X.dim(0), n = b.size("row");
  const Index i = b.axis_index("row");

  b.phase("Y = X W, X around " + b.axis("row"));
  auto Y = b.zeros({m, W.dim(1)});
  b.rounds(0, n, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) X = b.shift(X, "row", 1);
    const auto rows = matmul(X, W);
    Y = b.dynamic_update_slice(Y, rows, 0, (i - s) % n * h);
  });
  return b.finish(Y, P("", "row"));
}

// The upper half of each shard travels up, the lower half down.
Result<Program> ag_matmul_bidirectional(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t m = b.problem().m;
  auto X = b.lhs("mk", P("row", ""));
  auto W = b.rhs("kn", P("", "row"));
  b.require_even("m", m, "row");
  const int64_t h = X.dim(0) / 2, n = b.size("row");
  const Index i = b.axis_index("row");

  b.phase("Y = X W, halves of X around " + b.axis("row"));
  auto Y = b.zeros({m, W.dim(1)});
  auto first = b.slice(X, 0, 0, h), second = b.slice(X, 0, h, h);
  b.rounds(0, n, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) {
      first = b.shift(first, "row", 1);
      second = b.shift(second, "row", -1);
    }
    const auto upper = matmul(first, W), lower = matmul(second, W);
    Y = b.dynamic_update_slice(Y, upper, 0, (i - s) % n * (2 * h));
    Y = b.dynamic_update_slice(Y, lower, 0, (i + s) % n * (2 * h) + h);
  });
  return b.finish(Y, P("", "row"));
}

// Rows of Y travel up while their sum grows: a sum starts on the device after the one that will keep it.
Result<Program> matmul_rs(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t m = b.problem().m;
  auto X = b.lhs("mk", P("", "row"));
  auto W = b.rhs("kn", P("row", ""));
  b.require_divisible("m", m, {"row"});
  const int64_t n = b.size("row"), h = m / n;
  const Index i = b.axis_index("row");
  const auto rows_of_Y = [&](Index block) { return matmul(b.dynamic_slice(X, 0, block * h, h), W); };

  b.phase("Y += X W, Y around " + b.axis("row"));
  Value Y;
  b.rounds(0, n, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) Y = b.shift(Y, "row", 1);
    Y = Y + rows_of_Y((i - s - 1) % n);
  });
  return b.finish(Y, P("row", ""));
}

Result<Program> matmul_rs_bidirectional(SpmdBuilder& b, const StrategyOptions&) {
  const int64_t m = b.problem().m;
  auto X = b.lhs("mk", P("", "row"));
  auto W = b.rhs("kn", P("row", ""));
  b.require_divisible("m", m, {"row"});
  b.require_even("m", m, "row");
  const int64_t n = b.size("row"), h = m / n / 2;
  const Index i = b.axis_index("row");
  const auto rows_of_Y = [&](Index block, int64_t half) {
    return matmul(b.dynamic_slice(X, 0, (2 * block + half) * h, h), W);
  };

  b.phase("Y += X W, halves of Y around " + b.axis("row"));
  Value first, second;
  b.rounds(0, n, [&](int64_t s) {
    b.step(static_cast<int>(s));
    if (s > 0) {
      first = b.shift(first, "row", 1);
      second = b.shift(second, "row", -1);
    }
    first = first + rows_of_Y((i - s - 1) % n, 0);
    second = second + rows_of_Y((i + s + 1) % n, 1);
  });
  return b.finish(b.concatenate({first, second}, 0), P("row", ""));
}

}  // namespace

std::vector<Strategy> ring_matmul_strategies() {
  const Family f{"Wang et al., ASPLOS 2023; JAX documentation, collective matmul", {"row"}};
  return {
      f.matmul({"ring.ag_matmul"}, "X travels round the ring, each shard multiplied as it arrives",
               ag_matmul),
      f.matmul({"ring.ag_matmul.bidirectional"}, "Halves of X travel round the ring both ways",
               ag_matmul_bidirectional),
      f.matmul({"ring.matmul_rs"}, "Y travels round the ring, each device adds its product", matmul_rs),
      f.matmul({"ring.matmul_rs.bidirectional"}, "Halves of Y travel round the ring both ways",
               matmul_rs_bidirectional),
  };
}

}  // namespace shardscope::inline strategy
