// SPDX-License-Identifier: Apache-2.0
// What a module needs of a device's memory, for whoever shows it.
#pragma once

#include <string>
#include <vector>

#include "engine/run/memory_use.h"

namespace shardscope::inline report {

// {peak_bytes, arguments, results, temporaries, aliased, between, complete, moment, peak: the largest
// owners}.
std::string memory_use_json(const MemoryUse& memory);

// "arguments 1 GiB, results 2 GiB, …", what runs when most is needed, and the largest owners, a line each.
std::vector<std::string> memory_use_lines(const MemoryUse& memory);

}  // namespace shardscope::inline report
