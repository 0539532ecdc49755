// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "engine/cluster/packet.h"
#include "engine/run/timed_collective.h"

namespace shardscope::inline cluster {

// Schedules as lists of their transfers, by whatever algorithm they were made. Instructions that share one
// share it on the other side too; their groups are the program's.
void put_schedules(const std::vector<TimedCollective>& schedules, PacketWriter& out);
std::vector<TimedCollective> get_schedules(PacketReader& in);

}  // namespace shardscope::inline cluster
