// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#ifndef SHARDSCOPE_PLAIN_THREADS
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace shardscope {

namespace {
int thread_count(int wanted) {
  const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return wanted > 0 ? wanted : machine;
}
}  // namespace

#ifdef SHARDSCOPE_PLAIN_THREADS

struct Workers::Arena {
  int threads;
};

Workers::Workers(int threads) : arena_(new Arena{thread_count(threads)}) {}

// A loop within a loop has no threads of its own: there would be as many as their product.
static thread_local bool is_within_loop = false;

void Workers::parallel_for(int64_t count, const std::function<void(int64_t)>& body, int64_t grain) const {
  const int64_t tasks = (count + grain - 1) / grain;
  if (is_within_loop || arena_->threads == 1 || tasks <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    is_within_loop = true;
    for (int64_t first = 0; (first = next.fetch_add(grain)) < count;)
      for (int64_t i = first; i < std::min(count, first + grain); ++i) body(i);
    is_within_loop = false;
  };
  std::vector<std::thread> others;
  for (int64_t t = 1; t < std::min<int64_t>(arena_->threads, tasks); ++t) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
}

#else

struct Workers::Arena {
  explicit Arena(int n) : threads(n), arena(n) {
    // oneTBB has as many workers as cores unless told; of several limits the least holds, so set only larger
    // ones.
    if (n > thread_count(0))
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(n));
  }
  int threads;
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

Workers::Workers(int threads) : arena_(new Arena(thread_count(threads))) {}

void Workers::parallel_for(int64_t count, const std::function<void(int64_t)>& body, int64_t grain) const {
  if (count <= 0) return;
  if (arena_->threads == 1 || count <= grain) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, count, static_cast<size_t>(grain)),
        [&](const tbb::blocked_range<int64_t>& range) {
          for (int64_t i = range.begin(); i < range.end(); ++i) body(i);
        },
        tbb::simple_partitioner());
  });
}

#endif

Workers::~Workers() = default;
int Workers::threads() const {
  return arena_->threads;
}

}  // namespace shardscope
