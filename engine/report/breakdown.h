// SPDX-License-Identifier: Apache-2.0
// Where a run's time goes, in two tables that each add up to its total in picoseconds, and which operations
// are behind it; and the difference of two runs, row by row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/run/terms.h"

namespace shardscope::inline report {

// All moments of one term that belong to one kind of operation: to products of one size, to the collectives
// that are under way at once. An idle moment belongs to what comes next.
struct OperationTime {
  Term term = Term::compute;
  std::string what;   // "product 2048×1024×128", "all-gather over row and col", "before …"
  int64_t count = 0;  // events of compute; stretches of time of the others
  Picoseconds time = 0;
  int64_t m = 0, k = 0, n = 0;  // of products; 0: it is none
  bool operator==(const OperationTime&) const = default;
};

// A stretch of a device's time without a change, all of them one after the other: which term it is, and which
// instructions are under way in it, ascending; of an idle one those that come next, none at the end.
struct Stretch {
  Term term = Term::compute;
  std::vector<int32_t> instructions;
  Picoseconds time = 0;
};
std::vector<Stretch> stretches_of(const Run& run, int32_t device);

struct Breakdown {
  Picoseconds total = 0;
  Picoseconds price = 0;  // beside the total: to come from and go to the experiment's shardings
  Terms terms{};
  Parts parts{};
  std::vector<OperationTime>
      operations;  // the largest first; those of a term add up to it; empty without events
  bool operator==(const Breakdown&) const = default;
};
Breakdown breakdown_of(const Run& run);

// What the first run has more (or, negative, less) than the second.
struct OperationDifference {
  Term term = Term::compute;
  std::string what;
  int64_t first_count = 0, second_count = 0;
  Picoseconds first = 0, second = 0;
  Picoseconds difference() const { return first - second; }
};
struct Difference {
  Breakdown first, second;
  std::vector<OperationDifference> operations;  // the largest differences first
  Picoseconds term(Term t) const;
  Picoseconds part(size_t p) const { return first.parts[p] - second.parts[p]; }
  Picoseconds price() const { return first.price - second.price; }
  Picoseconds total() const { return first.total - second.total; }  // the terms' sum, and the parts'
  Picoseconds priced() const { return total() + price(); }          // what the ranking goes by
};
Difference difference_of(const Run& first, const Run& second);

}  // namespace shardscope::inline report
