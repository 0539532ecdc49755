// SPDX-License-Identifier: Apache-2.0
// Which run is better than which: one set of rules for the window's table, reports and JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/run/run_summary.h"

namespace shardscope {

// Finished products are ranked, each among the runs of its own problem (sizes, dtype and label: "dX" is no
// rival of "Y"). Parts, examples (a module of HLO is one: its sizes are those of its first product alone) and
// broken ones stand beside them.
struct Rank {
  size_t place = 0;  // in what was ranked
  bool ranked = false;
  std::optional<size_t> best;  // the best ranked run of the same problem
  double ratio_to_best = 1;    // total over its total
  bool is_best() const { return ranked && best == place; }
};
// Ranked ones first, by total, ties by strategy; then the others likewise.
std::vector<Rank> rank(std::span<const RunSummary> runs);

}  // namespace shardscope
