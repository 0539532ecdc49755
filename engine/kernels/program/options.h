// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/element_type.h"
#include "engine/mesh/mesh.h"

namespace shardscope::kernels {

// What a kernel is built for. Sizes that a kernel does not name are not read; absent ones get the kernel's
// own default, small enough to run thousands of schedules.
struct KernelOptions {
  Mesh mesh;
  ElementType dtype = ElementType::f32;  // f32, bf16 or f16
  std::optional<int64_t> rows, cols;     // of one device's shard (collectives)
  std::optional<int64_t> m, k, n;        // of the global product (products)
  std::optional<int64_t> bm, bk, bn;     // tile
  std::optional<int64_t> chunks;
  int64_t vmem_limit = int64_t{16} << 20;  // bytes, the compiler's default scope
  // Of each device; bytes, and how many. Unset: no limit is known.
  std::optional<int64_t> hbm_limit, smem_limit, semaphore_limit;
  bool operator==(const KernelOptions&) const = default;
};

}  // namespace shardscope::kernels
