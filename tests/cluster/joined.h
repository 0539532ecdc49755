// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cluster/cluster.h"

namespace shardscope::testing {

// The processes that mpirun started this test with; rank 0 runs it.
Cluster& joined();

}  // namespace shardscope::testing
