// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/step_transfers.h"

#include <algorithm>

#include "views/scene/story/event_text.h"

namespace shardscope {

std::optional<StepTransfers> step_transfers(const ViewInput& input, int32_t place) {
  const auto steps = input.trace.steps();
  if (!steps.ok() || steps->empty()) return std::nullopt;
  StepTransfers out;
  out.step =
      (*steps)[static_cast<size_t>(std::clamp<int64_t>(place, 0, static_cast<int64_t>(steps->size()) - 1))];
  const std::vector<Lane>& lanes = input.trace.lanes();
  const TimeRange range{out.step.range.start, out.step.range.end + 1};
  for (int32_t d = 0; d < input.trace.devices(); ++d) {
    for (size_t l = 0; l < lanes.size(); ++l) {
      if (lanes[l].kind != LaneKind::link && lanes[l].kind != LaneKind::port) continue;
      const auto numbers = input.trace.events(DeviceId(d), static_cast<int>(l), range);
      if (!numbers.ok()) continue;
      for (const int32_t number : *numbers) {
        const auto event = find_event(input, number);
        if (!event || !is_transfer(*event) || event->step != out.step.step ||
            event->transfer_step != out.step.transfer_step || event->start < out.step.range.start ||
            event->end > out.step.range.end)
          continue;
        out.hops.push_back(*event);
        if (!event->relayed) out.transfers.push_back(*event);
      }
    }
  }
  const auto earlier = [](const Event& a, const Event& b) {
    return std::tie(a.start, a.device, a.lane, a.chunk) < std::tie(b.start, b.device, b.lane, b.chunk);
  };
  std::sort(out.transfers.begin(), out.transfers.end(), earlier);
  return out;
}

}  // namespace shardscope
