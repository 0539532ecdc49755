// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/request/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline session {

// A request that can run: ready to be timed and computed.
struct Plan {
  const Strategy* strategy = nullptr;
  Request request;
  Hardware hardware;
  Program program;            // an algorithm on each collective
  FastestAlgorithms fastest;  // why these
  std::vector<std::string> ignored_options;
};

// When everything of it happens: with kernels' times where they were asked for.
struct TimedPlan {
  Timeline timeline;
  bool overlap = true;  // off, too, where a collective's kernel holds the core
};
// `options`: what to keep and whom to tell; the rest is the request's.
Result<TimedPlan> time_plan(const Plan& plan, ScheduleOptions options, std::stop_token stop);

// Every refusal that can be made before anything runs is made here. `fewest_rounds`:
// plan_looped's; none: without loops. `before`: what others knew of collectives, outlives the plan; may be
// null.
Result<Plan> make_plan(const Experiment& experiment, const RunRequest& request, const Hardware& hardware,
                       const std::stop_token& stop = {}, std::optional<int64_t> fewest_rounds = std::nullopt,
                       const FastestAlgorithms* before = nullptr);

// A request of which only totals are asked for, planned; timed, too, when it has loops that can be timed as
// such (ScheduleOptions::only_by_loops).
struct TotalsPlan {
  Plan plan;
  std::optional<TimedPlan> timed;
};
Result<TotalsPlan> plan_totals(const Experiment& experiment, const RunRequest& request,
                               const Hardware& hardware, const std::stop_token& stop);

}  // namespace shardscope::inline session
