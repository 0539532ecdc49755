// SPDX-License-Identifier: Apache-2.0
// A kernel on a chip's numbers: when its statements and DMAs run, and what fills vmem and semaphores
// meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline run {

// A lane of a device: its matrix unit, its hbm channel, its links, and its own waiting.
enum class KernelLane : uint8_t { mxu, hbm, link, wait };
const char* name(KernelLane lane);

struct KernelEvent {
  Picoseconds start = 0, end = 0;
  KernelLane lane = KernelLane::mxu;
  int32_t device = 0;  // of a remote DMA the sender
  int32_t peer = -1;   // of a remote DMA the receiver
  int32_t line = 0;
  int32_t dma = -1;
  int32_t semaphore = -1;  // of a wait
  int64_t bytes = 0;
  double flops = 0;
  bool operator==(const KernelEvent&) const = default;
};

struct KernelPoint {  // a value from `time` on
  Picoseconds time = 0;
  int64_t value = 0;
  bool operator==(const KernelPoint&) const = default;
};

struct KernelDeviceTime {
  Picoseconds end = 0;  // when it leaves
  Picoseconds mxu = 0, hbm = 0, link = 0, wait = 0;
  // Around and between its products: before the first (filling), while none runs (bubbles), after the last.
  Picoseconds prologue = 0, bubbles = 0, epilogue = 0;
  double flops = 0;
  int64_t hbm_bytes = 0;                             // read and written, by DMAs here and from elsewhere
  int64_t link_bytes = 0;                            // sent
  std::vector<KernelPoint> vmem;                     // bytes
  std::vector<std::vector<KernelPoint>> semaphores;  // by semaphore
  bool operator==(const KernelDeviceTime&) const = default;
};

// Where the kernel stands under the roof of its busiest device: flops per byte of hbm, and what limits it
// there.
struct KernelRoofline {
  double flops_per_byte = 0;
  double flops_per_s = 0;       // achieved
  double roof_flops_per_s = 0;  // min(peak, flops per byte × hbm bandwidth)
  double mxu_utilisation = 0;   // flops over what the matrix unit could have done while it was busy
  std::string
      bound;  // "compute", "hbm" or "link", busy for most of the longest device's time; else "latency"
  bool operator==(const KernelRoofline&) const = default;
};

struct KernelTime {
  Picoseconds total = 0;
  std::vector<KernelEvent> events;  // by (start, device, lane)
  std::vector<KernelDeviceTime> devices;
  std::vector<KernelPoint> in_flight;  // DMAs of all devices
  KernelRoofline roofline;
  std::vector<std::string> assumptions;
  bool operator==(const KernelTime&) const = default;
};

}  // namespace shardscope::inline run
