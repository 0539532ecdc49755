// SPDX-License-Identifier: Apache-2.0
// A kernel's time: matrix unit, hbm, links and waiting of each device, and what fills vmem and semaphores
// meanwhile.
#pragma once

#include "engine/run/kernel/kernel_layout.h"
#include "engine/run/kernel/kernel_time.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct KernelTimeViewport {
  TimeRange range;     // empty: all of it
  int32_t device = 0;  // whose vmem and semaphores are drawn
  bool operator==(const KernelTimeViewport&) const = default;
};

// Events are Kind::event with their place in KernelTime::events, and their line of the listing as index.
Scene layout_kernel_time(const KernelLayout& layout, const KernelTime& time,
                         const KernelTimeViewport& viewport, const Canvas& canvas);
// For zooming at the cursor.
TimeAxis kernel_time_axis(const KernelTime& time, const KernelTimeViewport& viewport, const Canvas& canvas);
// The lines of an event's tooltip.
std::vector<std::string> describe_kernel_time(const KernelLayout& layout, const KernelTime& time,
                                              const ItemId& item);

}  // namespace shardscope::inline views
