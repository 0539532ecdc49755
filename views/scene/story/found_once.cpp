// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/found_once.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "views/scene/story/event_text.h"

namespace shardscope::inline views {

std::shared_ptr<FoundOnce> nothing_found() {
  return std::make_shared<FoundOnce>();
}

const EqualDevices& FoundOnce::equal(const ViewInput& input) {
  if (!equal_) equal_ = equal_devices(input.run, input.trace);
  return *equal_;
}

const TermCounts& FoundOnce::counts(const ViewInput& input, const std::vector<int32_t>& devices) {
  const size_t events = input.run.timeline.events.size();
  if (!counted_ || counted_->events != events || counted_->devices != devices)
    counted_ = {events, devices, term_counts(input.run.program.mesh, input.run.timeline, devices)};
  return counted_->counts;
}

const HeldNow& FoundOnce::held(const Story& story, Picoseconds time) {
  if (!held_ || !held_->tells(story, time)) held_.emplace(story, time);
  return *held_;
}

int64_t FoundOnce::most_load(const ViewInput& input) {
  if (most_load_) return *most_load_;
  const std::vector<Event>& events = input.run.timeline.events;
  std::map<std::tuple<int32_t, int32_t, int16_t>, int64_t> loads;  // by step, device, lane
  int64_t most = 0;
  for (size_t e = 0; e < events.size(); ++e) {
    if (!is_transfer(events[e])) continue;
    const int32_t beat = input.story->beat_of(static_cast<int32_t>(e));
    most = std::max(most, loads[{beat, events[e].device, events[e].lane}] += events[e].bytes);
  }
  return *(most_load_ = most);
}

Picoseconds held_since(const ViewInput& input, Picoseconds time) {
  return input.story != nullptr ? held_now(input, time).since() : 0;
}

}  // namespace shardscope::inline views
