// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/story/teller.h"

namespace shardscope {

Finishes::Finishes(const Program& program, const Timeline& timeline)
    : devices_(static_cast<size_t>(program.mesh.device_count())),
      first_(program.global_index(program.entry, InstructionId(0))) {
  const auto& instructions = program.entry_computation().instructions;
  events_.resize(instructions.size());
  ends_.assign(instructions.size() * devices_, 0);
  for (size_t e = 0; e < timeline.events.size(); ++e) {
    const Event& event = timeline.events[e];
    const int32_t i = place_of(event);
    if (i >= 0 && !event.relayed) events_[static_cast<size_t>(i)].push_back(static_cast<int32_t>(e));
  }
  std::vector<bool> own(devices_);
  for (size_t i = 0; i < instructions.size(); ++i) {
    Picoseconds* ends = &ends_[i * devices_];
    own.assign(devices_, false);
    for (const int32_t e : events_[i]) {
      const Event& event = timeline.events[static_cast<size_t>(e)];
      const bool transfer = event.kind == EventKind::transfer && event.peer >= 0;
      const auto device = static_cast<size_t>(transfer ? event.peer : event.device);
      ends[device] = std::max(ends[device], event.end);
      own[device] = !transfer;
    }
    for (const InstructionId operand : instructions[i].operands)
      for (size_t d = 0; d < devices_; ++d)
        if (!own[d]) ends[d] = std::max(ends[d], at(static_cast<size_t>(operand.value), d));
  }
}

int32_t Finishes::place_of(const Event& event) const {
  const int64_t place = event.instruction - first_;
  return place >= 0 && place < static_cast<int64_t>(events_.size()) ? static_cast<int32_t>(place) : -1;
}

}  // namespace shardscope
