// SPDX-License-Identifier: Apache-2.0
#include "engine/base/machine/large_pages.h"

#include <sys/mman.h>

namespace shardscope {

void prefer_large_pages(void* begin, size_t bytes) {
  constexpr size_t kPage = 4096, kMany = size_t{1} << 20;
  if (bytes < kMany) return;
  const size_t aside = (kPage - reinterpret_cast<size_t>(begin) % kPage) % kPage;
  madvise(static_cast<char*>(begin) + aside, (bytes - aside) / kPage * kPage, MADV_HUGEPAGE);
}

}  // namespace shardscope
