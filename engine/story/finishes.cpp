// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/hardware/link_ends.h"
#include "engine/story/teller.h"

namespace shardscope::inline story {
namespace {

// What the hops of one transfer have in common.
std::tuple<int32_t, int32_t, int32_t, int32_t> hop_key(const Event& e) {
  return {e.instruction, e.transfer_step, e.peer, e.chunk};
}

}  // namespace

void Finishes::follow_hops(const Program& program, const Timeline& timeline) {
  transfer_of_.assign(timeline.events.size(), -1);
  for (const Event& event : timeline.events) arrivals_.push_back(event.end);
  std::map<std::tuple<int32_t, int32_t, int32_t, int32_t>, std::vector<int32_t>> further;
  for (size_t e = 0; e < timeline.events.size(); ++e)
    if (timeline.events[e].relayed) further[hop_key(timeline.events[e])].push_back(static_cast<int32_t>(e));
  if (further.empty()) return;
  const LinkEnds links(program.mesh);
  for (size_t e = 0; e < timeline.events.size(); ++e) {
    const Event& first = timeline.events[e];
    const auto hops = further.find(hop_key(first));
    if (first.relayed || first.kind != EventKind::transfer || hops == further.end()) continue;
    const Event* last = &first;
    while (last != nullptr && timeline.lanes[static_cast<size_t>(last->lane)].kind == LaneKind::link) {
      const int32_t at = links.beside(last->device, timeline.lanes[static_cast<size_t>(last->lane)]);
      if (at == first.peer) break;
      const Event* next = nullptr;
      for (const int32_t hop : hops->second) {
        const Event& candidate = timeline.events[static_cast<size_t>(hop)];
        if (candidate.device != at || transfer_of_[static_cast<size_t>(hop)] >= 0 ||
            candidate.start < last->start)
          continue;
        transfer_of_[static_cast<size_t>(hop)] = static_cast<int32_t>(e);
        arrivals_[e] = std::max(arrivals_[e], candidate.end);
        next = &candidate;
        break;
      }
      last = next;
    }
  }
}

Finishes::Finishes(const Program& program, const Timeline& timeline)
    : devices_(static_cast<size_t>(program.mesh.device_count())),
      first_(program.global_index(program.entry, InstructionId(0))) {
  follow_hops(program, timeline);
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
      ends[device] = std::max(ends[device], arrival(e));
      // What a permute brings waits for nothing of the device's own.
      own[device] = !transfer || instructions[i].opcode == Opcode::collective_permute;
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

}  // namespace shardscope::inline story
