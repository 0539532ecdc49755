// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/buffer_pool.h"

#include <iterator>
#include <new>

namespace shardscope::inline numerics {

namespace {

// Of buffers that nobody has. Sizes that come again are kept for; a long program with many sizes does not
// hold them all.
constexpr int64_t kMostIdle = int64_t{64} << 20;

}  // namespace

struct BufferPool::State {
  std::map<int64_t, std::vector<std::shared_ptr<std::byte[]>>> free;  // by size in bytes; none is empty
  int64_t idle = 0;                                                   // bytes of them
  int64_t most_idle = kMostIdle;
  int64_t taken = 0;
  bool whole = true;

  // Called while arrays are let go of, perhaps because memory ran out: what cannot be listed goes.
  void keep(int64_t bytes, std::shared_ptr<std::byte[]>& memory) noexcept {
    try {
      free[bytes].push_back(std::move(memory));
      idle += bytes;
    } catch (const std::bad_alloc&) {
      whole = false;
      std::erase_if(free, [](const auto& list) { return list.second.empty(); });
    }
  }

  // The largest first: those are touched the quickest.
  void trim() {
    while (idle > most_idle) {
      whole = false;
      const auto largest = std::prev(free.end());
      largest->second.pop_back();
      idle -= largest->first;
      if (largest->second.empty()) free.erase(largest);
    }
  }
};

BufferPool::BufferPool() : state_(std::make_shared<State>()) {}

BufferPool BufferPool::of_everything() {
  BufferPool pool;
  pool.state_->most_idle = INT64_MAX;
  return pool;
}

void BufferPool::trim() {
  state_->trim();
}

int64_t BufferPool::taken() const {
  return state_->taken;
}

bool BufferPool::whole() const {
  return state_->whole;
}

Array BufferPool::take(ElementType type, std::vector<int64_t> dims) {
  int64_t bytes = 1;
  for (int64_t dim : dims) bytes *= dim;
  bytes = stored_bytes(type, bytes);
  state_->taken += bytes;
  std::shared_ptr<std::byte[]> memory;
  int64_t size = bytes;  // of what is taken
  const auto free = state_->free.lower_bound(bytes);
  if (free == state_->free.end() || free->first > bytes + bytes / 4) {
    state_->trim();
    memory = Array::allocate(ElementType::u8, {bytes}).buffer();
  } else {
    size = free->first;
    memory = std::move(free->second.back());
    free->second.pop_back();
    if (free->second.empty()) state_->free.erase(free);
    state_->idle -= size;
  }
  std::byte* data = memory.get();
  // The pool may be gone when the last owner lets go; then the memory goes with it.
  auto give_back = [weak = std::weak_ptr<State>(state_), memory = std::move(memory),
                    size](std::byte*) mutable {
    const auto state = weak.lock();
    if (state) state->keep(size, memory);
    memory.reset();
  };
  return Array::adopt(type, std::move(dims), std::shared_ptr<std::byte[]>(data, std::move(give_back)));
}

}  // namespace shardscope::inline numerics
