// SPDX-License-Identifier: Apache-2.0
// The parts of the ring view.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "views/scene/ring/ring_places.h"
#include "views/scene/story/travels.h"

namespace shardscope::inline views {

constexpr float kWideTitle = 560;         // from here on a title has one line before a class
constexpr int64_t kMostDrawnApart = 256;  // devices with links of their own; beyond, a matrix

struct RingContext {
  const ViewInput& input;
  const Selection& selection;
  const RingPlaces& places;
  const std::vector<Travel>& travels;
};

struct LinkTraffic {
  int64_t bytes = 0;
  int32_t to = -1;
  int axis = -1;
};
// By device, lane and the device at its other end: a port leads to many.
using LinkKey = std::tuple<int32_t, int, int32_t>;
using LinkLoads = std::map<LinkKey, LinkTraffic>;

// The device that a transfer's first (or further) link leads to, and the link's axis; -1: none.
int32_t link_end(const ViewInput& input, const Fabric& fabric, const Event& hop, int* axis);
LinkLoads link_loads(const RingContext& context);
// Cividis read from its darker end on white and its brighter end on black keeps every load visible.
Color load_color(const Theme& theme, double part);
// The bytes that the scale of loads ends with: one for all moments of a run, where `now` is the most of one.
int64_t load_scale(const ViewInput& input, int64_t now);
void draw_load_legend(Pen& pen, int64_t most, const Rect& area);
float load_legend_width(const Pen& pen, int64_t most);

// "a3.1/2", "a0 w1 +2": what transfers carry, in the longest form that fits `width`, and with a sign for what
// is left out; before a class nothing is: "3 a". Empty: not even that fits.
std::string names_that_fit(const Pen& pen, const ViewInput& input, const std::vector<int32_t>& events,
                           const TextStyle& style, float width);
// The device in whose colour a transfer travels: the first owner of the first block that it carries.
int32_t owner_of(const ViewInput& input, int32_t event, int32_t otherwise);
// The widths that chips of the run take with short and with full names, the same at all its moments.
Point chip_widths(const Pen& pen, const ViewInput& input);

void draw_ring_title(Pen& pen, const RingContext& context, const Rect& area);
void draw_ring_links(Pen& pen, const RingContext& context);
void draw_ring_loads(Pen& pen, const RingContext& context, const LinkLoads& loads);
void draw_ring_devices(Pen& pen, const RingContext& context);
void draw_ring_chips(Pen& pen, const RingContext& context);
// Beyond kMostDrawnApart devices: for each lane the mesh in small, each device as bright as its link is
// loaded.
void draw_ring_matrix(Pen& pen, const ViewInput& input, const Selection& selection, const Rect& area);

}  // namespace shardscope::inline views
