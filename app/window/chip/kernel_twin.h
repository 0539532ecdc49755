// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPushButton>
#include <QWidget>

#include "app/window/chip/kernel_canvas.h"
#include "app/window/chip/kernel_side_canvases.h"
#include "app/window/document/background.h"

namespace shardscope::inline window {

// What mends a broken kernel: both texts, and the mended twin on the same schedule, step by step with the
// broken one. The twin is run beside the GUI thread, when it is asked for.
class KernelTwin : public QWidget {
  Q_OBJECT
 public:
  explicit KernelTwin(KernelPlayer& broken, QWidget* parent = nullptr);
  KernelPlayer& player() { return player_; }
  KernelCanvas* canvas() { return canvas_; }  // the panel puts it below the broken kernel's
  KernelFixCanvas* texts() { return texts_; }
  QPushButton* button() { return beside_; }

 Q_SIGNALS:
  void wanted();  // instead of the broken kernel

 private:
  void layOut();
  void load();

  KernelPlayer& broken_;
  KernelPlayer player_;
  KernelCanvas* canvas_;
  KernelFixCanvas* texts_;
  QPushButton *beside_, *instead_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
