// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTabWidget>

#include "app/window/chip/kernel_editor.h"
#include "app/window/chip/kernel_findings.h"
#include "app/window/chip/kernel_side_canvases.h"
#include "app/window/chip/kernel_theatre.h"
#include "app/window/chip/kernel_tiles.h"
#include "app/window/chip/kernel_twin.h"

namespace shardscope::inline window {

// What stands beside the kernel: its findings, its text, the schedule as the reader chooses it, what mends
// it, its time, its tiles.
class KernelTabs : public QTabWidget {
  Q_OBJECT
 public:
  explicit KernelTabs(KernelPlayer& player, QWidget* parent = nullptr);
  KernelFindings* findings() { return findings_; }
  KernelEditor* editor() { return editor_; }
  KernelTheatre* theatre() { return theatre_; }
  KernelTwin* twin() { return twin_; }
  KernelTimeCanvas* timeCanvas() { return time_canvas_; }
  KernelTiles* tiles() { return tiles_; }
  bool fixIt();  // the twin beside the kernel, or away again; no: there is nothing to mend

 private:
  KernelFindings* findings_;
  KernelEditor* editor_;
  KernelTheatre* theatre_;
  KernelTwin* twin_;
  KernelTimeCanvas* time_canvas_;
  KernelTiles* tiles_;
};

}  // namespace shardscope::inline window
