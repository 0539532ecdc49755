// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSlider>
#include <QWheelEvent>

namespace shardscope::inline window {

// The wheel over it scrolls the form that it is in, and changes nothing.
class StillSlider : public QSlider {
 public:
  using QSlider::QSlider;

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

}  // namespace shardscope::inline window
