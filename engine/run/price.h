// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/units.h"

namespace shardscope::inline run {

// One array on its way between the experiment's own sharding and the run's.
struct PriceLeg {
  std::string array;       // "X"
  bool is_result = false;  // moved after the run; else before
  std::string verb;        // what it takes: "gather", "exchange", "move", "add up", "copy"
  Picoseconds time = 0;
  bool operator==(const PriceLeg&) const = default;
};

// What a run leaves out that starts or ends in other shardings than the experiment's own: the simulated time
// of the programs that bring its inputs there and its result back, one after the other.
struct Price {
  std::vector<PriceLeg> legs;  // those that take time
  Picoseconds total() const;
  std::string words() const;  // "gather X first, exchange Y after"; empty: nothing moves
  bool operator==(const Price&) const = default;
};

}  // namespace shardscope::inline run
