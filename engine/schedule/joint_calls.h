// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/work.h"
#include "engine/schedule/events/moment.h"

namespace shardscope::inline scheduler {

class Simulator;

// Calls of kernels that all devices of a ring make together.
class JointCalls {
 public:
  explicit JointCalls(Simulator& of) : of_(of) {}
  // A device is ready for the call that a work is.
  void join(int32_t work, int32_t device, const Moment& moment);

 private:
  struct Joined {
    int32_t devices = 0;  // that are ready for the call
    Moment ready;         // the latest of them
  };
  Moment& free(int32_t lane);  // since when a lane is
  Moment start(const Work& it, const std::vector<int32_t>& ring, const Moment& ready);
  void send(int32_t work, const std::vector<int32_t>& ring, const CallMessage& message, const Moment& start,
            const Moment& end);

  Simulator& of_;
  std::vector<Joined> joined_;  // as the simulation's runs
};

}  // namespace shardscope::inline scheduler
