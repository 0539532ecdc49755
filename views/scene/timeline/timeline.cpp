// SPDX-License-Identifier: Apache-2.0
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope {
namespace {

// Says why there is nothing to draw, if so.
bool nothing_to_draw(Pen& pen, const ViewInput& input) {
  if (input.run.status != RunStatus::done && input.trace.event_count() == 0) {
    pen.empty_state("This run has no timeline", "It did not finish; its reason stands in the table of runs.");
    return true;
  }
  if (input.trace.devices() == 0 || (input.trace.event_count() == 0 && input.trace.total() == 0)) {
    pen.empty_state("The timeline shows what every device does, and when",
                    "This program takes no time: it neither computes nor communicates.");
    return true;
  }
  return false;
}

}  // namespace

void draw_timeline(Pen& pen, const TimelineContext& c) {
  draw_timeline_ruler(pen, c);
  draw_timeline_beats(pen, c);
  draw_timeline_strips(pen, c);
  draw_critical_path(pen, c);
  draw_selection_arrows(pen, c);
  draw_timeline_range(pen, c);
  draw_playhead(pen, c);
  draw_minimap(pen, c);
  draw_timeline_legend(pen, c);
}

Scene layout_timeline(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                      const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (nothing_to_draw(pen, input)) return scene;
  TimelineParts parts;
  parts.summary = selection.range && selection.range->length() > 0;
  const TimelineFrame frame = timeline_frame(input, visible_range(viewport, input.trace.total()),
                                             {0, 0, canvas.width, canvas.height}, parts, pen);
  const TimelineRows rows = timeline_rows(input, viewport.collapse_equal, pen);
  draw_timeline(pen, {input, viewport, selection, frame, rows});
  return scene;
}

}  // namespace shardscope
