// SPDX-License-Identifier: Apache-2.0
// A module as a run: partitioned when it is not yet, executed, proved, timed, recorded.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/partition/entry/partition.h"
#include "engine/run/run.h"
#include "engine/session/session.h"

namespace shardscope {

struct ModuleRunOptions {
  PartitionOptions partition;
  std::string hardware = "tpu-v5e";  // preset name or file
  bool check = true;                 // run it on one device too, and compare
  uint64_t seed = 0;
  int threads = 0;
  std::shared_ptr<Workspace> workspace;           // record there; may be empty
  std::function<void(const Progress&)> progress;  // may be empty
};

struct ModuleRun {
  RunPtr run;
  std::optional<Partitioned> partitioned;  // none: the module came partitioned
};

// What a compiler printed after partitioning: it holds collectives, asks for its device number, or is
// scheduled.
bool is_partitioned(const Program& module);

// run.strategy is "hlo", run.label the module's name, run.problem the first product's size (of one device for
// a module that came partitioned, whose numbers are computed but have nothing to be compared with). Proved
// before it is timed: what can be computed but not timed has run.untimed, and is not recorded; without
// `check` it is an error.
Result<ModuleRun> execute_module(const Program& module, const ModuleRunOptions& options,
                                 std::stop_token stop);

}  // namespace shardscope
