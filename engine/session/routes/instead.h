// SPDX-License-Identifier: Apache-2.0
// What could be done instead of a collective of a partitioned module: other ways of its array between the
// same two shardings, with bytes and time.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/types/partitioned.h"
#include "engine/session/routes/reshard.h"

namespace shardscope::inline session {

struct Instead {
  Picoseconds time = 0;             // of the collective itself
  std::vector<PricedRoute> routes;  // others, the cheapest first; not proved
  // "all-gather over x, 48.0 KiB, 3.1 µs; instead: all-reduce over x 96.0 KiB 5.2 µs"
  std::string words;
};

// By the collective's name, of those whose array and shardings the mesh's axes say; of a large module the
// first ones. Errors: cancelled.
Result<std::map<std::string, Instead>> instead_of(const Partitioned& made, const Hardware& hardware,
                                                  std::stop_token stop);

}  // namespace shardscope::inline session
