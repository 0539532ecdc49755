// SPDX-License-Identifier: Apache-2.0
// The data-level strategies of a Pallas TPU notebook on distributed GEMM. The contraction is split over the
// columns on one side and over the rows on the other: device (x,y) holds columns y of X and rows x of W, so
// it needs rows of W that others hold.
#include <algorithm>
#include <numeric>

#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

struct PallasOperands {
  Value X;  // [m/rows, k/cols]
  Value W;  // [k/rows, n], the same in all columns
};

PallasOperands read_operands(SpmdBuilder& b) {
  const Value X = b.lhs("mk", P("row", "col"));
  return {X, b.rhs("kn", P("row", ""))};
}

Result<Program> add_up_over_columns(SpmdBuilder& b, Value Y) {
  b.end_steps();
  return b.finish(b.all_reduce(Y, "col"), P("row", ""));
}

// xla_matmul_1: whole rows of X times all of W, the same product in every column.
Result<Program> pallas_ag_ag(SpmdBuilder& b, const StrategyOptions&) {
  auto [X, W] = read_operands(b);
  X = b.all_gather(X, "col", 1);
  W = b.all_gather(W, "row", 0);
  return b.finish(matmul(X, W), P("row", ""));
}

// xla_matmul_2
Result<Program> pallas_ag_slice_psum(SpmdBuilder& b, const StrategyOptions&) {
  auto [X, W] = read_operands(b);
  const int64_t Kc = X.dim(1);
  W = b.all_gather(W, "row", 0);
  b.phase("partial Y = X W");
  W = b.dynamic_slice(W, 0, b.axis_index("col") * Kc, Kc);
  return add_up_over_columns(b, matmul(X, W));
}

// xla_matmul_3: partial products, their sum and the result in f32, whatever the accumulation type asked for.
Result<Program> pallas_ag_slice_psum_f32(SpmdBuilder& b, const StrategyOptions& options) {
  b.keep_f32();
  return pallas_ag_slice_psum(b, options);
}

// What XLA makes of jnp.matmul on a square mesh: a block of W changes places with its mirror image instead of
// a gather, as device (x,y) needs no rows of W but those of device (y,x).
Result<Program> pallas_permute_psum(SpmdBuilder& b, const StrategyOptions&) {
  b.require_square(", on which a device's columns of X match one block of W");
  auto [X, W] = read_operands(b);
  const auto mirrored = [](const MeshPlace& i) { return i.at("row", i["col"]).at("col", i["row"]); };
  W = b.permute(W, mirrored, "W from the mirrored device");
  return add_up_over_columns(b, matmul(X, W));
}

// When the pieces that a device needs are there. W is cut into L = lcm(R,C) pieces; a shard has L/R of them,
// a device's columns of X match L/C. Shards come in falling order round the ring: x, x-1, ..., so the pieces
// do too. Element t: the first step at which every device has t+1 of its pieces.
std::vector<int64_t> arrival_steps(int64_t R, int64_t C) {
  const int64_t L = std::lcm(R, C), own = L / C, shard = L / R;
  std::vector<int64_t> latest(static_cast<size_t>(own), 0);
  for (int64_t x = 0; x < R; ++x) {
    for (int64_t y = 0; y < C; ++y) {
      std::vector<int64_t> steps;
      for (int64_t piece = y * own; piece < (y + 1) * own; ++piece) {
        steps.push_back((x - piece / shard + R) % R);
      }
      std::ranges::sort(steps);
      for (size_t t = 0; t < steps.size(); ++t) latest[t] = std::max(latest[t], steps[t]);
    }
  }
  return latest;
}

// Shards of W travel up the rows, and each device multiplies what overlaps its columns of X, once. Devices
// need different shards at the same step, and SPMD has one shape for all: what arrives is kept in a window
// over the own rows of W, and a piece is multiplied at the first step at which every device has the next one.
Result<Program> pallas_ring(SpmdBuilder& b, const StrategyOptions&) {
  auto [X, W] = read_operands(b);
  const int64_t R = b.size("row"), C = b.size("col"), L = std::lcm(R, C);
  const int64_t Kr = W.dim(0), Kc = X.dim(1), piece = std::gcd(Kr, Kc), own = L / C, shard = L / R;
  const Index x = b.axis_index("row"), y = b.axis_index("col");
  const std::vector<int64_t> arrival = arrival_steps(R, C);
  // The first piece to come is the own shard's last one, or where that is not wanted the last one wanted.
  const Index first = min(((x + 1) * shard - 1 - y * own) % L, own - 1);

  b.phase("Y += X W, W around " + b.axis("row"));
  // A margin of one shard on either side takes what is not wanted.
  auto window = b.zeros({Kr + Kc + Kr, b.problem().n}, b.problem().dtype);
  Value Y;
  size_t t = 0;
  for (int64_t s = 0; s < R; ++s) {
    b.step(static_cast<int>(s));
    if (s > 0) W = b.shift(W, "row", 1);
    const Index row_in_window = (x - s) % R * Kr - y * Kc + Kr;
    window = b.dynamic_update_slice(window, W, 0, min(max(row_in_window, 0), Kr + Kc));
    for (; t < arrival.size() && arrival[t] == s; ++t) {
      const Index at = (first - static_cast<int64_t>(t)) % own * piece;
      const auto X_piece = b.dynamic_slice(X, 1, at, piece);
      const auto W_piece = b.dynamic_slice(window, 0, at + Kr, piece);
      Y = Y + matmul(X_piece, W_piece);
    }
  }
  return add_up_over_columns(b, Y);
}

// fused_ag_gemm: multiply with the own shard of W while it travels one device up; where the own shard is not
// the right one, multiply again with what has arrived, which is shard x-1. That is the right one on no mesh
// beyond 2x2. A device on the diagonal needs no second product; here it makes one all the same, which changes
// no time: the sum over the columns waits for those that do.
Result<Program> pallas_fused_as_written(SpmdBuilder& b, const StrategyOptions&) {
  b.require_square(", elsewhere a shard of W has not as many rows as a block of X has columns");
  const auto [X, W] = read_operands(b);
  const Index x = b.axis_index("row"), y = b.axis_index("col");
  const int64_t Mr = X.dim(0);

  b.phase("partial Y = X W, W one device on");
  const auto arriving = b.shift(W, "row", 1);
  const auto with_own = matmul(X, W), with_arrived = matmul(X, arriving);
  const Index off_diagonal = min((x - y) % b.size("row"), 1);
  const auto both = b.concatenate({with_own, with_arrived}, 0);
  return add_up_over_columns(b, b.dynamic_slice(both, 0, off_diagonal * Mr, Mr));
}

}  // namespace

std::vector<Strategy> pallas_strategies() {
  const Family f{"Pallas TPU notebook, distributed GEMM", {"row", "col"}};
  return {
      f.matmul({"pallas.ag_ag", "xla_matmul_1"}, "Gather X and W, every column makes the same product",
               pallas_ag_ag),
      f.matmul({"pallas.ag_slice_psum", "xla_matmul_2"}, "Gather W, multiply the own rows of it, all-reduce",
               pallas_ag_slice_psum),
      f.matmul({"pallas.ag_slice_psum_f32", "xla_matmul_3"}, "The same, partial sums and result in f32",
               pallas_ag_slice_psum_f32),
      f.matmul({"pallas.permute_psum"},
               "XLA's plan: exchange blocks of W with the mirrored device, all-reduce", pallas_permute_psum),
      f.matmul({"pallas.ring"}, "W travels round the rows, each device multiplies what it needs, all-reduce",
               pallas_ring),
      f.row(StrategyKind::broken, {"pallas.fused_as_written"},
            "The fused kernel as written: one hop of W, right up to 2x2 only", pallas_fused_as_written),
  };
}

}  // namespace shardscope::inline strategy
