// SPDX-License-Identifier: Apache-2.0
#include "engine/base/free_memory.h"

#include <cstddef>
#include <malloc.h>

namespace shardscope {
namespace {

constexpr int kLargeBlock = 1 << 20;
constexpr int kMostOnTop = 8 << 20;                       // of the heap, before it shrinks
constexpr std::size_t kMostFree = std::size_t{32} << 20;  // less is not worth the walk over the heap

}  // namespace

void return_large_blocks_at_once() {
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  mallopt(M_TRIM_THRESHOLD, kMostOnTop);
}

void return_free_memory() {
  if (mallinfo2().fordblks > kMostFree) malloc_trim(0);
}

}  // namespace shardscope
