// SPDX-License-Identifier: Apache-2.0
// Cannon's algorithm on any mesh: an L x L torus of virtual devices, L = lcm(rows, cols), of which each
// device hosts L/rows x L/cols. A hop between two virtual devices of one device is no communication.
#include <deque>
#include <numeric>

#include "engine/strategies/families.h"

namespace shardscope {
namespace {

constexpr int64_t kMostProducts = 1 << 14;

struct VirtualTorus {
  int64_t side;        // L
  int64_t rows, cols;  // virtual devices that a device hosts
};

VirtualTorus virtual_torus(SpmdBuilder& b, const MatmulProblem& p) {
  const int64_t R = b.size("row"), C = b.size("col"), side = std::lcm(R, C);
  const std::string lcm = "lcm(" + b.axis_count("row") + "," + b.axis_count("col") + ")";
  for (const auto& [name, extent] : {std::pair{"m", p.m}, {"k", p.k}, {"n", p.n}}) {
    b.require(extent % side == 0, std::string(name) + " must be divisible by " + lcm + ", got " + name + "=" +
                                      std::to_string(extent) + ", " + lcm + "=" + std::to_string(side));
  }
  const VirtualTorus torus{side, side / R, side / C};
  b.require(side * torus.rows * torus.cols <= kMostProducts,
            "needs a mesh whose sides share more factors, got " + lcm + "=" + std::to_string(side) + ", " +
                std::to_string(side * torus.rows * torus.cols) + " products a device");
  b.choice("virtual_torus", std::to_string(side) + "x" + std::to_string(side));
  return torus;
}

// Block columns of X after virtual row I has moved left by I: slot v of virtual column J holds X(I,I+J).
std::deque<Value> skewed_columns(SpmdBuilder& b, Value X, const VirtualTorus& torus) {
  const int64_t height = X.dim(0) / torus.rows, width = X.dim(1) / torus.cols;
  const Index row = b.axis_index("row");
  std::deque<Value> columns;
  for (int64_t v = 0; b.ok() && v < torus.cols; ++v) {
    std::vector<Value> blocks;
    for (int64_t u = 0; u < torus.rows; ++u) {
      const Value hosted = b.slice(X, 0, u * height, height);
      const Value leaving =
          b.dynamic_slice(hosted, 1, (row * torus.rows + u + v) % torus.cols * width, width);
      blocks.push_back(b.permute(leaving, [&](const MeshPlace& at) {
        return at.moved("col", -((at["row"] * torus.rows + u + v) / torus.cols));
      }));
    }
    columns.push_back(b.concatenate(blocks, 0));
  }
  return columns;
}

// Block rows of W after virtual column J has moved up by J: slot u of virtual row I holds W(I+J,J).
std::deque<Value> skewed_rows(SpmdBuilder& b, Value W, const VirtualTorus& torus) {
  const int64_t height = W.dim(0) / torus.rows, width = W.dim(1) / torus.cols;
  const Index col = b.axis_index("col");
  std::deque<Value> rows;
  for (int64_t u = 0; b.ok() && u < torus.rows; ++u) {
    std::vector<Value> blocks;
    for (int64_t v = 0; v < torus.cols; ++v) {
      const Value hosted = b.slice(W, 1, v * width, width);
      const Value leaving =
          b.dynamic_slice(hosted, 0, (col * torus.cols + u + v) % torus.rows * height, height);
      blocks.push_back(b.permute(leaving, [&](const MeshPlace& at) {
        return at.moved("row", -((at["col"] * torus.cols + u + v) / torus.rows));
      }));
    }
    rows.push_back(b.concatenate(blocks, 1));
  }
  return rows;
}

// Every virtual device takes its neighbour's slot; only what leaves the device is sent.
void move_on(SpmdBuilder& b, std::deque<Value>& slots, std::string_view role) {
  const Value leaving = slots.front();
  slots.pop_front();
  slots.push_back(b.shift(leaving, role, -1));
}

Result<Program> cannon_rect(const Mesh& mesh, const MatmulProblem& p, const StrategyOptions& options) {
  TRY(auto roles, assign_roles("cannon.rect", {"row", "col"}, mesh, options));
  SpmdBuilder b("cannon.rect", mesh, p, roles);
  const VirtualTorus torus = virtual_torus(b, p);
  auto X = b.input(ArrayRole::lhs, {p.m, p.k}, P("row", "col"));
  auto W = b.input(ArrayRole::rhs, {p.k, p.n}, P("row", "col"));

  b.phase("skew X: virtual row I left by I");
  std::deque<Value> X_columns = skewed_columns(b, X, torus);
  b.phase("skew W: virtual column J up by J");
  std::deque<Value> W_rows = skewed_rows(b, W, torus);

  const int64_t height = p.m / torus.side, width = p.n / torus.side;
  std::vector<std::vector<Value>> Y(static_cast<size_t>(torus.rows),
                                    std::vector<Value>(static_cast<size_t>(torus.cols)));
  Value before;
  for (int t = 0; b.ok() && t < torus.side; ++t) {
    b.step(t);
    if (t > 0) {
      b.after(before);
      b.phase("X left by 1");
      move_on(b, X_columns, "col");
      b.phase("W up by 1");
      move_on(b, W_rows, "row");
    }
    b.phase("Y += X W");
    before = Y.back().back();
    for (size_t u = 0; u < Y.size(); ++u) {
      for (size_t v = 0; v < Y[u].size(); ++v) {
        const Value X_block = b.slice(X_columns[v], 0, static_cast<int64_t>(u) * height, height);
        const Value W_block = b.slice(W_rows[u], 1, static_cast<int64_t>(v) * width, width);
        Y[u][v] = Y[u][v] + matmul(X_block, W_block);
      }
    }
  }
  b.step(-1);
  b.phase("Y of all virtual devices");
  std::vector<Value> rows;
  for (const std::vector<Value>& blocks : Y) rows.push_back(b.concatenate(blocks, 1));
  return b.finish(b.concatenate(rows, 0), ArrayRole::product, {p.m, p.n}, P("row", "col"));
}

}  // namespace

std::vector<Strategy> cannon_rectangular_strategies() {
  return {{"cannon.rect",
           {},
           StrategyKind::matmul,
           "Cannon on a virtual square torus of side lcm(rows, cols)",
           "Cannon 1969, virtual torus",
           {"lcm(rows,cols) divides m, k and n"},
           {"axes"},
           {"row", "col"},
           cannon_rect}};
}

}  // namespace shardscope
