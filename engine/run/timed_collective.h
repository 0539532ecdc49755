// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/collectives/schedule.h"

namespace shardscope::inline run {

// The groups that a collective runs in; a device in none of them takes no part (group_of -1).
struct CollectiveGroups {
  std::vector<std::vector<int32_t>> members;
  std::vector<int32_t> group_of, rank_of;  // by device
  bool operator==(const CollectiveGroups&) const = default;
};

// How a collective of the program was carried out. Like ones share groups and schedule.
struct TimedCollective {
  int32_t instruction = 0;  // Program::global_index
  std::string algorithm;    // --collective's word, or "permute"
  int64_t bytes = 0;        // of the whole array
  std::shared_ptr<const CollectiveGroups> groups;
  std::shared_ptr<const CollectiveSchedule> schedule;

  // One algorithm makes one schedule of an outline for the same groups.
  bool operator==(const TimedCollective& other) const {
    return instruction == other.instruction && algorithm == other.algorithm && bytes == other.bytes &&
           *groups == *other.groups && schedule->outline() == other.schedule->outline();
  }
};

}  // namespace shardscope::inline run
