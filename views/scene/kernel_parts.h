// SPDX-License-Identifier: Apache-2.0
// The pieces that the kernel canvas is put together from.
#pragma once

#include <vector>

#include "views/scene/kernel_canvas.h"
#include "views/scene/pen.h"

namespace shardscope {

// Where a device's card and its buffers were drawn, for arrows between them.
struct KernelCard {
  Rect rect;
  std::vector<Rect> buffers;  // by buffer; empty (w = 0) where one is not drawn
};

// The devices in `area`, as the mesh has them: its last axis to the right.
std::vector<KernelCard> draw_kernel_devices(Pen& pen, const KernelViewInput& input,
                                            const KernelViewport& viewport, const Rect& area);
void draw_kernel_dmas(Pen& pen, const KernelViewInput& input, const std::vector<KernelCard>& cards);

}  // namespace shardscope
