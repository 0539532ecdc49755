// SPDX-License-Identifier: Apache-2.0
// Schedules executed on symbols, and as tables of text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"

namespace shardscope {

// "" when all is as the collective promises; else what is wrong. What each rank holds of each chunk is the
// set of ranks whose contribution is in it (at most 64 ranks).
std::string run_symbolically(const CollectiveSchedule& schedule);

// "" when, for every transfer, all earlier arrivals of its chunks at its source are among those that it waits
// for, directly or through others.
std::string waits_are_enough(const CollectiveSchedule& schedule);

// "" when the outline says truly whether turning an axis turns the schedule.
std::string turns_as_said(const CollectiveSchedule& schedule, const std::vector<GroupAxis>& axes);

// "0>1:0 1>2:1,2 | …": source, target, "+" if added, chunks; steps apart by bars, each step sorted. Chunks
// of an all-to-all are numbered source·n + target.
using Table = std::vector<std::vector<std::string>>;
Table table(const std::string& text);
Table table(const CollectiveSchedule& schedule);

std::vector<Transfer> transfers_of(const CollectiveSchedule& schedule);
std::vector<int32_t> chunks_of(const Transfer& t, const CollectiveSchedule& schedule);

}  // namespace shardscope
