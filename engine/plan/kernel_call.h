// SPDX-License-Identifier: Apache-2.0
// A kernel called in place of an instruction. What the call takes is known beforehand, and it is played as a
// whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/hardware/cost.h"
#include "engine/program/ir/instruction.h"

namespace shardscope::inline planner {

// On one link: all of the call's time is counted from when the call begins.
struct CallMessage {
  int32_t rank = 0;    // whose link it is
  int32_t target = 0;  // rank that gets it at last
  Picoseconds start = 0, end = 0;
  int64_t bytes = 0;
  int32_t step = 0;      // of the kernel's grid
  bool relayed = false;  // on a further link of its way
};

// A call on its own device (a product: no rings), or by all devices of each ring together: it begins when all
// of them are ready and their links are free, and ends on all of them at once. While it runs it holds the
// core.
struct KernelCall {
  InstructionId instruction;
  std::string kernel;  // "ag.ring"
  Cost cost;
  int64_t hbm_bytes = 0;                    // read and written by one device
  int32_t steps = 0;                        // of the kernel's grid
  std::vector<std::vector<int32_t>> rings;  // devices, by rank
  std::vector<CallMessage> messages;        // of one ring; each ring sends the same

  bool is_collective() const { return !rings.empty(); }
};

}  // namespace shardscope::inline planner
