// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/runs/run_canvas.h"

namespace shardscope::inline window {

// Operations × time: a click on a cell marks its time and selects its operation. Up and Down walk the
// operations, comma and point the times.
class OperationsCanvas : public RunCanvas {
  Q_OBJECT
 public:
  using RunCanvas::RunCanvas;

 protected:
  QStringList tooltip(const ItemId& item) const override;
  void itemClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::vector<ItemId> cells() const;  // row after row
  void walk(int rows, int parts);
};

}  // namespace shardscope::inline window
