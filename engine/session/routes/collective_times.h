// SPDX-License-Identifier: Apache-2.0
// What collectives take on a chip, each alone, and what devices send in them.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"
#include "engine/schedule/fastest.h"
#include "engine/sharding/routes.h"

namespace shardscope::inline session {

struct TimedStep {
  std::string opcode;
  std::vector<std::string> axes;  // of the mesh; empty: the groups are no axes
  StepCost cost;
};

// Answers are kept: routes ask for the same again and again.
class CollectiveTimes {
 public:
  CollectiveTimes(const Mesh& mesh, const Hardware& hardware);

  // The collectives of the program's entry, in its order, as on the mesh; what devices do by themselves with
  // arrays that are cut (`slices`) stands between them and takes no time. Errors: as schedule.
  Result<std::vector<TimedStep>> of(const Program& program, bool slices, const std::stop_token& stop);
  // All of them together.
  Result<StepCost> sum_of(const Program& program, const std::stop_token& stop);

 private:
  Result<StepCost> alone(const Program& program, const Instruction& collective, const std::stop_token& stop);

  Mesh mesh_;
  const Hardware& hardware_;
  FastestAlgorithms fastest_{FastestAlgorithms::Reasons::left_out};
  std::map<std::string, StepCost> known_;
};

}  // namespace shardscope::inline session
