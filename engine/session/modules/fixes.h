// SPDX-License-Identifier: Apache-2.0
// "Which annotation removes this collective?": each answer was tried, the module partitioned and timed with
// it, and is only given when that sends less or takes less time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"
#include "engine/session/modules/sharding_edits.h"

namespace shardscope::inline session {

// How much may be tried.
struct FixLimits {
  int64_t tries = 0;  // times that the module is partitioned
  std::chrono::milliseconds time{0};
  bool full_copies_only = false;  // nothing against other collectives
};
// So many that it stays a matter of seconds; against full copies alone of half a second, unasked.
FixLimits fix_limits(const Program& module);
FixLimits unasked_fix_limits(const Program& module);

// What a device does with the module.
struct FixCost {
  Picoseconds time = 0;
  double bytes_sent = 0;  // the mean over devices; in a loop those of a round
  int64_t peak_bytes = 0;
  int64_t collectives = 0;  // wherever they stand
};

// Where the edit stands in the user's program.
enum class FixPlace {
  argument,    // the module comes with that array: in_shardings
  result,      // it goes with it: out_shardings
  annotation,  // of the module, another one
  constraint,  // a new one: with_sharding_constraint
};
const char* name(FixPlace place);

struct Fix {
  ShardingEdit edit;
  FixPlace place = FixPlace::constraint;
  std::string reader;                // display_name of the edit's; "": it is for all
  std::string source_line;           // where the array is made, "model.py:12"; "": nobody says it
  std::vector<std::string> removes;  // names of collectives in the partitioned program that are gone with it
  FixCost now, then;
  // "with_sharding_constraint(dot.7, P('x', None)) at model.py:12: no all-gather.1; 4.2 µs (1.1 µs less), …".
  std::string words() const;
};
struct Fixes {
  std::vector<Fix> fixes;  // the fastest first; each collective in one of them at most
  int64_t tried = 0;
  int64_t left = 0;                   // edits that the limits left out
  std::optional<FixCost> together{};  // all of them at once, where there are several and that is better still
};

// Of the collectives that `made` came to by `how`, those whose full copies the partitioner warns of first,
// then the largest. Argument and result keep at least as many shards as they have, and what fits the chip's
// memory stays so. Nothing for a module that has no time on the chip. Errors: cancelled.
Result<Fixes> fixes_of(const Partitioned& made, const PartitionOptions& how, const Hardware& hardware,
                       const FixLimits& limits);

}  // namespace shardscope::inline session
