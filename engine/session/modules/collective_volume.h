// SPDX-License-Identifier: Apache-2.0
// How many bytes a collective of a module is about, and moves: each number by a word of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline session {

// Of one execution.
struct CollectiveVolume {
  double data = 0;        // the array, once
  double sent = 0;        // by a device, the mean over devices
  double moved = 0;       // by all devices
  std::string algorithm;  // by which that is so; "": not chosen
  // "data 16.0 KiB, sent by a device 12.0 KiB (ring), moved by all 48.0 KiB".
  std::string text() const;
};
CollectiveVolume volume_of(const CollectiveOrigin& collective, int64_t devices);

// What devices send in one execution of each collective, and how.
struct CollectiveTraffic {
  std::string algorithm;
  double bytes_sent = 0;  // by a device, the mean over devices
};
// By the collective's name: asynchronous ones in plain form, those of loops too; by the algorithm that
// `asked` chooses on the hardware. What cannot be timed there is left out.
std::map<std::string, CollectiveTraffic> traffic_of(const Program& program, const Hardware& hardware,
                                                    CollectiveAlgorithm asked);
// Those of a module that is partitioned already: what it says of each. No rule of ours put them there.
std::vector<CollectiveOrigin> own_collectives(const Program& program, const Hardware& hardware);
// As the program would be timed on that hardware, written into its collectives.
void choose_algorithms(Partitioned& made, const Hardware& hardware);

}  // namespace shardscope::inline session
