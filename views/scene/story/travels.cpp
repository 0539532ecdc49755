// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/travels.h"

#include <algorithm>
#include <fmt/format.h>

#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr int64_t kMostCounted = 200'000;  // transfers of a schedule, to name its halves

// The transfer that a further hop belongs to: the one of its beat with the same end and load.
int32_t transfer_of_hop(const Story& story, int32_t beat, const Event& hop) {
  const std::vector<Event>& events = story.timeline().events;
  for (const int32_t number : transfers_of(story, beat)) {
    const Event& e = events[static_cast<size_t>(number)];
    if (e.instruction == hop.instruction && e.peer == hop.peer && e.chunk == hop.chunk &&
        e.chunk_count == hop.chunk_count)
      return number;
  }
  return -1;
}

bool adds_in(const CollectiveSchedule& schedule, int32_t step) {
  std::vector<Transfer> transfers;
  if (schedule.rotation_symmetric())
    schedule.append_from(step, 0, transfers);
  else
    schedule.append_step(step, transfers);
  return std::any_of(transfers.begin(), transfers.end(), [](const Transfer& t) { return t.adds; });
}

// Steps in which members add what they receive, when all of them come before those in which they keep it.
int32_t adding_steps(const CollectiveSchedule& schedule) {
  int32_t count = 0;
  bool kept = false;
  for (int32_t s = 0; s < schedule.steps(); ++s) {
    const bool adds = adds_in(schedule, s);
    if (adds && kept) return 0;
    kept = !adds;
    count += adds;
  }
  return kept ? count : 0;
}

// Whether each member ends the first half with a part of the sum; else one member has all of it.
bool halves_scatter(const CollectiveSchedule& schedule) {
  std::vector<Transfer> transfers;
  schedule.append_step(schedule.steps() - 1, transfers);
  std::vector<bool> sends(static_cast<size_t>(schedule.ranks()), false);
  for (const Transfer& t : transfers) sends[static_cast<size_t>(t.source)] = true;
  return std::count(sends.begin(), sends.end(), true) == schedule.ranks();
}

}  // namespace

std::vector<int32_t> transfers_of(const Story& story, int32_t beat) {
  std::vector<int32_t> out;
  if (beat < 0 || static_cast<size_t>(beat) >= story.beats().size()) return out;
  for (const int32_t number : story.beats()[static_cast<size_t>(beat)].events) {
    if (is_transfer(story.timeline().events[static_cast<size_t>(number)])) out.push_back(number);
  }
  return out;
}

std::string beat_name(const Story& story, int32_t beat) {
  return fmt::format("beat {} of {}", beat, story.beats().size() - 1);
}

std::vector<int32_t> beats_ending(const Story& story, Picoseconds time) {
  std::vector<int32_t> out;
  for (int32_t b = story.beat_at(time); b >= 0 && story.moment_of(b) == time; --b) out.push_back(b);
  std::reverse(out.begin(), out.end());
  return out;
}

int32_t beat_shown(const Story& story, Picoseconds time) {
  const int32_t ended = story.beat_at(time);
  const auto last = static_cast<int32_t>(story.beats().size()) - 1;
  return ended < last && story.moment_of(ended) != time ? ended + 1 : ended;
}

std::vector<Travel> travels_at(const ViewInput& input, Picoseconds time, int32_t most_devices) {
  std::vector<Travel> out;
  Picoseconds from = time;
  std::vector<int32_t> ended;
  if (input.story != nullptr) ended = beats_ending(*input.story, time);
  for (const int32_t b : ended)
    from = std::min(from, input.story->beats()[static_cast<size_t>(b)].start);
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
        if (hop->relayed) travel.event = beat >= 0 ? transfer_of_hop(*input.story, beat, *hop) : -1;
        out.push_back(travel);
      }
    }
  }
  return out;
}

std::string phase_of(const Story& story, int32_t beat) {
  if (beat < 0 || static_cast<size_t>(beat) >= story.beats().size()) return "";
  const Beat& b = story.beats()[static_cast<size_t>(beat)];
  const TimedCollective* timed = find_schedule(story.timeline(), b.instruction);
  if (timed == nullptr || b.transfer_step < 0) return "";
  const CollectiveSchedule& schedule = *timed->schedule;
  const int32_t steps = schedule.steps();
  const int64_t work = int64_t{steps} * (schedule.rotation_symmetric() ? 1 : schedule.ranks());
  if (schedule.kind() == CollectiveKind::all_reduce && work <= kMostCounted) {
    const int32_t adding = adding_steps(schedule);
    if (adding > 0) {
      const bool scatter = halves_scatter(schedule);
      return b.transfer_step < adding
                 ? fmt::format("{} half, {} of {}", scatter ? "reduce-scatter" : "reduce",
                               b.transfer_step + 1, adding)
                 : fmt::format("{} half, {} of {}", scatter ? "all-gather" : "broadcast",
                               b.transfer_step - adding + 1, steps - adding);
    }
  }
  return steps > 1 ? fmt::format("{} of {}", b.transfer_step + 1, steps) : "";
}

}  // namespace shardscope
