// SPDX-License-Identifier: Apache-2.0
// What a partitioned program moves and holds.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// Bytes that a device sends in one execution of a collective, the mean over devices: of the transfers that
// the collective is lowered to on a torus of the program's mesh. Collectives that are alike are lowered once.
class CollectiveBytes {
 public:
  explicit CollectiveBytes(const Program& program) : program_(program) {}
  double of(const Computation& computation, const Instruction& collective);

 private:
  const Program& program_;
  std::map<std::tuple<CollectiveKind, std::vector<DeviceId>, int64_t>, double> known_;
};

// The most bytes that live at once on a device when the computation runs in program order: buffers from their
// making to their last reader, through views; parameters and the result all the time. A loop or branch adds
// what its body needs beside its operands.
int64_t peak_live_bytes(const Program& program, const Computation& computation);

}  // namespace shardscope
