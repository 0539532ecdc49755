// SPDX-License-Identifier: Apache-2.0
// One device of the kernel canvas: its state, its buffers with their written rows, its semaphores.
#pragma once

#include "views/scene/chip/kernel_parts.h"

namespace shardscope::inline views {

class KernelCardPainter {
 public:
  KernelCardPainter(Pen& pen, const KernelViewInput& input, const KernelViewport& viewport, int32_t device,
                    const Rect& rect);
  KernelCard paint();

 private:
  void head();
  void waiting();
  void buffers();
  void buffer(int32_t b);
  void semaphores();
  bool semaphore(int32_t s, float& x);  // false: no room is left
  bool part_of_finding() const;
  ItemId item(ItemId::Kind kind, int32_t index) const;

  Pen& pen_;
  const KernelViewInput& input_;
  const KernelViewport& viewport_;
  int32_t device_;
  const KernelDeviceState& state_;
  float row_, buffer_row_ = 0, y_ = 0;
  KernelCard card_;
};

}  // namespace shardscope::inline views
