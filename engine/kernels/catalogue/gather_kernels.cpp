// SPDX-License-Identifier: Apache-2.0
// All-gathers. Device d of n starts with a shard of h rows and ends with all n·h.
#include "engine/kernels/catalogue/library.h"

namespace shardscope::kernels {
namespace {

void ag_ring(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_sem = k.dma_semaphore("send_sem");
  std::vector<Semaphore> recv_sem = k.dma_semaphores("recv_sem", n - 1);

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  Copy own = k.async_copy(x, out.rows(d * h, h), copy_sem);
  own.start();
  own.wait();
  k.grid(n - 1, [&](int64_t p) {
    const int64_t slot = (d - p + n) % n;
    Ref shard = out.rows(slot * h, h);
    Copy hop = k.remote_copy(shard, shard, send_sem, recv_sem[static_cast<size_t>(p)], right);
    hop.start();
    hop.wait();
  });
}

// One receive semaphore for all steps: the shard of step p + 1 can arrive first and pass for that of step p.
void ag_ring_one_semaphore(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_sem = k.dma_semaphore("send_sem");
  Semaphore recv_sem = k.dma_semaphore("recv_sem");

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  Copy own = k.async_copy(x, out.rows(d * h, h), copy_sem);
  own.start();
  own.wait();
  k.grid(n - 1, [&](int64_t p) {
    const int64_t slot = (d - p + n) % n;
    Ref shard = out.rows(slot * h, h);
    Copy hop = k.remote_copy(shard, shard, send_sem, recv_sem, right);
    hop.start();
    hop.wait();
  });
}

// No entry barrier: the neighbour may not be inside the kernel yet when the first shard arrives.
void ag_ring_no_barrier(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_sem = k.dma_semaphore("send_sem");
  std::vector<Semaphore> recv_sem = k.dma_semaphores("recv_sem", n - 1);

  Copy own = k.async_copy(x, out.rows(d * h, h), copy_sem);
  own.start();
  own.wait();
  k.grid(n - 1, [&](int64_t p) {
    const int64_t slot = (d - p + n) % n;
    Ref shard = out.rows(slot * h, h);
    Copy hop = k.remote_copy(shard, shard, send_sem, recv_sem[static_cast<size_t>(p)], right);
    hop.start();
    hop.wait();
  });
}

// Every device hands its shard to all others at once: one step, n - 1 copies in flight, and as many
// semaphores as there are distances.
void ag_direct(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  std::vector<Semaphore> send_sem = k.dma_semaphores("send_sem", n - 1);
  std::vector<Semaphore> recv_sem = k.dma_semaphores("recv_sem", n - 1);

  for (int64_t s = 1; s < n; ++s) barrier.signal(1, k.neighbour("x", s));
  if (n > 1) barrier.wait(n - 1);

  Ref shard = out.rows(d * h, h);
  Copy own = k.async_copy(x, shard, copy_sem);
  own.start();
  std::vector<Copy> sent;
  for (int64_t s = 1; s < n; ++s) {
    const size_t at = static_cast<size_t>(s - 1);
    sent.push_back(k.remote_copy(x, shard, send_sem[at], recv_sem[at], k.neighbour("x", s)));
    sent.back().start();
  }
  own.wait();
  for (Copy& copy : sent) copy.wait();
}

}  // namespace

std::vector<KernelEntry> gather_kernels() {
  return {
      {"ag.ring", "All-gather round a ring, a receive semaphore per step", false, "", 1, ag_ring,
       expect_gathered},
      {"ag.ring.one_semaphore", "The same with one receive semaphore for all steps", true, "ag.ring", 1,
       ag_ring_one_semaphore, expect_gathered},
      {"ag.ring.no_barrier", "The same without an entry barrier", true, "ag.ring", 1, ag_ring_no_barrier,
       expect_gathered},
      {"ag.direct", "All-gather in one step: every device hands its shard to all others at once", false, "",
       1, ag_direct, expect_gathered},
  };
}

}  // namespace shardscope::kernels
