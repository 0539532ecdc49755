// SPDX-License-Identifier: Apache-2.0
// Cannon's algorithm on any mesh: an L x L torus of virtual devices, L = lcm(rows, cols), of which each
// device hosts L/rows x L/cols. A hop between two virtual devices of one device is no communication.
#include <deque>
#include <numeric>

#include "engine/strategies/families.h"

namespace shardscope::inline strategy {
namespace {

constexpr int64_t kMostProducts = 1 << 14;

struct VirtualTorus {
  int64_t side;        // L
  int64_t rows, cols;  // virtual devices that a device hosts
};

VirtualTorus virtual_torus(SpmdBuilder& b) {
  const MatmulProblem& p = b.problem();
  const int64_t R = b.size("row"), C = b.size("col"), side = std::lcm(R, C);
  const std::string lcm = "lcm(" + b.axis_count("row") + "," + b.axis_count("col") + ")";
  b.require_multiple("m", p.m, lcm, side);
  b.require_multiple("k", p.k, lcm, side);
  b.require_multiple("n", p.n, lcm, side);
  const VirtualTorus torus{side, side / R, side / C};
  b.limit(side * torus.rows * torus.cols <= kMostProducts,
          "needs a mesh whose sides share more factors, got " + lcm + "=" + std::to_string(side) + ", " +
              std::to_string(side * torus.rows * torus.cols) + " products a device");
  b.choice("virtual_torus", std::to_string(side) + "x" + std::to_string(side));
  return torus;
}

// What the slots of a device hold after each virtual row I of X has moved left by I (dim 1, X(I,I+J) in
// virtual column J), or each virtual column J of W up by J (dim 0, W(I+J,J) in virtual row I): across `dim`,
// one piece for each of the device's `slots` there, of its `lines` virtual rows or columns.
std::deque<Value> skewed(SpmdBuilder& b, Value v, size_t dim, int64_t slots, int64_t lines) {
  const char *along = dim == 1 ? "col" : "row", *line = dim == 1 ? "row" : "col";
  const int64_t extent = v.dim(dim) / slots, thickness = v.dim(1 - dim) / lines;
  const Index place = b.axis_index(line);
  std::deque<Value> pieces;
  for (int64_t slot = 0; b.ok() && slot < slots; ++slot) {
    std::vector<Value> blocks;
    for (int64_t u = 0; u < lines; ++u) {
      const Value hosted = b.slice(v, 1 - dim, u * thickness, thickness);
      const Index start = (place * lines + u + slot) % slots * extent;
      const auto target = [&](const MeshPlace& at) {
        return at.moved(along, -((at[line] * lines + u + slot) / slots));
      };
      blocks.push_back(b.permute(b.dynamic_slice(hosted, dim, start, extent), target));
    }
    pieces.push_back(b.concatenate(blocks, 1 - dim));
  }
  return pieces;
}

// Every virtual device takes its neighbour's slot; only what leaves the device is sent.
void move_on(SpmdBuilder& b, std::deque<Value>& slots, std::string_view role) {
  const Value leaving = slots.front();
  slots.pop_front();
  slots.push_back(b.shift(leaving, role, -1));
}

Result<Program> cannon_rect(SpmdBuilder& b, const StrategyOptions&) {
  const VirtualTorus torus = virtual_torus(b);
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));

  b.phase("skew X: virtual row I left by I");
  std::deque<Value> X_columns = skewed(b, X, 1, torus.cols, torus.rows);
  b.phase("skew W: virtual column J up by J");
  std::deque<Value> W_rows = skewed(b, W, 0, torus.rows, torus.cols);

  const int64_t height = b.problem().m / torus.side, width = b.problem().n / torus.side;
  std::vector<std::vector<Value>> Y(static_cast<size_t>(torus.rows),
                                    std::vector<Value>(static_cast<size_t>(torus.cols)));
  const auto step = [&](int64_t t) {
    b.step(static_cast<int>(t), Y.back().back());
    if (t > 0) {
      b.phase("X left by 1");
      move_on(b, X_columns, "col");
      b.phase("W up by 1");
      move_on(b, W_rows, "row");
    }
    b.phase("Y += X W");
    for (size_t u = 0; u < Y.size(); ++u) {
      for (size_t v = 0; v < Y[u].size(); ++v) {
        const Value X_block = b.slice(X_columns[v], 0, static_cast<int64_t>(u) * height, height);
        const Value W_block = b.slice(W_rows[u], 1, static_cast<int64_t>(v) * width, width);
        Y[u][v] = Y[u][v] + matmul(X_block, W_block);
      }
    }
  };
  b.rounds(0, torus.side, step);
  b.end_steps();
  b.phase("Y of all virtual devices");
  std::vector<Value> rows;
  for (const std::vector<Value>& blocks : Y) rows.push_back(b.concatenate(blocks, 1));
  return b.finish(b.concatenate(rows, 0), P("row", "col"));
}

}  // namespace

std::vector<Strategy> cannon_rectangular_strategies() {
  const Family f{"Cannon 1969, virtual torus", {"row", "col"}};
  return {f.matmul({"cannon.rect"}, "Cannon on a virtual square torus of side lcm(rows, cols)", cannon_rect)};
}

}  // namespace shardscope::inline strategy
