// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline session {

// What a partitioner makes of a module, and what that costs.
struct PartitionerCost {
  Partitioner by = Partitioner::spmd;
  std::map<std::string, int64_t> collectives;  // by HLO's name, those of loops once
  int64_t peak_bytes = 0;
  double bytes_sent = 0;            // by a device in the collectives of the entry, the mean over devices
  std::optional<Picoseconds> time;  // simulated; none: see `why`
  std::string why;                  // it has no time on the chip
  std::string text() const;         // "2 all-gather, 1 all-reduce; a device sends 48.0 KiB; 12.3 µs"
};

// By each of them, in their order, of the module that `made` was partitioned from. Errors: of partition().
Result<std::vector<PartitionerCost>> by_partitioner(const Partitioned& made, PartitionOptions how,
                                                    const Hardware& hardware);
// Which takes less time, and by how much; "": neither, or they have none.
std::string cheaper_partitioner(const std::vector<PartitionerCost>& costs);

}  // namespace shardscope::inline session
