// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/partition/entry/partition.h"
#include "engine/run/memory_use.h"
#include "engine/session/compiled/after_passes.h"
#include "engine/session/hlo_numbers.h"
#include "engine/session/modules/by_partitioner.h"
#include "engine/session/modules/fixes.h"
#include "engine/session/routes/instead.h"

namespace shardscope::inline cli {

// What `hlo partition` has to say.
struct PartitionPage {
  const BackendModule& module;
  const Hardware& hardware;    // whose memory it should fit
  const MemoryUse& memory;     // as the chip's compiler makes it
  const ModuleNumbers& proof;  // or why there is none
  SpmdDialect dialect = SpmdDialect::current;
  bool tiles = false;  // shardings as XLA's tiles instead of PartitionSpecs
  // What could be done instead of collectives, by their names; empty: nobody asked.
  std::map<std::string, Instead> instead{};
  std::vector<PartitionerCost> partitioners{};  // side by side; empty: nobody asked
  std::optional<Fixes> fixes{};                 // none: nobody asked
  StagePtr stage{};                             // that was asked for; null: none was
};
std::string partition_json(const PartitionPage& page);
// The program, with what there is to know of it as comments, so that the output is still a module.
std::string partition_text(const PartitionPage& page);

// How far the numbers are off, for one line.
std::string difference_text(const NumericsReport& report);

// The collectives that a partitioned module has, each in the form of partition_json, as a JSON array.
std::string own_collectives_json(const Program& program, const Hardware& hardware);

}  // namespace shardscope::inline cli
