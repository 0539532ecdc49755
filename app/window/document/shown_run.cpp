// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/shown_run.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace shardscope {
namespace {

std::vector<Beat> beats_of(const Timeline& timeline) {
  std::map<std::pair<int32_t, int32_t>, Beat> found;
  for (size_t i = 0; i < timeline.events.size(); ++i) {
    const Event& e = timeline.events[i];
    const auto [at, is_new] = found.try_emplace({e.instruction, e.transfer_step});
    Beat& beat = at->second;
    if (is_new) beat = {e.start, e.end, e.instruction, e.transfer_step, {}};
    beat.end = std::max(beat.end, e.end);
    if (!e.relayed) beat.events.push_back(static_cast<int32_t>(i));
  }
  std::vector<Beat> beats(1);
  for (auto& [key, beat] : found) beats.push_back(std::move(beat));
  std::sort(beats.begin() + 1, beats.end(), [](const Beat& a, const Beat& b) {
    return std::tie(a.end, a.instruction, a.transfer_step) < std::tie(b.end, b.instruction, b.transfer_step);
  });
  return beats;
}

Picoseconds inside(const Event& event) {
  return event.start + (event.end - event.start) / 2;
}

}  // namespace

int32_t ShownRun::beat_at(Picoseconds time) const {
  const auto after = std::upper_bound(beats.begin(), beats.end(), time,
                                      [](Picoseconds t, const Beat& beat) { return t < beat.end; });
  return std::max(0, static_cast<int32_t>(after - beats.begin()) - 1);
}

ShownRunPtr show(RunPtr run) {
  auto shown = std::make_shared<ShownRun>();
  shown->run = run;
  shown->trace = memory_trace(run);
  if (auto held = Holdings::trace(run->program); held.ok()) {
    shown->holdings = std::make_shared<const Holdings>(std::move(held).value());
  }
  if (auto told = tell(run->program, run->timeline); told.ok())
    shown->story = std::make_shared<const Story>(std::move(told).value());
  shown->beats = shown->story ? shown->story->beats() : beats_of(run->timeline);
  return shown;
}

std::optional<Picoseconds> moment_of(const ShownRun& shown, const ItemId& item) {
  const auto& events = shown.run->timeline.events;
  if (item.kind == ItemId::Kind::step) {
    const auto steps = shown.trace->steps();
    if (!steps.ok() || item.index < 0 || static_cast<size_t>(item.index) >= steps->size())
      return std::nullopt;
    return (*steps)[static_cast<size_t>(item.index)].range.end;
  }
  if (item.event >= 0 && static_cast<size_t>(item.event) < events.size())
    return inside(events[static_cast<size_t>(item.event)]);
  if (item.instruction < 0) return std::nullopt;
  for (const Event& event : events) {
    if (event.instruction == item.instruction && (item.device < 0 || event.device == item.device))
      return inside(event);
  }
  return std::nullopt;
}

}  // namespace shardscope
