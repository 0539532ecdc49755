// SPDX-License-Identifier: Apache-2.0
// What a kernel is made of, on every device: buffers, semaphores and the text of its program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline run {

// Where a buffer lives. Compute units read and write vmem and smem; hbm is reached by DMA alone.
enum class MemorySpace : uint8_t { hbm, vmem, smem };
const char* name(MemorySpace space);  // "hbm"

enum class SemaphoreKind : uint8_t { dma, regular, barrier };
const char* name(SemaphoreKind kind);

// A 2-D part of a buffer: rows [row, row + rows), columns [col, col + cols).
struct Box {
  int64_t row = 0, col = 0, rows = 0, cols = 0;
  int64_t elements() const { return rows * cols; }
  bool overlaps(const Box& o) const {
    return row < o.row + o.rows && o.row < row + rows && col < o.col + o.cols && o.col < col + cols;
  }
  bool covers(const Box& o) const {
    return row <= o.row && col <= o.col && row + rows >= o.row + o.rows && col + cols >= o.col + o.cols;
  }
  bool operator==(const Box&) const = default;
};

// The same buffer and semaphore exist on every device.
struct KernelBuffer {
  enum class Role : uint8_t { input, output, scratch };
  std::string name;
  MemorySpace space = MemorySpace::hbm;
  Role role = Role::scratch;
  ElementType type = ElementType::f32;
  int64_t rows = 0, cols = 0;
  bool scoped = false;  // exists only between its alloc and free (a pipeline's blocks)
  // Mesh axes, -1: none. On the first all devices are given the same numbers, or an output's out_specs say
  // that they have the same; on the second they say that each has its own rows.
  int32_t replicated_over = -1, sharded_over = -1;
  int64_t bytes() const { return byte_size(type, rows * cols); }
  Box box() const { return {0, 0, rows, cols}; }
  bool operator==(const KernelBuffer&) const = default;
};
struct KernelSemaphore {
  std::string name;  // "recv[2]"
  SemaphoreKind kind = SemaphoreKind::dma;
  bool operator==(const KernelSemaphore&) const = default;
};

// A kernel's text, as its author wrote it; line i of the kernel is lines[i - 1].
struct KernelListing {
  std::string file;     // that it came from; empty: it is in the catalogue
  std::string comment;  // what its author wrote above it, in one line; may be empty
  int32_t head = 0;     // how many of its first lines say what it is: its name, its title
  std::vector<std::string> lines;
  bool operator==(const KernelListing&) const = default;
};

// What exists on every device, whatever happens.
struct KernelLayout {
  std::string kernel;  // id
  Mesh mesh;
  KernelListing listing;
  std::vector<KernelBuffer> buffers;
  std::vector<KernelSemaphore> semaphores;
  int64_t vmem_limit = 0;
  bool operator==(const KernelLayout&) const = default;
};

}  // namespace shardscope::inline run
