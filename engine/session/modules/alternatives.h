// SPDX-License-Identifier: Apache-2.0
// "And if this collective were not there?": the module again with one array sharded in another way, so that
// the partitioner does without it; partitioned and timed as the module itself was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/session/hlo_explain.h"
#include "engine/session/modules/sharding_edits.h"

namespace shardscope::inline session {

// What a module costs, in the figures that it is judged by.
struct ModuleCost {
  Picoseconds total = 0;
  double bytes_sent = 0;  // per device, of all collectives and rounds
  int64_t peak_bytes = 0;
  int64_t collectives = 0;
  bool operator==(const ModuleCost&) const = default;
};

struct Alternative {
  ShardingEdit edit;
  ModuleCost now, then;
  int64_t tried = 0;  // shardings; `edit` is the fastest of those that do without the collective
  // "Without it: w2 as P('y',None) takes 4.2 µs (3.9 µs less), sends …".
  std::string words() const;
};

// The fastest way to do without collective number `collective` of `explained`, which came of `options`:
// another sharding of an array that its instruction reads or makes, one axis moved, dropped or added at a
// time. How many are tried follows from the module's size. Errors: the module came partitioned or was not
// timed; nothing that was tried does without it.
Result<Alternative> alternative_to(const ExplainedModule& explained, const ExplainOptions& options,
                                   size_t collective, const std::stop_token& stop);

// The run's time if that collective took none: what is left to win by hiding it. Errors: not timed.
Result<Picoseconds> time_without(const ExplainedModule& explained, size_t collective,
                                 const std::stop_token& stop);

}  // namespace shardscope::inline session
