// SPDX-License-Identifier: Apache-2.0
// What a partitioned program moves.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// The array that a collective is about, once: the larger of what it reads and what it makes on a device.
int64_t collective_data(const Computation& computation, const Instruction& collective);

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

}  // namespace shardscope::inline partitioner
