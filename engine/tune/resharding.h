// SPDX-License-Identifier: Apache-2.0
// What it takes to hand one layer's result to the next one when they store it differently.
#pragma once

#include "engine/hardware/hardware.h"
#include "engine/partition/entry/reshard_program.h"

namespace shardscope {

// Of the program that does it: its simulated time, and what the device that receives most receives. Infinite
// where it cannot be timed: no chain takes it.
struct Resharding {
  double bytes = 0;
  double seconds = 0;
};
Resharding resharding(const Mesh& mesh, const Hardware& hardware, const StoredArray& from,
                      const StoredArray& to, const Shape& shape);

}  // namespace shardscope
