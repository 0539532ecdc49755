// SPDX-License-Identifier: Apache-2.0
// What ranks measured of a run, beside what was simulated of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/cluster/cluster.h"
#include "engine/measure/import/ranks_trace.h"
#include "engine/run/run.h"

namespace shardscope::inline cli {

struct RanksMeasured {
  MeasuredTrace trace;
  MeasuredPath path;
  std::vector<std::string> hosts;  // by rank
  double simulated_s = 0;
};

// Recorded in the workspace at `db` where it is not empty; the trace has its number then.
Result<RanksMeasured> measure_ranks(const Run& run, const Cluster& cluster, const std::string& db,
                                    const std::stop_token& stop);

nlohmann::ordered_json ranks_json(const RanksMeasured& measured);
std::string ranks_text(const RanksMeasured& measured);

}  // namespace shardscope::inline cli
