// SPDX-License-Identifier: Apache-2.0
// Where devices and links of the ring view stand. Between two neighbouring boxes there is, in this order,
// room for an arrow's head, for the chip on its way, for wrap links that pass by, and for the other arrow's
// head: so no chip hides a head and no wrap link crosses a label.
#pragma once

#include <utility>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/run/run.h"
#include "views/scene/core/pen.h"
#include "views/scene/ring/ring_plan.h"

namespace shardscope::inline views {

// The way of one direction of a link: its lines, an arrow's head at the end of the last, and the straight
// runs that the middle of a chip takes along it.
struct RingWay {
  std::vector<std::vector<Point>> lines;
  std::vector<std::pair<Point, Point>> runs;

  Point at(double part) const;  // 0 to 1
  bool bent() const { return runs.size() > 1; }
};

struct RingFrame {
  Rect area;  // what is seen
  float zoom = 1;
  Point pan;
  Point chip;           // the least size of a chip
  float wide_chip = 0;  // what it takes where there is room
  Point least_box;
};

class RingPlaces {
 public:
  // `run`: its mesh and the links that it was timed with.
  RingPlaces(const Run& run, const RingFrame& frame, const Pen& pen);

  Point center(int32_t device) const { return centers_[static_cast<size_t>(device)]; }
  Rect box(int32_t device) const;
  // Too small for words: dots travel, and the picture says so.
  bool overview() const { return overview_; }
  Point chip() const { return chip_; }
  // Between neighbouring boxes, border to border.
  Point gap() const { return gap_; }
  // How many devices are in sight, and whether all the links around them are.
  struct InSight {
    int32_t devices = 0;
    bool links = false;
  };
  InSight in_sight() const;
  const Fabric& fabric() const { return fabric_; }
  const RingPlan& plan() const { return plan_; }
  // The middle of a link, or its lane from one device to another, from border to border.
  enum class Lane { middle, own };
  RingWay way(int32_t from, int32_t to, int axis, Lane lane) const;
  // Free for words beside the middle of a box, up and down; and beside a link between rows, from its middle
  // to either side.
  float beside() const;
  float room(bool left) const;

 private:
  static constexpr float kTrack = 10;  // both lanes of a wrap link
  // What is kept free before a box: for an arrow's head, and for wrap links beside columns and above rows.
  struct Ends {
    float head = 12, beside_columns = 0, above_rows = 0;
  };
  // Space around the outer boxes for wrap links and what travels on them.
  struct Margins {
    float left = 4, right = 4, top = 4, bottom = 4;
  };
  Margins margins(float wide_chip) const;
  Point least_gap() const;
  Point least_cell(Point box) const;
  void place(const RingFrame& frame, const Pen& pen);
  void size_boxes(const RingFrame& frame, const Pen& pen);
  void size_dots();

  float border(Point u) const;  // from a box's middle to its border
  Point lane_offset(Point u, Lane lane) const;
  bool wraps_round(int32_t from, int32_t to, int axis) const;
  // +1 when a link leads up its axis, round or straight.
  int direction(int32_t from, int32_t to, int axis) const;
  RingWay straight(int32_t from, int32_t to, Lane lane) const;
  RingWay stubs(int32_t from, int32_t to, int axis, Lane lane) const;
  RingWay curve(int32_t from, int32_t to, int axis, Lane lane) const;

  const Mesh& mesh_;
  Fabric fabric_;
  RingPlan plan_;
  Rect area_;
  std::vector<Point> centers_;
  Point chip_;
  Ends ends_;
  Point half_, gap_, cell_;
  bool overview_ = false;
  // Before a class nothing is dragged: where there is no room for lines round the boxes, links that close an
  // axis are drawn as their two ends.
  bool stubs_ = false;
  float box_share_ = 0.6F;  // of the room that is left, what the boxes get
};

}  // namespace shardscope::inline views
