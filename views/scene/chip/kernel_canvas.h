// SPDX-License-Identifier: Apache-2.0
// The kernel canvas: the program's text with the line where each device stands, devices with their buffers
// and semaphores, DMAs in flight between them, and what was found up to this step. A pure function, as all
// views.
#pragma once

#include <string>
#include <vector>

#include "engine/run/kernel/compare_listings.h"
#include "engine/run/kernel/kernel_run.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

struct KernelViewInput {
  const KernelLayout& layout;
  const KernelFrame& frame;
  int64_t steps = 0;                       // of the whole schedule
  const KernelFinding* finding = nullptr;  // looked at: its two accesses are marked, and it is told in full
  std::vector<int32_t> unlike{};           // lines that are marked: its twin has them otherwise
  bool bare = false;  // without what says which kernel it is, and what is wrong in it: the head of its text
};

struct KernelViewport {
  int32_t first_line = 0;  // of the listing shown, from 1; 0: so that the devices' lines are in sight
  float zoom = 1;          // of the devices
  Point pan;
  ItemId hovered;
  ItemId selected;  // a device is lifted out, a DMA stands out, a line is brought in sight
  bool operator==(const KernelViewport&) const = default;
};

// Where the listing and the devices are drawn, for scrolling one and panning the other.
struct KernelAreas {
  Rect lesson, listing, devices, foot;  // lesson: what the kernel's author wrote above it
  int32_t lines = 0;                    // of the listing, that fit
};
KernelAreas kernel_areas(const KernelViewInput& input, const Canvas& canvas);

// Ids of its items: a device's card is Kind::device; a buffer Kind::buffer with the buffer's number as index;
// a semaphore Kind::handle with its number as index; a DMA Kind::link with its number as index; a line of the
// listing Kind::instruction with the line as index; a finding Kind::step with its place in the frame's
// findings as index.
Scene layout_kernel(const KernelViewInput& input, const KernelViewport& viewport, const Canvas& canvas);

// A moment of a lesson, which asks what is wrong: without the head of the text. What was found last is told
// in full. `unlike`: lines that its twin has otherwise.
Scene layout_kernel_moment(const KernelLayout& layout, const KernelFrame& frame, int64_t steps,
                           const std::vector<int32_t>& unlike, const Canvas& canvas);

// "step 41 of 320: device 2, line 24: hop.start();", steps from 0 as in findings, and who waits for what, for
// a screen reader and the title.
std::string narrate_kernel(const KernelViewInput& input);
// The lines of a tooltip; without the numbers, which a frame does not hold.
std::vector<std::string> describe_kernel(const KernelViewInput& input, const ItemId& item);
// "recv_sem has 0 B, wants 4.0 KiB; DMA 3 from device 1 brings it"; empty when the device waits for nothing.
std::string kernel_wait_text(const KernelViewInput& input, int32_t device);

// Both texts from pair `first_row` on, beside each other or, where that is too narrow, as one text; what
// differs is marked. Lines are Kind::instruction with the line as
// index.
Scene layout_kernel_fix(const KernelLayout& broken, const KernelLayout& mended, int32_t first_row,
                        const Canvas& canvas);

}  // namespace shardscope::inline views
