// SPDX-License-Identifier: Apache-2.0
// How an execution that has some of the mesh's devices gets what the others have.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"
#include "engine/program/ir/instruction.h"

namespace shardscope::inline numerics {

// Bytes that one device sends to another. Exactly one of the two is here: `from` is where they lie, piece by
// piece, when the source is; `to` where they go when the target is.
struct Delivery {
  DeviceId source, target;
  int32_t step = 0;  // of the collective's schedule
  int64_t bytes = 0;
  std::vector<std::span<const std::byte>> from{};
  std::vector<std::span<std::byte>> to{};
};

// All processes call it in the same order with the same instructions, each with the deliveries that it has a
// part in; deliveries between the same two processes stand in the same order on both sides.
class DeviceTransport {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~DeviceTransport() = default;
  // Returns when all that is sent may be written again and all that is received is there. Errors: told to
  // stop; another process failed.
  virtual Result<void> exchange(const Instruction& what, const std::vector<Delivery>& deliveries) = 0;
  // Whether the number is the same in all processes.
  virtual Result<bool> agree(int64_t number) = 0;
  // An instruction took this long.
  virtual void worked(const Instruction& what, Clock::time_point start, Clock::time_point end) = 0;
};

}  // namespace shardscope::inline numerics
