// SPDX-License-Identifier: Apache-2.0
// The parts of the ring view.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "views/scene/ring/ring_places.h"
#include "views/scene/story/collective_chunks.h"
#include "views/scene/story/step_transfers.h"

namespace shardscope {

struct RingContext {
  const ViewInput& input;
  const Selection& selection;
  const RingPlaces& places;
  const std::optional<StepTransfers>& step;
  CarriedBlocks& carried;
};

struct LinkTraffic {
  int64_t bytes = 0;
  int32_t to = -1;
  int axis = -1;
};
// By device, lane and the device at its other end: a port leads to many.
using LinkLoads = std::map<std::tuple<int32_t, int, int32_t>, LinkTraffic>;

// The device that a transfer's first (or further) link leads to, and the link's axis; -1: none.
int32_t link_end(const RingContext& context, const Event& hop, int* axis);
LinkLoads link_loads(const RingContext& context);

void draw_ring_title(Pen& pen, const RingContext& context, const Rect& area);
void draw_ring_links(Pen& pen, const RingContext& context);
void draw_ring_loads(Pen& pen, const RingContext& context, const LinkLoads& loads);
void draw_ring_devices(Pen& pen, const RingContext& context);
void draw_ring_chunks(Pen& pen, const RingContext& context);

}  // namespace shardscope
