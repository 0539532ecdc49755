// SPDX-License-Identifier: Apache-2.0
// The kernel canvas: the program's text with the line where each device stands, devices with their buffers
// and semaphores, DMAs in flight between them, and what was found up to this step. A pure function, as all
// views.
#pragma once

#include <string>
#include <vector>

#include "engine/run/kernel_run.h"
#include "views/scene/layouts.h"

namespace shardscope {

struct KernelViewInput {
  const KernelLayout& layout;
  const KernelFrame& frame;
  int64_t steps = 0;  // of the whole schedule
};

struct KernelViewport {
  int32_t first_line = 0;  // of the listing shown, from 1; 0: so that the devices' lines are in sight
  int32_t device = -1;     // lifted out, -1: none
  bool operator==(const KernelViewport&) const = default;
};

// Ids of its items: a device's card is Kind::device; a buffer Kind::buffer with the buffer's number as index;
// a DMA Kind::link with its number as index; a line of the listing Kind::instruction with the line as index;
// a finding Kind::step with the step as index, where it was noticed.
Scene layout_kernel(const KernelViewInput& input, const KernelViewport& viewport, const Canvas& canvas);

// "step 41 of 320, device 2, line 24: hop.start();" and what is in flight, for a screen reader and the title.
std::string narrate_kernel(const KernelViewInput& input);

// A broken kernel's text beside its mended twin's: which lines stand beside each other; 0: nothing does.
struct KernelLinePair {
  int32_t broken = 0, mended = 0;  // lines, from 1
  bool operator==(const KernelLinePair&) const = default;
};
std::vector<KernelLinePair> compare_kernels(const KernelListing& broken, const KernelListing& mended);
// Both texts from pair `first_row` on, what differs marked. Lines are Kind::instruction with the line as
// index.
Scene layout_kernel_fix(const KernelLayout& broken, const KernelLayout& mended, int32_t first_row,
                        const Canvas& canvas);

}  // namespace shardscope
