// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

namespace shardscope {

// Asks for large pages for an array that is about to be written: the first touch of many small pages takes
// longer than what is written into them, and looking them up again longer than a miss of the cache.
void prefer_large_pages(void* begin, size_t bytes);

// What vectors that may grow large are made with.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    void* const begin = ::operator new(bytes, std::align_val_t(alignment(bytes)));
    prefer_large_pages(begin, bytes);
    return static_cast<T*>(begin);
  }
  void deallocate(T* begin, size_t count) {
    ::operator delete(begin, std::align_val_t(alignment(count * sizeof(T))));
  }
  bool operator==(const LargePages&) const { return true; }

 private:
  static size_t alignment(size_t bytes) {
    constexpr size_t kPage = size_t{2} << 20, kLine = 64;
    return bytes < kPage ? kLine : kPage;
  }
};

}  // namespace shardscope
