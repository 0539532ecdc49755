// SPDX-License-Identifier: Apache-2.0
// Cannon's algorithm on any mesh: an L x L torus of virtual devices, L = lcm(rows, cols), of which each
// device hosts L/rows x L/cols. A hop between two virtual devices of one device is no communication.
#include <algorithm>
#include <numeric>

#include "engine/strategies/families.h"

namespace shardscope {
namespace {

constexpr int64_t kMostProducts = 1 << 14;

struct VirtualTorus {
  int64_t side;        // L
  int64_t rows, cols;  // virtual devices that a device hosts
};

VirtualTorus virtual_torus(SpmdBuilder& b) {
  const MatmulProblem& p = b.problem();
  const int64_t R = b.size("row"), C = b.size("col");
  const int64_t side = R / std::gcd(R, C) * C;  // gcc 12.2 at -O3 gets the sign of std::lcm wrong here
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
std::vector<Value> skewed(SpmdBuilder& b, Value v, size_t dim, int64_t slots, int64_t lines) {
  const char *along = dim == 1 ? "col" : "row", *line = dim == 1 ? "row" : "col";
  const int64_t extent = v.dim(dim) / slots, thickness = v.dim(1 - dim) / lines;
  const Index place = b.axis_index(line);
  std::vector<Value> pieces;
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

// What a device holds: a piece of X for each of its virtual columns, of W for each of its virtual rows, and
// the blocks of Y of its virtual devices, row by row.
class HostedDevices {
 public:
  HostedDevices(SpmdBuilder& b, const VirtualTorus& torus) : b_(b), torus_(torus) {}

  // Multiplies what is there, moved on before unless it is the first.
  void step(int t, std::vector<Value>& held) const {
    b_.step(t, held.back());
    if (t > 0) {
      b_.phase("X left by 1");
      move_on(held, 0, torus_.cols, "col");
      b_.phase("W up by 1");
      move_on(held, torus_.cols, torus_.rows, "row");
    }
    b_.phase("Y += X W");
    const int64_t height = b_.problem().m / torus_.side, width = b_.problem().n / torus_.side;
    for (int64_t u = 0; u < torus_.rows; ++u) {
      for (int64_t v = 0; v < torus_.cols; ++v) {
        const Value X_block = b_.slice(of(held, v), 0, u * height, height);
        const Value W_block = b_.slice(of(held, torus_.cols + u), 1, v * width, width);
        Value& Y = of(held, place_of_Y(u) + v);
        Y = Y + matmul(X_block, W_block);
      }
    }
  }
  Value Y(const std::vector<Value>& held) const {
    std::vector<Value> rows;
    for (int64_t u = 0; u < torus_.rows; ++u) {
      const auto first = held.begin() + place_of_Y(u);
      rows.push_back(b_.concatenate({first, first + torus_.cols}, 1));
    }
    return b_.concatenate(rows, 0);
  }

 private:
  static Value& of(std::vector<Value>& held, int64_t place) { return held[static_cast<size_t>(place)]; }
  int64_t place_of_Y(int64_t row) const { return torus_.cols + torus_.rows + row * torus_.cols; }
  // Every virtual device takes its neighbour's slot; only what leaves the device is sent.
  void move_on(std::vector<Value>& held, int64_t begin, int64_t count, std::string_view role) const {
    const auto first = held.begin() + begin;
    std::rotate(first, first + 1, first + count);
    Value& leaving = of(held, begin + count - 1);
    leaving = b_.shift(leaving, role, -1);
  }

  SpmdBuilder& b_;
  VirtualTorus torus_;
};

Result<Program> cannon_rect(SpmdBuilder& b, const StrategyOptions&) {
  const VirtualTorus torus = virtual_torus(b);
  auto X = b.lhs("mk", P("row", "col"));
  auto W = b.rhs("kn", P("row", "col"));

  b.phase("skew X: virtual row I left by I");
  std::vector<Value> held = skewed(b, X, 1, torus.cols, torus.rows);
  b.phase("skew W: virtual column J up by J");
  const std::vector<Value> W_rows = skewed(b, W, 0, torus.rows, torus.cols);
  held.insert(held.end(), W_rows.begin(), W_rows.end());
  if (!b.ok()) return b.finish({}, P("row", "col"));

  held.resize(held.size() + static_cast<size_t>(torus.rows * torus.cols));
  const HostedDevices hosted(b, torus);
  for (int t = 0; b.ok() && t < torus.side; ++t) {
    // The first two find nothing of steps before them. Pieces that go round the slots keep schedules from
    // telling a loop by its rounds, so only a sketch has one; of a square mesh it is Cannon's own, in full.
    const int64_t alike = t < 2 || torus.rows * torus.cols == 1 ? 0 : torus.side - t;
    if (!b.is_sketch() || !b.keeps_loop(alike)) {
      hosted.step(t, held);
      continue;
    }
    held = b.repeat(alike, std::move(held), [&](Index, std::vector<Value> now) {
      hosted.step(t, now);
      return now;
    });
    break;
  }
  b.end_steps();
  b.phase("Y of all virtual devices");
  return b.finish(hosted.Y(held), P("row", "col"));
}

}  // namespace

std::vector<Strategy> cannon_rectangular_strategies() {
  const Family f{"Cannon 1969, virtual torus", {"row", "col"}};
  return {f.matmul({"cannon.rect"}, "Cannon on a virtual square torus of side lcm(rows, cols)", cannon_rect)};
}

}  // namespace shardscope
