// SPDX-License-Identifier: Apache-2.0
// The pieces that the kernel canvas is put together from.
#pragma once

#include <vector>

#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/listing.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {

// Where a device's card and its buffers were drawn, for arrows between them.
struct KernelCard {
  Rect rect;
  std::vector<Rect> buffers;  // by buffer; empty (w = 0) where one is not drawn
};

inline constexpr float kCodeSize = 0.9F;  // of the letters of code

// How many of the listing's last lines fit: from there on nothing is left to scroll to.
int32_t last_lines_that_fit(const Pen& pen, const KernelViewInput& input, const Rect& listing);
void draw_kernel_listing(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
                         const KernelAreas& areas);
// The devices in areas.devices, zoomed and panned: as the mesh has them, its last axis to the right; a ring
// goes round in two rows, so that neighbours stand side by side.
std::vector<KernelCard> draw_kernel_devices(Pen& pen, const KernelViewInput& input,
                                            const KernelViewport& viewport, const Rect& area);
void draw_kernel_dmas(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport,
                      const std::vector<KernelCard>& cards);
// What was found up to here or, of the finding looked at, both accesses and what is missing; what the signs
// mean.
void draw_kernel_foot(Pen& pen, const KernelViewInput& input, const Rect& area);
float kernel_foot_height(const Pen& pen, const KernelViewInput& input, float width);

// "4.0 KiB" of a DMA semaphore, "2" of another.
std::string semaphore_value(const KernelSemaphore& semaphore, int64_t value);

}  // namespace shardscope::inline views
