// SPDX-License-Identifier: Apache-2.0
// The parts of a timeline picture and the rows in it.
#pragma once

#include <vector>

#include "views/scene/core/layouts.h"
#include "views/scene/core/pen.h"

namespace shardscope {

struct TimelineFrame {
  Rect area;
  Rect labels, ruler, beats, plot, minimap, summary, legend;  // minimap, summary: height 0 when absent
  TimeAxis axis;
};

// `area`: where the timeline may draw. `first`: it carries ruler and beats; `last`: legend and minimap.
struct TimelineParts {
  bool top = true;
  bool bottom = true;
  bool summary = false;
};
TimelineFrame timeline_frame(const ViewInput& input, TimeRange range, const Rect& area, TimelineParts parts,
                             const Pen& pen);
TimeRange visible_range(const TimelineViewport& viewport, Picoseconds total);

struct LaneStrip {
  int lane = 0;
  float y = 0, h = 0;  // from the top of its row
};

// Devices whose lanes do the same at the same times; the first stands for all.
struct DeviceRow {
  std::vector<int32_t> devices;
  float y = 0;  // from the top of the content
};

struct TimelineRows {
  std::vector<LaneStrip> strips;  // the same in every row: lanes that are used at all
  std::vector<DeviceRow> rows;
  std::vector<int32_t> row_of;  // by device
  float row_height = 0;
  bool exact = true;  // equal rows were compared event by event
  float height = 0;
  // The strip of `lane` on `device`; height 0 when it is not shown.
  Rect strip(const TimelineFrame& frame, float scroll, int32_t device, int lane) const;
};
TimelineRows timeline_rows(const ViewInput& input, bool collapse_equal, const Pen& pen);

// What timeline.cpp puts together.
struct TimelineContext {
  const ViewInput& input;
  const TimelineViewport& viewport;
  const Selection& selection;
  const TimelineFrame& frame;
  const TimelineRows& rows;
  int32_t run_tag = -1;    // ItemId::index of events: which of two runs
  bool has_moment = true;  // the clock's is a moment of this run
};
void draw_timeline(Pen& pen, const TimelineContext& context);
// A run timed again with what it was as a ghost behind it, in the same rows; false: they are too thin for
// both, and nothing is drawn.
bool draw_before_ghost(Pen& pen, const ViewInput& then, const ViewInput& base,
                       const TimelineViewport& viewport, const Selection& selection);
void draw_timeline_strips(Pen& pen, const TimelineContext& context);
void draw_timeline_ruler(Pen& pen, const TimelineContext& context);
void draw_timeline_beats(Pen& pen, const TimelineContext& context);
void draw_critical_path(Pen& pen, const TimelineContext& context);
void draw_selection_arrows(Pen& pen, const TimelineContext& context);
void draw_timeline_range(Pen& pen, const TimelineContext& context);
void draw_playhead(Pen& pen, const TimelineContext& context);
void draw_minimap(Pen& pen, const TimelineContext& context);
void draw_timeline_legend(Pen& pen, const TimelineContext& context);

}  // namespace shardscope
