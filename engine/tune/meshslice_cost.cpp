// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/meshslice_cost.h"

#include <algorithm>
#include <numeric>

namespace shardscope::inline tuner {
namespace {

// Measured on TPUv4; 0: the row axis, 1: the column axis. ag gathers, rds reduce-scatters. Bytes and seconds.
constexpr double ag0 = 27.472e9, ag1 = 79.751e9;
constexpr double rds0 = 37.506e9, rds1 = 63.167e9;
constexpr double kHop = 5e-6;
constexpr double kGatherStart = 13e-6, kScatterStart = 26e-6;
constexpr double kBytes = 2;
constexpr int64_t kBlock = 8;

double A(int64_t hops) {
  return static_cast<double>(hops) * kHop + kGatherStart;
}
double D(int64_t hops) {
  return static_cast<double>(hops) * kHop + kScatterStart;
}

// The bytes that all devices together receive of X, W and Y, and the hops along each axis.
struct Flows {
  double in = 0, w = 0, out = 0;
  double p = 1;          // devices
  int64_t r = 0, c = 0;  // rows − 1, columns − 1
};

Flows flows_of(const PublishedLayer& layer, Grid grid) {
  if (layer.transposed) std::swap(grid.rows, grid.cols);
  Flows f;
  f.r = grid.rows - 1;
  f.c = grid.cols - 1;
  f.p = static_cast<double>(grid.rows) * static_cast<double>(grid.cols);
  const auto B = static_cast<double>(layer.tokens);
  const auto I = static_cast<double>(layer.inputs);
  const auto O = static_cast<double>(layer.outputs);
  f.in = kBytes * B * I * static_cast<double>(f.c);
  f.w = kBytes * I * O * static_cast<double>(f.r);
  f.out = kBytes * B * O * static_cast<double>(layer.dataflow == Dataflow::rs ? f.r : f.c);
  return f;
}

}  // namespace

const char* name(Dataflow dataflow) {
  return dataflow == Dataflow::os ? "OS" : dataflow == Dataflow::ls ? "LS" : "RS";
}

Dataflow largest_stays(int64_t tokens, int64_t inputs, int64_t outputs) {
  if (outputs > inputs && tokens >= inputs) return Dataflow::os;
  if (inputs >= outputs && tokens >= outputs) return Dataflow::ls;
  return Dataflow::rs;
}

// One term per product of the training step; both axes carry at the same time, hence max.
double traffic_s(const PublishedLayer& layer, Grid grid) {
  const auto [in, w, out, p, r, c] = flows_of(layer, grid);
  switch (layer.dataflow) {
    case Dataflow::os:
      return (std::max(in / ag1, w / ag0) + std::max(in / rds1, w / ag0) + std::max(in / ag1, w / rds0)) / p;
    case Dataflow::ls:
      return (std::max(w / ag0, out / rds1) + std::max(w / ag0, out / ag1) + std::max(w / rds0, out / ag1)) /
             p;
    case Dataflow::rs:
      return (std::max(in / ag0, out / rds1) + std::max(in / rds0, out / ag1) +
              std::max(in / ag0, out / ag1)) /
             p;
  }
  return 0;
}

// A product that gathers and scatters has both ends exposed (a sum); one that only gathers, one end (a max).
double bubble_s(const PublishedLayer& layer, Grid grid, int64_t slices) {
  const auto [in, w, out, p, r, c] = flows_of(layer, grid);
  const double pS = p * static_cast<double>(slices);
  switch (layer.dataflow) {
    case Dataflow::os:
      return (std::max(in / ag1, w / ag0) + (in / rds1 + w / ag0) + (in / ag1 + w / rds0)) / pS;
    case Dataflow::ls:
      return ((w / ag0 + out / rds1) + std::max(w / ag0, out / ag1) + (w / rds0 + out / ag1)) / pS;
    case Dataflow::rs:
      return ((in / ag1 + out / rds0) + (in / rds1 + out / ag0) + std::max(in / ag1, out / ag0)) / pS;
  }
  return 0;
}

double latency_s(const PublishedLayer& layer, Grid grid, int64_t slices) {
  const Flows f = flows_of(layer, grid);
  const int64_t r = f.r;
  const int64_t c = f.c;
  const auto S = static_cast<double>(slices);
  switch (layer.dataflow) {
    case Dataflow::os:
      return S * (std::max(A(c), A(r)) + std::max(D(c), A(r)) + std::max(A(c), D(r)));
    case Dataflow::ls:
      return S * (std::max(A(r), D(c)) + std::max(A(c), A(r)) + std::max(A(c), D(r)));
    case Dataflow::rs:
      return S * (std::max(A(c), D(r)) + std::max(A(r), D(c)) + std::max(A(r), A(c)));
  }
  return 0;
}

std::vector<int64_t> slice_menu(const PublishedLayer& layer, Grid grid) {
  static const std::vector<std::pair<int64_t, std::vector<int64_t>>> kMenus = {
      {48, {3, 4, 6, 8, 12, 16, 24}},
      {40, {4, 5, 8, 10, 20}},
      {24, {3, 4, 6, 8, 12, 24}},
      {20, {4, 5, 10, 20}},
      {16, {4, 8, 16}},
      {12, {3, 4, 12}},
      {10, {5, 10}},
      {8, {4, 8}},
      {6, {3, 6}},
      {4, {4}},
      {5, {5}},
  };
  const int64_t sliced = layer.dataflow == Dataflow::os   ? layer.inputs
                         : layer.dataflow == Dataflow::ls ? layer.outputs
                                                          : layer.tokens;
  const int64_t blocks = sliced / std::lcm(grid.rows, grid.cols) / kBlock;
  if (blocks < 1) return {1};
  for (const auto& [divisor, menu] : kMenus) {
    if (blocks % divisor == 0) return menu;
  }
  return {blocks};
}

int64_t best_slices(const PublishedLayer& layer, Grid grid) {
  int64_t best = 0;
  double least = 0;
  for (const int64_t slices : slice_menu(layer, grid)) {
    const double cost = latency_s(layer, grid, slices) + 2 * bubble_s(layer, grid, slices);
    if (best == 0 || cost < least) {
      best = slices;
      least = cost;
    }
  }
  return best;
}

std::vector<Grid> published_grids(int64_t chips) {
  std::vector<Grid> out;
  for (int64_t rows = 4; chips / rows >= 4; rows *= 2) {
    if (chips % rows == 0) out.push_back({rows, chips / rows});
  }
  return out;
}

}  // namespace shardscope::inline tuner
