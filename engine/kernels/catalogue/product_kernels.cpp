// SPDX-License-Identifier: Apache-2.0
// Tiled products, alone and with the weights of a neighbour.
#include "engine/base/units.h"
#include "engine/kernels/catalogue/library.h"
#include "engine/kernels/catalogue/pipeline.h"
#include "engine/kernels/catalogue/tiled_product.h"

namespace shardscope::kernels {
namespace {

// out = a · b, k innermost; the tiles at the edges are as small as what is left.
void matmul_tiled(Kernel& k) {
  const int64_t m = k.options().m.value_or(80), n = k.options().n.value_or(80),
                depth = k.options().k.value_or(80);
  const int64_t bm = k.options().bm.value_or(32), bn = k.options().bn.value_or(32);
  const int64_t bk = k.options().bk.value_or(32);
  Ref a = k.input("a", m, depth);
  Ref b = k.input("b", depth, n);
  Ref out = k.output("out", m, n);
  Ref accum = k.scratch("accum", MemorySpace::vmem, bm, bn, ElementType::f32);
  k.needs_product(m, depth, n);
  const int64_t steps = ceil_div(depth, bk);

  Pipeline tiles;
  tiles.grid = {ceil_div(m, bm), ceil_div(n, bn), steps};
  tiles.inputs = {{a, bm, bk, [](const GridIndex& g) { return std::pair(g[0], g[2]); }, "a"},
                  {b, bk, bn, [](const GridIndex& g) { return std::pair(g[2], g[1]); }, "b"}};
  tiles.outputs = {{out, bm, bn, [](const GridIndex& g) { return std::pair(g[0], g[1]); }, "out"}};
  emit_pipeline(k, tiles, [&](const PipelineStep& step) {
    Ref tile = step.outputs[0];
    Ref sum = accum.at(0, tile.rows(), 0, tile.cols());
    k.when(step.at[2] == 0, [&] { k.zero(sum); });
    k.dot(sum, step.inputs[0], step.inputs[1]);
    k.when(step.at[2] == steps - 1, [&] { k.store(tile, sum); });
  });
}

// As the notebook has it: the grid is m // bm, n // bn, k // bk, so what does not fill a tile is never
// touched.
void matmul_tiled_as_written(Kernel& k) {
  const int64_t m = k.options().m.value_or(80), n = k.options().n.value_or(80),
                depth = k.options().k.value_or(80);
  const int64_t bm = k.options().bm.value_or(32), bn = k.options().bn.value_or(32);
  const int64_t bk = k.options().bk.value_or(32);
  Ref a = k.input("a", m, depth);
  Ref b = k.input("b", depth, n);
  Ref out = k.output("out", m, n);
  Ref scratch = k.scratch("scratch", MemorySpace::vmem, bm, bn, ElementType::f32);
  k.needs_product(m, depth, n);
  const int64_t n_steps = depth / bk;

  Pipeline tiles;
  tiles.grid = {m / bm, n / bn, n_steps};
  tiles.inputs = {{a, bm, bk, [](const GridIndex& g) { return std::pair(g[0], g[2]); }, "a"},
                  {b, bk, bn, [](const GridIndex& g) { return std::pair(g[2], g[1]); }, "b"}};
  tiles.outputs = {{out, bm, bn, [](const GridIndex& g) { return std::pair(g[0], g[1]); }, "out"}};
  emit_pipeline(k, tiles, [&](const PipelineStep& step) {
    k.when(step.at[2] == 0, [&] { k.zero(scratch); });
    k.dot(scratch, step.inputs[0], step.inputs[1]);
    k.when(step.at[2] == n_steps - 1, [&] { k.store(step.outputs[0], scratch); });
  });
}

// As the notebook has it, on a grid x, y: own rows of the weights go to the right while they are multiplied.
// Where x = y that product is the result; everywhere else it is thrown away and done again with what arrived,
// which is what was needed on a 2 × 2 grid alone.
void ag_matmul_fused_seed(Kernel& k) {
  const int64_t grid_x = k.axis_size("x"), grid_y = k.axis_size("y");
  const int64_t x = k.axis_index("x"), y = k.axis_index("y");
  const int64_t m = k.options().m.value_or(64) / grid_x, n = k.options().n.value_or(64);
  const int64_t depth = k.options().k.value_or(64) / grid_y;
  k.require(grid_x == grid_y, "needs as many devices on x as on y, or the blocks do not fit each other");
  k.require(k.options().m.value_or(64) % grid_x == 0, "needs rows that x divides");
  k.require(k.options().k.value_or(64) % grid_y == 0, "needs a contraction that y divides");
  Ref input = k.input("a", m, depth);
  Ref weight = k.replicated_input("b", depth, n, "y");
  Ref output = k.output("out", m, n);
  Ref recv_weight = k.scratch("recv_weight", MemorySpace::hbm, depth, n);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore send_sem = k.dma_semaphore("send_sem");
  Semaphore recv_sem = k.dma_semaphore("recv_sem");
  k.needs_product(m, depth, n);

  barrier.signal(1, k.neighbour("x", -1));
  barrier.wait(1);

  Copy rdma = k.remote_copy(weight, recv_weight, send_sem, recv_sem, k.neighbour("x", +1));
  rdma.start();
  emit_gemm(k, input, weight, output);  // wasted where x ≠ y
  rdma.wait();
  k.when(x != y, [&] { emit_gemm(k, input, recv_weight, output); });
}

// The weights that are needed come from the device across the diagonal, in chunks of columns: chunk c is
// multiplied while chunk c + 1 is on its way.
void ag_matmul_fused(Kernel& k) {
  const int64_t grid_x = k.axis_size("x"), grid_y = k.axis_size("y");
  const int64_t x = k.axis_index("x"), y = k.axis_index("y");
  const int64_t m = k.options().m.value_or(64) / grid_x, n = k.options().n.value_or(64);
  const int64_t depth = k.options().k.value_or(64) / grid_y, chunks = k.options().chunks.value_or(4);
  k.require(grid_x == grid_y, "needs as many devices on x as on y, or the blocks do not fit each other");
  k.require(k.options().m.value_or(64) % grid_x == 0, "needs rows that x divides");
  k.require(k.options().k.value_or(64) % grid_y == 0, "needs a contraction that y divides");
  if (!k.require(n % chunks == 0, "needs columns that the number of chunks divides")) return;
  Ref input = k.input("a", m, depth);
  Ref weight = k.replicated_input("b", depth, n, "y");
  Ref output = k.output("out", m, n);
  Ref recv_weight = k.scratch("recv_weight", MemorySpace::hbm, depth, n);
  Semaphore barrier = k.barrier_semaphore();
  std::vector<Semaphore> send_sem = k.dma_semaphores("send_sem", chunks);
  std::vector<Semaphore> recv_sem = k.dma_semaphores("recv_sem", chunks);
  k.needs_product(m, depth, n);

  const int64_t across = k.device_at({y, x}), width = n / chunks;
  std::vector<Copy> copies;
  k.when(x != y, [&] {
    barrier.signal(1, across);
    barrier.wait(1);
    for (size_t c = 0; c < send_sem.size(); ++c) {
      const int64_t first = static_cast<int64_t>(c) * width;
      copies.push_back(k.remote_copy(weight.cols(first, width), recv_weight.cols(first, width), send_sem[c],
                                     recv_sem[c], across));
      copies.back().start();
    }
  });
  k.grid(chunks, [&](int64_t c) {
    k.when(x != y, [&] { copies[static_cast<size_t>(c)].wait_recv(); });
    Ref rows = x == y ? weight : recv_weight;
    emit_gemm(k, input, rows.cols(c * width, width), output.cols(c * width, width));
  });
  for (Copy& copy : copies) copy.wait_send();
}

}  // namespace

std::vector<KernelEntry> product_kernels() {
  return {
      {"matmul.tiled", "Tiled product, f32 scratch, tiles at the edges as small as what is left", false, "",
       0, matmul_tiled, expect_product},
      {"matmul.tiled.as_written", "The notebook's tiled product, which drops what does not fill a tile", true,
       "matmul.tiled", 0, matmul_tiled_as_written, expect_product},
      {"ag_matmul.fused_seed", "The notebook's fused gather and product: one wasted, right on 2 × 2 alone",
       true, "ag_matmul.fused", 2, ag_matmul_fused_seed, expect_block_product},
      {"ag_matmul.fused", "Product in chunks that overlap the exchange of the weights", false, "", 2,
       ag_matmul_fused, expect_block_product},
  };
}

}  // namespace shardscope::kernels
