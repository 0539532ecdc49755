// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/array/buffer_pool.h"

namespace shardscope {

struct BufferPool::State {
  std::map<int64_t, std::vector<std::shared_ptr<std::byte[]>>> free;  // by size in bytes
};

BufferPool::BufferPool() : state_(std::make_shared<State>()) {}

Array BufferPool::take(ElementType type, std::vector<int64_t> dims) {
  int64_t bytes = 1;
  for (int64_t dim : dims) bytes *= dim;
  bytes = byte_size(type, bytes);
  std::shared_ptr<std::byte[]> memory;
  auto& free = state_->free[bytes];
  if (free.empty()) {
    memory = Array::allocate(ElementType::u8, {bytes}).buffer();
  } else {
    memory = std::move(free.back());
    free.pop_back();
  }
  std::byte* data = memory.get();
  // The pool may be gone when the last owner lets go; then the memory goes with it.
  auto give_back = [weak = std::weak_ptr<State>(state_), memory = std::move(memory),
                    bytes](std::byte*) mutable {
    if (auto state = weak.lock()) state->free[bytes].push_back(std::move(memory));
    memory.reset();
  };
  return Array::adopt(type, std::move(dims), std::shared_ptr<std::byte[]>(data, std::move(give_back)));
}

}  // namespace shardscope
