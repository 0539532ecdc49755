// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/make_run_canvas.h"

#include "app/window/runs/operations_canvas.h"
#include "app/window/runs/plane_canvas.h"
#include "app/window/runs/timeline_canvas.h"

namespace shardscope::inline window {

RunCanvas* make_run_canvas(const RunView& view, Clock& clock, QWidget* parent) {
  switch (view.moves) {
    case RunView::Moves::plane:
      return new PlaneCanvas(view, clock, parent);
    case RunView::Moves::time:
      return new TimelineCanvas(view, clock, parent);
    case RunView::Moves::parts:
      return new OperationsCanvas(view, clock, parent);
    case RunView::Moves::nothing:
      break;
  }
  return new RunCanvas(view, clock, parent);
}

}  // namespace shardscope::inline window
