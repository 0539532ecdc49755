// SPDX-License-Identifier: Apache-2.0
// What a question says takes no time: it happens in 0 s, messages when it is their turn on their link, what a
// device does itself as soon as it has what that needs.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "engine/program/ir/instruction.h"
#include "engine/run/timeline.h"

namespace shardscope::inline planner {

// An event of a timeline by what it is, not by when: the same in every timing of a program.
struct EventKey {
  int32_t instruction = 0, device = 0, lane = 0, transfer_step = -1, chunk = -1, peer = -1;
  auto operator<=>(const EventKey&) const = default;
};
inline EventKey key_of(const Event& event) {
  return {event.instruction, event.device, event.lane, event.transfer_step, event.chunk, event.peer};
}

struct Untimed {
  std::vector<InstructionId> instructions;  // of the entry: their work and all their transfers
  std::vector<EventKey> events;             // none of a kernel's call
  bool empty() const { return instructions.empty() && events.empty(); }
};

}  // namespace shardscope::inline planner
