// SPDX-License-Identifier: Apache-2.0
// A module in JAX's explicit mode: the type of every value, and where it would be an error what an
// out_sharding costs.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline session {

// An out_sharding that JAX takes, and the operation alone with it.
struct OutSharding {
  std::string spec;                      // "P('x', None)"
  std::vector<std::string> collectives;  // "all-reduce f32[8,8]"
  double bytes_sent = 0;                 // by a device
  Picoseconds time = 0;
};
struct ExplicitRow {
  std::string name, text_name, type;  // of the instruction; "": explicit mode says nothing of it
  std::string opcode, source_line, error;
  std::vector<OutSharding> choices{};  // where there is an error, the fastest first
};
struct ExplicitModule {
  std::string mesh;
  std::vector<ExplicitRow> rows;  // of the entry's instructions in order, calls inlined
};

// Errors: as prepare_for_spmd; cancelled.
Result<ExplicitModule> explicit_module(const Program& module, const PartitionOptions& options,
                                       const Hardware& hardware);

}  // namespace shardscope::inline session
