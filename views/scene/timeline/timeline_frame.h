// SPDX-License-Identifier: Apache-2.0
// The parts of a timeline picture and the rows in it.
#pragma once

#include <array>
#include <vector>

#include "views/scene/core/layouts.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {

struct TimelineFrame {
  Rect area;
  Rect labels, ruler, beats, layers, counts, plot, minimap, summary, legend;  // of height 0 when absent
  TimeAxis axis;
};

// `area`: where the timeline may draw. `first`: it carries ruler and beats; `last`: legend and minimap.
struct TimelineParts {
  bool top = true;
  bool bottom = true;
  bool summary = false;
  bool counts = false;
};
TimelineFrame timeline_frame(const ViewInput& input, TimeRange range, const Rect& area, TimelineParts parts,
                             const Pen& pen);
TimeRange visible_range(const TimelineViewport& viewport, Picoseconds total);

struct LaneStrip {
  int lane = 0;
  float y = 0, h = 0;  // from the top of its row
};

// Devices that share a row: their lanes do the same at the same times, or a group that is folded. Or the head
// of a group whose devices follow, which has no lanes.
struct DeviceRow {
  std::vector<int32_t> devices;  // of a head: none
  int32_t shown = -1;  // the one whose lanes are drawn: the first, of a group the one that waits most
  int32_t like = -1;   // EqualDevices::like of it
  int64_t group = -1;  // of a head and of a fold: the coordinate
  int32_t group_size = 0;
  bool folded = false;
  float y = 0, h = 0;  // from the top of the content
};

struct TimelineRows {
  std::vector<LaneStrip> strips;  // the same in every row: lanes that are used at all
  bool thin = false;              // the strips lie on each other, the one of computation on top
  std::vector<DeviceRow> rows;    // first those that are pinned
  size_t pinned = 0;
  float pinned_height = 0;
  std::vector<int32_t> row_of;  // by device; -1: it has none
  float row_height = 0;         // of a device
  bool exact = true;            // equal rows were compared event by event
  float height = 0;
  // The strip of `lane` on `device`; height 0 when it is not shown.
  Rect strip(const TimelineFrame& frame, float scroll, int32_t device, int lane) const;
  // Where a row stands, and where a device's row may be drawn: below the pinned ones, or among them.
  float top(const TimelineFrame& frame, float scroll, size_t row) const;
  Rect room(const TimelineFrame& frame, size_t row) const;
  // Half open: the pinned rows, then those of the others that are seen at least in part.
  struct Span {
    size_t first = 0, last = 0;
  };
  std::array<Span, 2> visible(const TimelineFrame& frame, float scroll) const;
};
// `room`: the height of the plot.
TimelineRows timeline_rows(const ViewInput& input, const TimelineViewport& viewport, float room,
                           const Pen& pen);
// In so many cells the time of each lane is drawn, so that a picture of many rows costs no more than one of
// few.
int lane_pixels(const TimelineFrame& frame, size_t strips);

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
Color lane_color(const Theme& theme, const Lane& lane);
void draw_timeline_strips(Pen& pen, const TimelineContext& context);
void draw_row_heads(Pen& pen, const TimelineContext& context);
void draw_timeline_counts(Pen& pen, const TimelineContext& context);
void draw_timeline_ruler(Pen& pen, const TimelineContext& context);
void draw_timeline_beats(Pen& pen, const TimelineContext& context);
// Under the beats: layers that are alike, a line for those at the same time; nothing when no sums are at
// hand.
size_t layer_lines(const ViewInput& input);
void draw_timeline_layers(Pen& pen, const TimelineContext& context);
void draw_critical_path(Pen& pen, const TimelineContext& context);
void draw_selection_arrows(Pen& pen, const TimelineContext& context);
void draw_timeline_range(Pen& pen, const TimelineContext& context);
void draw_playhead(Pen& pen, const TimelineContext& context);  // none at a negative time: on paper
void draw_minimap(Pen& pen, const TimelineContext& context);
// Over all else: what a search found, notes, and what keys do just now.
void draw_timeline_marks(Pen& pen, const TimelineContext& context, const TimelineMarks& marks);
void draw_timeline_legend(Pen& pen, const TimelineContext& context);
// Before a class none of its signs is left out: it takes as many lines as all of them need.
float legend_height(const ViewInput& input, float width, const Pen& pen);

}  // namespace shardscope::inline views
