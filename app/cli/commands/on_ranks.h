// SPDX-License-Identifier: Apache-2.0
// This program again, on ranks that mpirun starts.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline cli {

// Runs `mpirun -n ranks shardscope words` and waits for it: the exit status of that. Told to stop: error
// `cancelled`, and what mpirun and ranks say of one another as they are ended is not shown.
Result<int> run_on_ranks(const std::vector<std::string>& words, int ranks, const std::stop_token& stop);

}  // namespace shardscope::inline cli
