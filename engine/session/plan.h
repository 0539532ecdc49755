// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/run/experiment.h"
#include "engine/strategies/strategy.h"

namespace shardscope {

// A request with every name resolved: ready to be timed and computed.
struct Plan {
  const Strategy* strategy = nullptr;
  Mesh mesh;
  MatmulProblem problem;
  Hardware hardware;
  Program program;  // an algorithm on each collective
  std::vector<std::string> ignored_options;
};

// Every refusal that can be made before anything runs is made here.
Result<Plan> make_plan(const Experiment& experiment, const RunRequest& request, const Hardware& hardware);

}  // namespace shardscope
