// SPDX-License-Identifier: Apache-2.0
// All-gathers both ways round the ring, and the permutation that they are made of.
#include "engine/kernels/catalogue/library.h"

namespace shardscope::kernels {
namespace {

// Upper halves of shards travel right, lower halves left, all the way round.
void ag_bidi_halves(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  k.require(h % 2 == 0, "needs an even number of rows per shard");
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_right = k.dma_semaphore("send_right"), send_left = k.dma_semaphore("send_left");
  std::vector<Semaphore> recv_right = k.dma_semaphores("recv_right", n - 1);
  std::vector<Semaphore> recv_left = k.dma_semaphores("recv_left", n - 1);

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  Copy own = k.async_copy(x, out.rows(d * h, h), copy_sem);
  own.start();
  own.wait();
  k.grid(n - 1, [&](int64_t p) {
    Ref upper = out.rows((d - p + n) % n * h, h / 2);
    Ref lower = out.rows((d + p) % n * h + h / 2, h / 2);
    const size_t step = static_cast<size_t>(p);
    Copy to_right = k.remote_copy(upper, upper, send_right, recv_right[step], right);
    Copy to_left = k.remote_copy(lower, lower, send_left, recv_left[step], left);
    to_right.start();
    to_left.start();
    to_right.wait();
    to_left.wait();
  });
}

// Whole shards both ways. For even n the last step brings the shard of the device opposite from both sides,
// to the same place.
void ag_bidi_whole(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  const int64_t steps = n / 2;
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore copy_sem = k.dma_semaphore("copy_sem");
  Semaphore send_right = k.dma_semaphore("send_right"), send_left = k.dma_semaphore("send_left");
  std::vector<Semaphore> recv_right = k.dma_semaphores("recv_right", steps);
  std::vector<Semaphore> recv_left = k.dma_semaphores("recv_left", steps);

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  Copy own = k.async_copy(x, out.rows(d * h, h), copy_sem);
  own.start();
  own.wait();
  k.grid(steps, [&](int64_t p) {
    Ref going_right = out.rows((d - p + n) % n * h, h);
    Ref going_left = out.rows((d + p) % n * h, h);
    const size_t step = static_cast<size_t>(p);
    Copy to_right = k.remote_copy(going_right, going_right, send_right, recv_right[step], right);
    Copy to_left = k.remote_copy(going_left, going_left, send_left, recv_left[step], left);
    to_right.start();
    to_left.start();
    to_right.wait();
    to_left.wait();
  });
}

// As the notebook has it: the grid is 1 whatever the ring, so shards travel one hop. The barrier is the one
// that Pallas puts before a kernel that declares none.
void ag_bidi_seed(Kernel& k) {
  const int64_t n = k.axis_size("x"), d = k.axis_index("x");
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", n * h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore local_send_sem = k.dma_semaphore("local_send_sem");
  Semaphore send_sem_right = k.dma_semaphore("send_sem_right");
  Semaphore send_sem_left = k.dma_semaphore("send_sem_left");
  Semaphore recv_sem_right = k.dma_semaphore("recv_sem_right");
  Semaphore recv_sem_left = k.dma_semaphore("recv_sem_left");

  barrier.signal(1, left);
  barrier.signal(1, right);
  barrier.wait(2);

  k.grid(1, [&](int64_t pid) {
    Ref going_right = out.rows((d - pid + n) % n * h, h);
    Ref going_left = out.rows((d + pid) % n * h, h);
    k.when(pid == 0, [&] {
      Copy local_copy = k.async_copy(x, out.rows(d * h, h), local_send_sem);
      local_copy.start();
      local_copy.wait();
    });
    Copy right_dma = k.remote_copy(going_right, going_right, send_sem_right, recv_sem_right, right);
    Copy left_dma = k.remote_copy(going_left, going_left, send_sem_left, recv_sem_left, left);
    right_dma.start();
    left_dma.start();
    right_dma.wait();
    left_dma.wait();
  });
}

// Every device hands its array to the right.
void permute(Kernel& k) {
  const int64_t left = k.neighbour("x", -1), right = k.neighbour("x", +1);
  const int64_t h = k.options().rows.value_or(8), w = k.options().cols.value_or(128);
  Ref x = k.input("x", h, w);
  Ref out = k.output("out", h, w);
  Semaphore barrier = k.barrier_semaphore();
  Semaphore send_sem = k.dma_semaphore("send_sem");
  Semaphore recv_sem = k.dma_semaphore("recv_sem");

  barrier.signal(1, left);
  barrier.wait(1);

  Copy hop = k.remote_copy(x, out, send_sem, recv_sem, right);
  hop.start();
  hop.wait();
}

}  // namespace

std::vector<KernelEntry> bidirectional_kernels() {
  return {
      {"ag.bidi.halves", "All-gather both ways, half shards each way", false, "", 1, ag_bidi_halves,
       expect_gathered},
      {"ag.bidi.whole", "All-gather both ways, whole shards: broken on even rings", true, "ag.bidi.halves", 1,
       ag_bidi_whole, expect_gathered},
      {"ag.bidi.seed", "The notebook's all-gather both ways, grid 1: right on a ring of 3 alone", true,
       "ag.bidi.halves", 1, ag_bidi_seed, expect_gathered},
  };
}

std::vector<KernelEntry> permute_kernels() {
  return {
      {"permute", "Every device hands its array to the right", false, "", 1, permute, expect_permuted},
  };
}

}  // namespace shardscope::kernels
