// SPDX-License-Identifier: Apache-2.0
// Which run is better than which: one set of rules for the window's table, reports and JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/run/run_summary.h"

namespace shardscope::inline report {

// Finished products are ranked, each among the runs of its own problem (sizes and dtype), and runs of modules
// among those of one name, entry signature and number of devices. Where there are none, strategies of several
// products are, each among those that compute the same. Parts, other examples and broken ones stand beside
// them.
//
// Runs of one group do the same from and to the same shardings on the same links: their times compare as they
// are. Across groups a run's price is added: what it takes to start from the experiment's own shardings and
// to end there. A run without one, of a problem whose rivals have theirs, comes behind them.
struct Rank {
  size_t place = 0;  // in what was ranked
  bool ranked = false;
  size_t standing = 0;          // among those of its problem, from 1; those that tie share it; 0: not ranked
  std::optional<size_t> best;   // the best ranked run of the same problem, at its price
  double ratio_to_best = 1;     // time and price over its time and price
  std::optional<size_t> group;  // number of its group, in the order of the ranking; ranked ones have one
  std::optional<size_t> best_in_group;            // the fastest of it
  double ratio_in_group = 1;                      // time over its time
  bool is_best() const { return standing == 1; }  // alone, or with those that tie with it
};
// Below it a ratio prints as 1.00×: a tie.
inline constexpr double kTie = 1.005;

// Ranked ones first, by time and price, ties by time, then by strategy; then the others by time.
std::vector<Rank> rank(std::span<const RunSummary> runs);

std::string group_name(size_t group);  // "A", …, "Z", "AA"

}  // namespace shardscope::inline report
