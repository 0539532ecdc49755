// SPDX-License-Identifier: Apache-2.0
// A collective as the transfers of its schedule, where some devices are elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/collectives/schedule.h"
#include "engine/numerics/functions/elementwise.h"
#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

constexpr size_t nth(int32_t number) {
  return static_cast<size_t>(number);
}

// A chunk on a device: where it is now, null before it came; and where it goes when it comes or something is
// added to it, null: memory that is found for it.
struct HeldChunk {
  const std::byte* now = nullptr;
  std::byte* room = nullptr;
};

// One group of a collective, with what those of its ranks have that are here.
struct CarriedGroup {
  std::vector<DeviceId> devices;  // by rank
  std::shared_ptr<const CollectiveSchedule> schedule;
  std::vector<int64_t> elements{};                   // by chunk
  std::map<int32_t, std::vector<HeldChunk>> held{};  // by rank, then chunk
  ElementwiseKernel::Two add = nullptr;              // of transfers that add
  bool in_rank_order = false;                        // they add in the order of the ranks, all in one step
  std::vector<Array> kept{};                         // memory that was found
};

// Sends and receives step by step; what a rank sends in a step is what it had before it. All groups go on
// together. Sums have the bits of SumOrder::of_schedule, or in_rank_order of SumOrder::of_group.
Result<void> carry(Step& step, ElementType type, std::vector<CarriedGroup>& groups);

// What sends everything straight to where it goes.
std::shared_ptr<const CollectiveSchedule> straight_schedule(CollectiveKind kind, int32_t ranks);

}  // namespace shardscope::inline numerics
