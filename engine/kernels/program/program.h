// SPDX-License-Identifier: Apache-2.0
// A kernel as the machine runs it: what every device does, statement by statement. Loops are unrolled and
// every index is a number, because a kernel's control flow depends on the device and the grid alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run/kernel/kernel_run.h"

namespace shardscope::kernels {

// A part of a buffer of KernelLayout::buffers.
struct Slice {
  int32_t buffer = -1;
  Box box;
  bool operator==(const Slice&) const = default;
};

enum class OpKind : uint8_t {
  enter,   // the device is inside the kernel: its scratch and its semaphores exist
  start,   // a DMA from `a` here to `dst` on `device`
  wait,    // blocks until `semaphore` holds `units`, then takes them
  signal,  // adds `units` to `semaphore` of `device`
  zero,    // dst = 0
  add,     // dst = a + b
  dot,     // dst += a · b, summed in f32
  store,   // dst = a, rounded to dst's type
  alloc,   // the scoped buffer `dst` exists from here on, uninitialised
  free,
  exit,
};

// One statement of one device. Fields that do not apply are -1 or empty.
struct Op {
  OpKind kind = OpKind::enter;
  int32_t line = 0;        // of the listing, from 1
  int32_t grid_step = -1;  // number of the grid loop's round around it
  Slice dst, a, b;
  int32_t device = -1;     // target of a start or a signal
  int32_t semaphore = -1;  // of a start the one that tells when its source was read; -1: nobody is told
  int32_t receive_semaphore = -1;  // told when a copy is written
  bool acknowledged = false;       // that is the starter's own semaphore, also where the target is a peer
  int64_t units = 0;
  // The device whose receive_semaphore is told of a copy that `source` started.
  int32_t told_device(int32_t source) const { return acknowledged ? source : device; }
  bool operator==(const Op&) const = default;
};

// `defects` are what is wrong whatever the schedule: found while building (illegal revisits, VMEM overflow).
struct KernelProgram {
  KernelLayout layout;
  std::vector<std::vector<Op>> devices;  // by device
  std::vector<KernelFinding> defects;
  int64_t peak_vmem = 0;     // bytes on each device
  int64_t flops = 0;         // of all devices' dots
  int64_t needed_flops = 0;  // of the products that the result takes; the rest is wasted
  bool operator==(const KernelProgram&) const = default;

  const KernelBuffer& buffer(int32_t id) const { return layout.buffers[static_cast<size_t>(id)]; }
  const KernelSemaphore& semaphore(int32_t id) const { return layout.semaphores[static_cast<size_t>(id)]; }
  int32_t device_count() const { return static_cast<int32_t>(devices.size()); }
  int64_t bytes(const Slice& slice) const {
    return byte_size(buffer(slice.buffer).type, slice.box.elements());
  }
};

// "out[8:16, 0:128]", or "out" when it is the whole buffer.
std::string slice_text(const KernelLayout& layout, int32_t buffer, const Box& box);

}  // namespace shardscope::kernels
