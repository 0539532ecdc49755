// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/shown_run.h"

#include <algorithm>

namespace shardscope {
namespace {

int32_t step_at(const ShownRun& shown, const Event& event) {
  const auto same = [&](const TraceSource::Step& s) {
    return s.step == event.step && s.transfer_step == event.transfer_step;
  };
  const auto exact = std::find_if(shown.steps.begin(), shown.steps.end(), same);
  if (exact != shown.steps.end()) return static_cast<int32_t>(exact - shown.steps.begin());
  for (size_t i = 0; i < shown.steps.size(); ++i) {
    if (shown.steps[i].range.start <= event.start && event.start < shown.steps[i].range.end) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

}  // namespace

ShownRunPtr show(RunPtr run) {
  auto shown = std::make_shared<ShownRun>();
  shown->run = run;
  shown->trace = memory_trace(run);
  if (auto held = Holdings::trace(run->program); held.ok()) {
    shown->holdings = std::make_shared<const Holdings>(std::move(held).value());
  }
  if (auto steps = shown->trace->steps(); steps.ok()) shown->steps = std::move(steps).value();
  return shown;
}

int32_t step_of(const ShownRun& shown, const ItemId& item) {
  const auto& events = shown.run->timeline.events;
  if (item.kind == ItemId::Kind::step) return item.index;
  if (item.event >= 0 && static_cast<size_t>(item.event) < events.size()) {
    return step_at(shown, events[static_cast<size_t>(item.event)]);
  }
  if (item.instruction < 0) return -1;
  for (const Event& event : events) {
    if (event.instruction == item.instruction && (item.device < 0 || event.device == item.device)) {
      return step_at(shown, event);
    }
  }
  return -1;
}

}  // namespace shardscope
