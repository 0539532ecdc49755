// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/found_once.h"

namespace shardscope {

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

Picoseconds held_since(const ViewInput& input, Picoseconds time) {
  return input.story != nullptr ? held_now(input, time).since() : 0;
}

}  // namespace shardscope
