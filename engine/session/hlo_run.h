// SPDX-License-Identifier: Apache-2.0
// A module as a run: partitioned when it is not yet, executed, proved, timed, recorded.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/partition/entry/partition.h"
#include "engine/run/memory_use.h"
#include "engine/run/run.h"
#include "engine/session/module_values.h"
#include "engine/session/proof/check_mode.h"
#include "engine/session/session.h"

namespace shardscope::inline session {

struct ModuleRunOptions {
  PartitionOptions partition;
  // Fields of Door::kModule by key, as typed; what is not said: the module's own mesh, wraps by the chip's
  // rule, tpu-v5e, seed 0.
  std::map<std::string, std::string, std::less<>> asked;
  CheckMode check = CheckMode::full;     // run it on one device too, and compare
  bool values = false;                   // its results are wanted, whatever is proved
  std::vector<TypedArgument> arguments;  // of its parameters; the rest is drawn from the seed
  std::string cut;  // where its text ended early: what stands before is run; "": it did not
  int threads = 0;
  Ranks* ranks = nullptr;                         // who executes it; null: this process
  std::shared_ptr<Workspace> workspace;           // record there; may be empty
  std::function<void(const Progress&)> progress;  // may be empty
};

// How far numbers go that do not go all the way.
struct ComputedPart {
  int64_t instructions = 0, of = 0;  // of the entry
  std::vector<std::string> ends;     // the last values that are computed
  std::string why;                   // it ends there
  std::string words;                 // all that in a sentence
};

// A leaf of the parameters or of the result: whole, or of a module that came partitioned one device's.
struct ModuleArray {
  enum class Role { parameter, result } role = Role::parameter;
  std::string name;
  Shape shape;
  std::optional<HloSharding> sharding;  // none: nobody said one
};

struct ModuleRun {
  RunPtr run;
  StagePtr stages;                  // the last: timed; it came partitioned where none is
  std::vector<ModuleArray> arrays;  // parameters, then results
  std::optional<MemoryUse> memory;  // what the devices' peaks are made of; none: not timed
  std::optional<double> compiler_estimate_s;  // of the module as it came, by its compiler (compiler_estimate.h)
  // With `check`.
  std::vector<ModuleArgument> arguments;
  std::vector<ModuleResult> results;
  std::optional<ComputedPart> part;  // none: all of it
};

// What a compiler printed after partitioning: it holds collectives, asks for its device number, or is
// scheduled.
bool is_partitioned(const Program& module);

// What was asked of how a module is partitioned: as many devices as the mesh has where the module is free to
// have any number, and who propagates.
Result<PartitionOptions> asked_partition(const ModuleRunOptions& options);

// run.strategy is "hlo", run.label the module's name, run.problem the first product's size (of one device for
// a module that came partitioned, whose numbers are computed but have nothing to be compared with). Proved
// before it is timed: what can be computed but not timed has run.untimed, and is not recorded; without
// `check` it is an error. What cannot be computed ends the proof there, and the report says so.
// `module`: as it was read, or already propagated.
Result<ModuleRun> execute_module(const StagePtr& module, const ModuleRunOptions& options,
                                 std::stop_token stop);
Result<ModuleRun> execute_module(const Program& module, const ModuleRunOptions& options,
                                 std::stop_token stop);

}  // namespace shardscope::inline session
