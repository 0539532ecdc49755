// SPDX-License-Identifier: Apache-2.0
// What this machine's ranks take for products and transfers, and how a chip that was fitted to that predicts
// whole runs.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/cluster/cluster.h"
#include "engine/hardware/hardware.h"
#include "engine/measure/points.h"
#include "engine/request/experiment.h"

namespace shardscope::inline cli {

struct ThisMachine {
  Cluster& cluster;
  std::function<void(const std::string& what, double fraction)> progress;
  std::stop_token stop;
};

// `preset` with this machine's product and copy of memory as its peak and bandwidths, as one process measures
// them on all cores; ranks work in the order of the program, so nothing overlaps.
Result<Hardware> host_of_ranks(const ThisMachine& machine, const Hardware& preset);

// Every operation of every strategy on two meshes and some sizes, as points of `chip`, and what each run took
// as a whole.
struct MeasuredRanks {
  struct Whole {
    Experiment experiment;
    RunRequest request;
    double measured_s = 0;
  };
  std::vector<MeasuredPoint> points;
  std::vector<Whole> runs;
};
Result<MeasuredRanks> measure_this_machine(const ThisMachine& machine, const Hardware& chip);

// How many ranks take turns on a core. An operation ends within its rank's turn, so operations alone do not
// show it: the number with which `fitted` predicts whole runs best.
Result<double> fit_cores_shared(const ThisMachine& machine, const Hardware& fitted,
                                std::span<const MeasuredRanks::Whole> runs);
Hardware with_cores_shared(Hardware chip, double ranks);

// All strategies on those meshes: of the pairs whose measured times differ by more than twice their spread,
// how many the simulation on the fitted chip puts in the same order.
struct FittedOrder {
  struct Timed {
    std::string strategy, mesh;
    double measured_s = 0, spread_s = 0, simulated_s = 0;
  };
  std::vector<Timed> runs;
  int64_t pairs = 0, alike = 0;
  double cores_shared = 1;  // see fit_cores_shared
  double mean_error = 0;    // of |simulated / measured − 1|
  double load = 0;          // how many processes wanted a core while they were measured, the ranks among them
  double share() const { return pairs > 0 ? static_cast<double>(alike) / static_cast<double>(pairs) : 1; }
};
Result<FittedOrder> judge_this_machine(const ThisMachine& machine, const Hardware& fitted);
std::string order_text(const FittedOrder& order);
nlohmann::ordered_json order_json(const FittedOrder& order);

}  // namespace shardscope::inline cli
