// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/travels.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "engine/base/say.h"
#include "engine/story/beat_words.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {

std::vector<int32_t> transfers_of(const Story& story, int32_t beat) {
  std::vector<int32_t> out;
  if (beat < 0 || static_cast<size_t>(beat) >= story.beats().size()) return out;
  for (const int32_t number : story.beats()[static_cast<size_t>(beat)].events) {
    if (is_transfer(story.timeline().events[static_cast<size_t>(number)])) out.push_back(number);
  }
  return out;
}

std::vector<int32_t> beats_ending(const Story& story, Picoseconds time) {
  std::vector<int32_t> out;
  for (int32_t b = story.beat_at(time); b >= 0 && story.moment_of(b) == time; --b) out.push_back(b);
  std::reverse(out.begin(), out.end());
  return out;
}

namespace {

// The link that a transfer has left last; none: it is on one. `leaves`: what starts now is drawn as leaving.
std::optional<Event> last_hop(const Story& story, int32_t transfer, Picoseconds time, bool leaves) {
  const std::vector<Event>& events = story.timeline().events;
  std::optional<Event> last;
  for (auto e = static_cast<size_t>(transfer); e < events.size() && events[e].start <= time; ++e) {
    if (story.transfer_of(static_cast<int32_t>(e)) != transfer) continue;
    const bool next = events[e].start == time && !leaves;
    if (time < events[e].end && !next) return std::nullopt;
    if (next) continue;
    if (!last || last->end <= events[e].end) last = events[e];
  }
  return last;
}

// What is between two links.
void add_waiting(const Story& story, Picoseconds time, int32_t most_devices, std::vector<Travel>& out) {
  for (const Beat& beat : story.beats()) {
    if (beat.transfer_step < 0 || beat.start >= time || time >= beat.end) continue;
    for (const int32_t e : beat.events) {
      const Event& event = story.timeline().events[static_cast<size_t>(e)];
      if (!is_transfer(event) || event.end > time || time >= story.arrival(e)) continue;
      const auto hop = last_hop(story, e, time, story.moment_of(story.beat_at(time)) != time);
      if (hop && hop->device < most_devices) out.push_back({e, *hop, 1, false, true});
    }
  }
}

}  // namespace

std::vector<Travel> travels_at(const ViewInput& input, Picoseconds time, int32_t most_devices) {
  std::vector<Travel> out;
  Picoseconds from = time;
  std::vector<int32_t> ended;
  if (input.story != nullptr) ended = beats_ending(*input.story, time);
  for (const int32_t b : ended) from = std::min(from, input.story->beats()[static_cast<size_t>(b)].start);
  const std::vector<Lane>& lanes = input.trace.lanes();
  const int32_t devices = std::min(input.trace.devices(), most_devices);
  for (int32_t d = 0; d < devices; ++d) {
    for (size_t l = 0; l < lanes.size(); ++l) {
      if (lanes[l].kind != LaneKind::link && lanes[l].kind != LaneKind::port) continue;
      const auto numbers = input.trace.events(DeviceId(d), static_cast<int>(l), {from, time + 1});
      if (!numbers.ok()) continue;
      for (const int32_t number : *numbers) {
        const auto hop = find_event(input, number);
        if (!hop || !is_transfer(*hop)) continue;
        const int32_t beat = input.story != nullptr ? input.story->beat_of(number) : -1;
        const bool arrived = std::find(ended.begin(), ended.end(), beat) != ended.end();
        const bool moving = hop->start < time && time < hop->end;
        const bool leaving = hop->start == time && time < hop->end && ended.empty();
        if (!arrived && !moving && !leaving) continue;
        const double length = static_cast<double>(std::max<Picoseconds>(1, hop->end - hop->start));
        Travel travel{number, *hop, arrived ? 1 : static_cast<double>(time - hop->start) / length, arrived};
        if (hop->relayed) travel.event = input.story != nullptr ? input.story->transfer_of(number) : -1;
        out.push_back(travel);
      }
    }
  }
  if (input.story != nullptr) add_waiting(*input.story, time, most_devices, out);
  return out;
}

std::string phase_text(const Story& story, int32_t beat) {
  if (beat <= 0 || static_cast<size_t>(beat) >= story.beats().size()) return "";
  if (story.beats()[static_cast<size_t>(beat)].transfer_step < 0) return "";
  const std::vector<int32_t> execution = execution_of(story, beat);
  const std::string half = phase_of(story, beat, execution);
  int32_t place = 0;
  int32_t steps = 0;
  const auto adds = [&](int32_t b) { return beat_adds(story, story.beats()[static_cast<size_t>(b)]); };
  for (const int32_t b : execution) {
    if (!half.empty() && adds(b) != adds(beat)) continue;
    ++steps;
    if (b <= beat) ++place;
  }
  if (!half.empty()) return say("{}, {} of {}", half, place, steps);
  return steps > 1 ? say("{} of {}", place, steps) : "";
}

}  // namespace shardscope::inline views
