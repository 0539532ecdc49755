// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

// Exchanges with the rank whose number differs in one bit, for a power of two of ranks. R. Thakur,
// R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in MPICH", 2005.
//   near_large: all-gather from the nearest partner to the farthest, with twice as much each time (recursive
//     doubling); reduce-scatter backwards (recursive halving). All-reduce exchanges the whole array each
//     time.
//   near_small: all-gather from the farthest partner to the nearest, so that far messages are small;
//     reduce-scatter backwards. Chunk c belongs to the rank whose number is c with its bits reversed.
enum class DoublingOrder { near_large, near_small };

class DoublingSchedule final : public CollectiveSchedule {
 public:
  // `pairs`: every axis of the group has two ranks, so that turning one turns the schedule.
  DoublingSchedule(CollectiveKind kind, DoublingOrder order, int32_t ranks, bool pairs);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  int32_t home(int32_t chunk) const override { return place(chunk); }

 private:
  int32_t place(int32_t rank) const;  // in the order of chunks; its own inverse

  DoublingOrder order_;
  int32_t bits_;
};

}  // namespace shardscope::inline collectives
