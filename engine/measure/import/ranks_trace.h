// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/cluster/cluster.h"
#include "engine/run/measured.h"
#include "engine/study/measured_path.h"

namespace shardscope::inline measure {

// What ranks measured of their last job, as a measured trace of format "mpi": a lane of work, one of
// collectives with what each waited for the last of its group, one of single transfers on the device that
// they come to. Times are of rank 0's clock, from the first event.
Result<MeasuredTrace> ranks_trace(const Cluster& cluster, const std::string& title,
                                  const std::stop_token& stop);

// Backwards from the last event: each began because the one before it on its device ended, or of a transfer
// because its source was ready last.
MeasuredPath measured_path(const Cluster& cluster);

}  // namespace shardscope::inline measure
