// SPDX-License-Identifier: Apache-2.0
// A module's text with all there is to say of it before it runs: where shardings come from, what the
// partitioner makes, why each collective is there and how long it takes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/units.h"
#include "engine/partition/entry/partition.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/run/run.h"
#include "engine/session/modules/collective_volume.h"
#include "engine/session/session.h"

namespace shardscope::inline session {

struct ExplainOptions {
  PartitionOptions partition;
  std::map<std::string, std::string, std::less<>> asked{};  // as of ModuleRunOptions
  std::function<void(const Progress&)> progress{};          // may be empty
};

// A collective of what runs on the devices.
struct ModuleCollective {
  CollectiveOrigin origin;   // without a rule: the module came with it
  std::string display_name;  // display_name of its instruction
  std::string opcode, shape;
  std::string groups;  // replica_groups or source_target_pairs as printed
  int64_t rounds = 1;  // executions, in a loop several
  // From its first transfer's start to its last one's end on the device where that takes longest, of all
  // rounds; none: not timed.
  std::optional<Picoseconds> time;
  // The part of the run's critical path that is this collective, in [0, 1]; none: not timed.
  std::optional<double> critical_share{};
};

// Whether devices exchange something there.
bool is_communication(const Instruction& instruction);
// Arrays of the entry that every device has alike, as far as that follows from operations alone.
std::set<std::string> same_everywhere(const Program& partitioned);

struct ExplainedModule {
  StagePtr stages;               // from the module that was read to the last that it came to
  std::optional<Error> cut;      // where the text broke off
  std::optional<Error> failure;  // why it cannot be partitioned
  RunPtr timed;                  // not executed; none: see `untimed`
  std::optional<Error> untimed;
  std::vector<ModuleCollective> collectives;                  // in program order
  std::unordered_map<std::string, size_t> collective_places;  // by name
  int64_t peak_bytes = 0;                                     // of a device: see MemoryUse
  // Of a module that came partitioned: the entry's arrays that are known to be the same on every device.
  std::set<std::string> same;

  const Program& module() const { return *first_stage(*stages).program; }
  std::shared_ptr<const PropagatedModule> propagated() const;  // when asked for
  std::shared_ptr<const Partitioned> partitioned() const;      // none: it came partitioned, or see `failure`
  // What one device does; none when it cannot be partitioned.
  const Program* program() const;
  double bytes_sent() const;  // per device, of all collectives and rounds
  CollectiveVolume volume(const ModuleCollective& collective) const;  // of one round
  std::string reason(const ModuleCollective& collective) const;       // why it is there, and its volume
  // Instructions of the partitioned program for one of the module and back; a call stands for all that it
  // calls. Of a module that came partitioned each stands for itself.
  std::vector<std::string> made_for(const std::string& source) const;
  std::vector<std::string> sources_of(const std::string& made) const;
  // The first part of made_for alone, without calls and annotations.
  std::vector<std::string> directly_made_for(const std::string& source) const;
  // Its place in `collectives`, by the name that a run gives it: rounds of a loop have names of their own.
  std::optional<size_t> collective_named(const std::string& in_run) const;
  // The sharding of an array of the module: its own, or the one that propagation gave it. none: of several
  // arrays, or whole.
  std::optional<HloSharding> sharding_of(const std::string& source) const;
  const Instruction* find(const std::string& source) const;   // in `module`
  std::string display_name(const std::string& source) const;  // display_name of that
  std::string display_name_of_made(const std::string& made) const;
  // Why an array without a sharding of its own is split as it is, one sentence per dimension.
  std::vector<std::string> reasons(const std::string& source) const;
};

// Errors: the text's own. What goes wrong later is part of the result.
Result<ExplainedModule> explain_module(std::string_view text, std::string_view file_name,
                                       const ExplainOptions& options, std::stop_token stop);

// "all-gather.1 is there because of the rule "…": lhs %a of %2 (dot.18) goes from … to …; mlp.py:12."
std::string why(const ModuleCollective& collective);

// A sharding as typed, "{devices=[2,1]<=[2]}", "P('x',None)" or "#sdy.sharding<@mesh, [{"x"}, {}]>" of
// `mesh`, as HLO text for an array of `shape`;
// "" for blanks: none.
Result<std::string> typed_sharding(std::string_view text, const Mesh& mesh, const Shape& shape);

}  // namespace shardscope::inline session
