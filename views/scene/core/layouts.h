// SPDX-License-Identifier: Apache-2.0
// The views: pure functions from a run to a Scene. No window, no third-party library, no state.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/equal_devices.h"
#include "engine/run/run.h"
#include "engine/run/small_factors.h"
#include "engine/run/terms.h"
#include "engine/run/trace_source.h"
#include "engine/story/story.h"
#include "engine/story/sums/range_statistics.h"
#include "engine/study/crossover.h"
#include "engine/study/error_growth.h"
#include "engine/study/tuning.h"
#include "engine/study/what_if.h"
#include "views/scene/core/scene.h"
#include "views/scene/core/selection.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline views {

class FoundOnce;
std::shared_ptr<FoundOnce> nothing_found();

// What stands on a timeline beside the run itself.
struct TimelineFlag {
  Picoseconds time = 0;
  int32_t device = -1;  // -1: it is of no device
  std::string text;
  bool operator==(const TimelineFlag&) const = default;
};
struct TimelineMarks {
  std::vector<int32_t> found;       // events that a search found, ascending
  int32_t at = -1;                  // the one that is looked at: place in `found`
  std::vector<TimelineFlag> flags;  // items: handle, kNoteHandle in `lane`, the place in `index`
  std::string hint;                 // what clicks and keys do just now; empty: what they always do
};

// What layouts read: the run, where its events come from, and what happened in it. Story and sums are none
// while they are not told yet, or cannot be: views of state then say so, others sum the events themselves
// when they are not too many. Of a run from a record `trace` may tell of more events than `run` holds: what
// needs all of them is then still to come (why_unread). All outlive the call; what pictures ask again and
// again is found when it is first asked for, and copies share it (views/scene/story/found_once.h).
struct ViewInput {
  const Run& run;
  const TraceSource& trace;
  const Story* story = nullptr;
  bool telling = false;  // the story is being told, or the events that it needs are being read
  bool stopped = false;  // whoever looks at it ended the telling
  const RunSums* sums = nullptr;
  std::shared_ptr<FoundOnce> found = nothing_found();
  const SmallFactors* factors = nullptr;  // the elements of X and W; none: they are many, or not at hand
};

// Width of `text` in logical pixels; an estimate when no font is at hand.
using MeasureText = std::function<float(std::string_view text, float px, Face face)>;
float estimate_text_width(std::string_view text, float px, Face face);

struct Canvas {
  float width = 0, height = 0;
  Theme theme;
  MeasureText measure = estimate_text_width;
};

// --- timeline: device × lane, time to the right
// Which devices have rows, where and how high.
struct RowChoice {
  float height = 0;             // of a device's row in pixels at 100 %, at least 1; 0: as its lanes want it
  bool fit = false;             // as high as lets all rows be seen, at least a pixel
  std::string filter;           // chosen_devices' text, read on the run's mesh; empty: all
  std::vector<int32_t> hidden;  // devices, ascending
  std::vector<int32_t> pinned;  // devices, the first on top; they stay when the others scroll
  std::string group;            // axis whose coordinates are groups; empty: none
  std::vector<int64_t> folded;  // of these coordinates, ascending: one row each
  std::optional<bool> counts;   // how many devices compute, wait, are idle; none: from 32 devices on
  bool operator==(const RowChoice&) const = default;
};
struct TimelineViewport {
  TimeRange range;  // empty: the whole run
  float scroll_y = 0;
  bool collapse_equal = true;  // equal device rows become one "×16 same"
  bool arrows = true;
  RowChoice rows = {};
  bool operator==(const TimelineViewport&) const = default;
};
Scene layout_timeline(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                      const Canvas& canvas);
Scene layout_timeline(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                      const Canvas& canvas, const TimelineMarks& marks);
// A run timed again before what it was, which is a ghost behind it (below it where rows are too thin for
// both): one time axis, the old end marked in the new one.
Scene layout_what_if_timeline(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                              const Selection& selection, const Canvas& canvas);
// Time under x and back; plain arithmetic, for zooming at the cursor.
struct TimeAxis {
  float left = 0, width = 1;  // pixels
  TimeRange range;
  float x_of(Picoseconds t) const;
  Picoseconds time_at(float x) const;
  TimeRange zoomed(float x, double factor, TimeRange bounds) const;
  TimeRange panned(float dx, TimeRange bounds) const;
};
TimeAxis timeline_axis(const ViewInput& input, const TimelineViewport& viewport, const Canvas& canvas);
TimeAxis what_if_axis(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                      const Canvas& canvas);
// By how much it may be scrolled.
float what_if_overflow(const ViewInput& then, const ViewInput& base, const TimelineViewport& viewport,
                       const Canvas& canvas);
// Where a lane of a device stands, seen or not; none: it has no row.
std::optional<Rect> timeline_strip(const ViewInput& input, const TimelineViewport& viewport,
                                   const Canvas& canvas, int32_t device, int lane);
float timeline_content_height(const ViewInput& input, const TimelineViewport& viewport, const Canvas& canvas);
// Where the rows stand in a picture, for who scrolls and stretches them.
struct TimelinePlaces {
  Rect heads, scrolled;  // of all rows; of those that scroll
  float content = 0;     // height of what scrolls
  float row_height = 0;  // of a device
};
TimelinePlaces timeline_places(const ViewInput& input, const TimelineViewport& viewport,
                               const Canvas& canvas);
// The devices that have rows, ascending: those that are counted. All of them when the filter cannot be read.
std::vector<int32_t> row_devices(const ViewInput& input, const RowChoice& rows);
// Those that share the row of `device`; none when it has no row.
std::vector<int32_t> row_mates(const ViewInput& input, const TimelineViewport& viewport, int32_t device);
// Handles of a timeline by ItemId::lane: the window of the minimap, the head of a group (index: coordinate),
// a moment of the counts (index: its column).
enum TimelineHandle : int32_t { kMinimapHandle = -1, kGroupHandle = 1, kCountsHandle = 2, kNoteHandle = 3 };
bool shows_counts(const ViewInput& input, const RowChoice& rows);
// The middle of a column of the counts.
Picoseconds counts_time(const ViewInput& input, const TimelineViewport& viewport, const Canvas& canvas,
                        int32_t column);
// "41.2 µs: 12 compute, 3 wait for data, 1 idle; 9 send".
std::string counts_text(const TermCounts& counts, Picoseconds time);

// Since when every device holds what it holds at `time`; of a run without a story: always.
Picoseconds held_since(const ViewInput& input, Picoseconds time);

// --- sharding grid: X, W, Y, who holds which block now
struct GridViewport {
  float zoom = 1;
  Point pan;
  std::vector<int64_t> sliders;  // of dimensions beyond two
  bool operator==(const GridViewport&) const = default;
};
Scene layout_sharding_grid(const ViewInput& input, const GridViewport& viewport, const Selection& selection,
                           const Canvas& canvas);

// --- product: one factor to the left, the other above, what they make in the corner, on one scale; who has
// which block, and which block times which is added to which now. Items: block; event, a device's product.
struct ProductViewport {
  float zoom = 1;
  Point pan;
  bool numbers = false;  // the elements, where there are few
  bool operator==(const ProductViewport&) const = default;
};
Scene layout_product(const ViewInput& input, const ProductViewport& viewport, const Selection& selection,
                     const Canvas& canvas);
// The handle, by ItemId::lane, that shows the elements or hides them.
inline constexpr int32_t kNumbersHandle = -2;

// --- ring: devices where the mesh has them, chunks moving along the current step's transfers
struct RingViewport {
  float zoom = 1;
  Point pan;
  bool table = true;  // the permutation table beside it
  bool operator==(const RingViewport&) const = default;
};
Scene layout_ring(const ViewInput& input, const RingViewport& viewport, const Selection& selection,
                  const Canvas& canvas);
// Whether it is another picture for another device that is pointed at, be it by its event or its block.
bool ring_follows_device(const ViewInput& input, const RingViewport& viewport, const Canvas& canvas);

// --- memory over time of the selected (or the fullest) device; roofline of the run's dots
Scene layout_memory(const ViewInput& input, const TimelineViewport& viewport, const Selection& selection,
                    const Canvas& canvas);
Scene layout_roofline(const ViewInput& input, const Selection& selection, const Canvas& canvas);

// --- links: how busy each link of the mesh is, over the run or the marked range. Items: device, the lane in
// `lane`.
Scene layout_links(const ViewInput& input, const Selection& selection, const Canvas& canvas);

// --- operations × time: how busy the devices are with each, over equal parts of the run; of the device that
// is selected, else of all. Items: instruction, the first of the operation's, the part in `index` (-1: the
// row).
Scene layout_operations(const ViewInput& input, const Selection& selection, const Canvas& canvas);
std::optional<TimeRange> operation_cell(const ViewInput& input, const Selection& selection,
                                        const ItemId& item, const Canvas& canvas);
std::vector<std::string> operation_cell_words(const ViewInput& input, const Selection& selection,
                                              const ItemId& item, const Canvas& canvas);

// --- numbers: verdict, regions, run and reference against f64, the element that decides and its partial sums
Scene layout_numerics(const ViewInput& input, const Canvas& canvas);
Scene layout_bits(const ViewInput& input, const Canvas& canvas);
// --- steps of a loop: the loss and other scalars by step, and the time that each took here
Scene layout_steps(const ViewInput& input, const Canvas& canvas);
// Error of a sum against its length by where it is rounded, log-log, beside the laws.
Scene layout_error_growth(const ErrorGrowth& growth, const Canvas& canvas);

// --- tuner: candidates by time and peak memory, the best front joined; with the published costs, which say
// nothing of memory, bars of what each time is made of. Items: candidate, by place in `candidates`.
Scene layout_tuner(const TuneResult& result, const Selection& selection, const Canvas& canvas);
// --- crossovers: a curve per strategy over the swept quantity, below it who wins where; a panel per value of
// further quantities. Items: candidate, by place in `points`.
Scene layout_crossover(const CrossoverTable& table, const Selection& selection, const Canvas& canvas);

// --- what if: what changed by term and part, and the tornado of sensitivities. Items: candidate, by place.
Scene layout_what_if_bars(const WhatIfAnswer& answer, const std::vector<Sensitivity>& sensitivities,
                          const Canvas& canvas);

// "device (0,1), col+, collective-permute.3, step 2: a3.1/2 → (0,2), 2.0 MiB, 46.6 µs" and what it carries:
// the tooltip's lines, with what is held `now`. Blocks name the story's arrays in ItemId::lane, steps are its
// beats.
std::vector<std::string> describe(const ViewInput& input, const ItemId& item, Picoseconds now);
// Sums over a range by device and operation, as CSV for the clipboard; those of all devices first.
std::string range_csv(const ViewInput& input, TimeRange range);

}  // namespace shardscope::inline views
