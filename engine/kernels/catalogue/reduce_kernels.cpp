// SPDX-License-Identifier: Apache-2.0
// All-reduces and reduce-scatters. Sums are made in vmem.
#include "engine/kernels/catalogue/library.h"

namespace shardscope::kernels {
namespace {

// One hop: own array plus the left neighbour's. That is the sum of all for n = 2 alone.
void ar_one_hop(Kernel& k) {
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", h, w);
  Ref local_scratch = k.scratch("local_scratch", MemorySpace::vmem, h, w);
  Ref recv_scratch = k.scratch("recv_scratch", MemorySpace::vmem, h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore send_sem = k.dma_semaphore("send_sem");
  Semaphore recv_sem = k.dma_semaphore("recv_sem");
  Semaphore copy_sem = k.dma_semaphore("copy_sem");

  barrier.signal(1, left);
  barrier.wait(1);

  Copy local_copy = k.async_copy(x, local_scratch, copy_sem);
  local_copy.start();
  Copy right_dma = k.remote_copy(x, recv_scratch, send_sem, recv_sem, right);
  right_dma.start();
  local_copy.wait();
  right_dma.wait();
  k.add(local_scratch, local_scratch, recv_scratch);
  Copy out_copy = k.async_copy(local_scratch, out, copy_sem);
  out_copy.start();
  out_copy.wait();
}

// As the notebook has it: the neighbour's array lands in the output, the sum reads a scratch that nobody
// writes.
void ar_seed(Kernel& k) {
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref local_hbm = k.input("x", h, w);
  Ref output = k.output("out", h, w);
  Ref local_scratch = k.scratch("local_scratch", MemorySpace::vmem, h, w);
  Ref recv_scratch = k.scratch("recv_scratch", MemorySpace::vmem, h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore send_sem = k.dma_semaphore("send_sem");
  Semaphore recv_sem = k.dma_semaphore("recv_sem");
  Semaphore copy_sem = k.dma_semaphore("copy_sem");

  barrier.signal(1, left);
  barrier.wait(1);

  Copy local_copy = k.async_copy(local_hbm, local_scratch, copy_sem);
  local_copy.start();
  Copy right_dma = k.remote_copy(local_hbm, output, send_sem, recv_sem, right);
  right_dma.start();
  local_copy.wait();
  right_dma.wait();
  k.add(local_scratch, local_scratch, recv_scratch);
  Copy out_copy = k.async_copy(local_scratch, output, copy_sem);
  out_copy.start();
  out_copy.wait();
}

// Arrays travel round the ring through two slots. A device may write its neighbour's slot only when the
// neighbour has passed on what was in it: that is what the capacity semaphore says.
void ar_two_slot(Kernel& k) {
  const int64_t n = k.axis_size("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", h, w);
  Ref slots = k.scratch("slots", MemorySpace::vmem, 2 * h, w);
  Ref sum = k.scratch("sum", MemorySpace::vmem, h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_sem = k.dma_semaphore("send_sem");
  std::vector<Semaphore> recv_sem = k.dma_semaphores("recv_sem", 2);
  Semaphore capacity = k.regular_semaphore("capacity");

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  Copy first = k.async_copy(x, slots.rows(0, h), copy_sem);
  first.start();
  first.wait();
  k.store(sum, slots.rows(0, h));
  k.grid(n - 1, [&](int64_t p) {
    Ref full = slots.rows(p % 2 * h, h), empty = slots.rows((p + 1) % 2 * h, h);
    if (p > 0) capacity.wait(1);  // the neighbour has sent what lies in `empty`
    Copy hop = k.remote_copy(full, empty, send_sem, recv_sem[static_cast<size_t>((p + 1) % 2)], right);
    hop.start();
    hop.wait();
    if (p + 2 < n) capacity.signal(1, left);
    k.add(sum, sum, empty);
  });
  Copy result = k.async_copy(sum, out, copy_sem);
  result.start();
  result.wait();
}

// Without the capacity semaphore a fast device overwrites a slot that its neighbour still works on.
void ar_two_slot_no_capacity(Kernel& k) {
  const int64_t n = k.axis_size("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", h, w);
  Ref slots = k.scratch("slots", MemorySpace::vmem, 2 * h, w);
  Ref sum = k.scratch("sum", MemorySpace::vmem, h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_sem = k.dma_semaphore("send_sem");
  std::vector<Semaphore> recv_sem = k.dma_semaphores("recv_sem", 2);

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  Copy first = k.async_copy(x, slots.rows(0, h), copy_sem);
  first.start();
  first.wait();
  k.store(sum, slots.rows(0, h));
  k.grid(n - 1, [&](int64_t p) {
    Ref full = slots.rows(p % 2 * h, h), empty = slots.rows((p + 1) % 2 * h, h);
    Copy hop = k.remote_copy(full, empty, send_sem, recv_sem[static_cast<size_t>((p + 1) % 2)], right);
    hop.start();
    hop.wait();
    k.add(sum, sum, empty);
  });
  Copy result = k.async_copy(sum, out, copy_sem);
  result.start();
  result.wait();
}

// Sums travel: upper halves of blocks to the right, lower halves to the left, each device adding its own
// part. Each direction has two slots and a capacity semaphore.
void rs_bidi(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128), half = h / 2;
  k.require(h % 2 == 0, "needs an even number of rows per block");
  Ref x = k.input("x", n * h, w);
  Ref out = k.output("out", h, w);
  Ref part = k.scratch("part", MemorySpace::vmem, half, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  struct Direction {
    int64_t to, from, sign, first_row;  // neighbours; +1 to the right; where its halves start in a block
    Ref slots;
    Semaphore send, capacity;
    std::vector<Semaphore> recv;
  };
  std::vector<Direction> both = {
      {k.neighbour("x", +1), k.neighbour("x", -1), +1, 0, k.scratch("right.slots", MemorySpace::vmem, h, w),
       k.dma_semaphore("right.send"), k.regular_semaphore("right.capacity"),
       k.dma_semaphores("right.recv", 2)},
      {k.neighbour("x", -1), k.neighbour("x", +1), -1, half, k.scratch("left.slots", MemorySpace::vmem, h, w),
       k.dma_semaphore("left.send"), k.regular_semaphore("left.capacity"), k.dma_semaphores("left.recv", 2)}};

  for (Direction& way : both) barrier.signal(1, way.to);
  barrier.wait(2);

  for (Direction& way : both) {
    const int64_t block = (d - way.sign + n) % n;
    Copy first = k.async_copy(x.rows(block * h + way.first_row, half), way.slots.rows(0, half), copy_sem);
    first.start();
    first.wait();
  }
  k.grid(n - 1, [&](int64_t p) {
    const int64_t full = p % 2, empty = (p + 1) % 2;
    std::vector<Copy> hops;
    for (Direction& way : both) {
      if (p > 0) way.capacity.wait(1);
      hops.push_back(k.remote_copy(way.slots.rows(full * half, half), way.slots.rows(empty * half, half),
                                   way.send, way.recv[static_cast<size_t>(empty)], way.to));
      hops.back().start();
    }
    for (size_t i = 0; i < both.size(); ++i) {
      Direction& way = both[i];
      hops[i].wait();
      if (p + 2 < n) way.capacity.signal(1, way.from);
      const int64_t block = ((d - way.sign * (p + 2)) % n + n) % n;
      Copy own = k.async_copy(x.rows(block * h + way.first_row, half), part, copy_sem);
      own.start();
      own.wait();
      Ref sum = way.slots.rows(empty * half, half);
      k.add(sum, sum, part);
    }
  });
  for (Direction& way : both) {
    Ref sum = way.slots.rows((n - 1) % 2 * half, half);
    Copy result = k.async_copy(sum, out.rows(way.first_row, half), copy_sem);
    result.start();
    result.wait();
  }
}

}  // namespace

std::vector<KernelEntry> reduce_kernels() {
  return {
      {"ar.one_hop", "All-reduce by one hop: right on a ring of 2 alone", true, "ar.two_slot", 1, ar_one_hop,
       expect_summed},
      {"ar.seed", "The notebook's all-reduce: adds a scratch that nobody writes", true, "ar.two_slot", 1,
       ar_seed, expect_summed},
      {"ar.two_slot", "All-reduce round a ring through two slots and a capacity semaphore", false, "", 1,
       ar_two_slot, expect_summed},
      {"ar.two_slot.no_capacity", "The same without the capacity semaphore", true, "ar.two_slot", 1,
       ar_two_slot_no_capacity, expect_summed},
      {"rs.bidi", "Reduce-scatter both ways, half blocks, two capacity semaphores", false, "", 1, rs_bidi,
       expect_scattered},
  };
}

}  // namespace shardscope::kernels
