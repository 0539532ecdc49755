// SPDX-License-Identifier: Apache-2.0
// Kernels after each other, as a shard_map body calls them.
#include "engine/kernels/catalogue/library.h"
#include "engine/kernels/catalogue/tiled_product.h"

namespace shardscope::kernels {
namespace {

// The notebook's chain on a grid x, y: all-gather of the weights over x, own slice of their rows, product,
// all-reduce over y. Its three kernels have a barrier each, with semaphores of their own, and work on any
// grid.
void slow_ag_gemm_ar(Kernel& k) {
  const int64_t grid_x = k.axis_size("x"), grid_y = k.axis_size("y");
  const int64_t x = k.axis_index("x"), y = k.axis_index("y");
  const int64_t m = k.options().m.value_or(48) / grid_x, n = k.options().n.value_or(32);
  const int64_t whole = k.options().k.value_or(48), rows = whole / grid_x, depth = whole / grid_y;
  k.require(whole % grid_x == 0 && whole % grid_y == 0, "needs a contraction that both axes divide");
  k.require(k.options().m.value_or(48) % grid_x == 0, "needs rows that x divides");
  Ref inputs = k.input("a", m, depth), weights = k.replicated_input("b", rows, n, "y");
  Ref out = k.output("out", m, n);
  Ref gathered = k.scratch("gathered", MemorySpace::hbm, whole, n);
  Ref partial = k.scratch("partial", MemorySpace::hbm, m, n);
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  k.needs_product(m, depth, n);

  // a = make_ag(weights)
  Semaphore ag_barrier = k.barrier_semaphore("ag.barrier"), ag_send = k.dma_semaphore("ag.send");
  std::vector<Semaphore> ag_recv = k.dma_semaphores("ag.recv", grid_x - 1);
  ag_barrier.signal(1, k.neighbour("x", -1));
  ag_barrier.wait(1);
  Copy own = k.async_copy(weights, gathered.rows(x * rows, rows), copy_sem);
  own.start();
  own.wait();
  k.grid(grid_x - 1, [&](int64_t p) {
    Ref shard = gathered.rows((x - p + grid_x) % grid_x * rows, rows);
    Copy hop = k.remote_copy(shard, shard, ag_send, ag_recv[static_cast<size_t>(p)], k.neighbour("x", +1));
    hop.start();
    hop.wait();
  });

  // b = make_matmul(inputs, dynamic_slice(a, (y * depth, 0)))
  emit_gemm(k, inputs, gathered.rows(y * depth, depth), partial);

  // c = make_ar(b): its own call, so what the product had in vmem is free again
  Semaphore ar_barrier = k.barrier_semaphore("ar.barrier"), ar_send = k.dma_semaphore("ar.send");
  std::vector<Semaphore> ar_recv = k.dma_semaphores("ar.recv", 2);
  Semaphore ar_capacity = k.regular_semaphore("ar.capacity");
  Ref slots = k.scoped("slots", 2 * m, n, k.options().dtype, At::current());
  Ref sum = k.scoped("sum", m, n, k.options().dtype, At::current());
  for (const int64_t way : {-1, +1}) ar_barrier.signal(1, k.neighbour("y", way));
  ar_barrier.wait(2);
  Copy first = k.async_copy(partial, slots.rows(0, m), copy_sem);
  first.start();
  first.wait();
  k.store(sum, slots.rows(0, m));
  k.grid(grid_y - 1, [&](int64_t p) {
    Ref full = slots.rows(p % 2 * m, m), empty = slots.rows((p + 1) % 2 * m, m);
    if (p > 0) ar_capacity.wait(1);
    Copy hop =
        k.remote_copy(full, empty, ar_send, ar_recv[static_cast<size_t>((p + 1) % 2)], k.neighbour("y", +1));
    hop.start();
    hop.wait();
    if (p + 2 < grid_y) ar_capacity.signal(1, k.neighbour("y", -1));
    k.add(sum, sum, empty);
  });
  Copy result = k.async_copy(sum, out, copy_sem);
  result.start();
  result.wait();
  k.end_scope(sum, At::current());
  k.end_scope(slots, At::current());
}

}  // namespace

std::vector<KernelEntry> chain_kernels() {
  return {
      {"slow_ag_gemm_ar", "All-gather, product, all-reduce one after the other, on any grid", false, "", 2,
       slow_ag_gemm_ar, expect_whole_product},
  };
}

}  // namespace shardscope::kernels
