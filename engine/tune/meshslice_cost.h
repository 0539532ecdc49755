// SPDX-License-Identifier: Apache-2.0
// The cost model of MeshSlice's published autotuner (ISCA 2025, its public code), with the constants measured
// there on TPUv4. A layer's training step is three products: forward, data gradient and weight gradient.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/strategies/dataflow.h"

namespace shardscope::inline tuner {

const char* name(Dataflow dataflow);  // "OS"

struct Grid {
  int64_t rows = 1, cols = 1;
  bool operator==(const Grid&) const = default;
};

// Y[tokens, outputs] = X[tokens, inputs] · W[inputs, outputs], 2-byte elements; `transposed`: X is stored as
// Xᵀ.
struct PublishedLayer {
  Dataflow dataflow = Dataflow::os;
  bool transposed = false;
  int64_t tokens = 0, inputs = 0, outputs = 0;
};

// The largest of X, W and Y stays.
Dataflow largest_stays(int64_t tokens, int64_t inputs, int64_t outputs);

// Seconds of a training step of the layer: bytes over bandwidth, what is left exposed at the ends of S
// slices, and what S partial collectives cost before their first byte.
double traffic_s(const PublishedLayer& layer, Grid grid);
double bubble_s(const PublishedLayer& layer, Grid grid, int64_t slices);
double latency_s(const PublishedLayer& layer, Grid grid, int64_t slices);

// The slice counts that are tried, ascending.
std::vector<int64_t> slice_menu(const PublishedLayer& layer, Grid grid);
// The one of them with the least latency + 2 · bubble, ties to the smaller.
int64_t best_slices(const PublishedLayer& layer, Grid grid);

// (4, chips/4), (8, chips/8), … as long as a row has 4 chips; none when there is no such mesh.
std::vector<Grid> published_grids(int64_t chips);

}  // namespace shardscope::inline tuner
