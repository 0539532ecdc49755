// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/shown_run.h"

#include <utility>

namespace shardscope {
namespace {

constexpr int32_t kLongProgram = 200;  // instructions

Picoseconds inside(const Event& event) {
  return event.start + (event.end - event.start) / 2;
}

}  // namespace

ShownRunPtr show(RunPtr run) {
  auto shown = std::make_shared<ShownRun>();
  shown->run = run;
  shown->trace = memory_trace(run);
  shown->equal = std::make_shared<const EqualDevices>(equal_devices(*run, *shown->trace));
  if (run->program.instruction_count() >= kLongProgram)
    shown->outline = std::make_shared<const Outline>(outline_of(run->program));
  shown->telling = true;
  return shown;
}

ShownRunPtr with_story(const ShownRunPtr& shown, const std::stop_token& stop) {
  auto out = std::make_shared<ShownRun>(*shown);
  out->telling = false;
  if (auto told = tell(out->run->program, out->run->timeline, stop); told.ok())
    out->story = std::make_shared<const Story>(std::move(told).value());
  if (auto sums = sum_run(*out->run, out->story.get(), stop); sums.ok())
    out->sums = std::make_shared<const RunSums>(std::move(sums).value());
  return out;
}

std::optional<Picoseconds> moment_of(const ShownRun& shown, const ItemId& item) {
  const auto& events = shown.run->timeline.events;
  if (item.kind == ItemId::Kind::step) {
    if (!shown.story || item.index < 0 || item.index >= std::ssize(shown.story->beats())) return std::nullopt;
    return shown.story->moment_of(item.index);
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
