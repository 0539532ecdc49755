// SPDX-License-Identifier: Apache-2.0
#include "engine/session/earlier_runs.h"

#include <algorithm>
#include <utility>

namespace shardscope::inline session {
namespace {

// Which others were asked for beside it is all the same to a run.
bool same_request(const Run& run, Experiment experiment, const RunRequest& request) {
  experiment.runs = run.experiment.runs;
  return run.experiment == experiment && run.asked == request &&
         std::ranges::count(run.numerics.warnings, kOwnArrays) == 0;
}

}  // namespace

Result<EarlierRuns> EarlierRuns::in(std::shared_ptr<Workspace> workspace) {
  TRY(std::vector<RunSummary> runs, workspace->runs());
  return EarlierRuns(std::move(workspace), std::move(runs));
}

Result<RunPtr> EarlierRuns::find(const Experiment& experiment, const RunRequest& request,
                                 const Hardware& hardware, const std::stop_token& stop) const {
  TRY(const Request wanted, resolve(experiment, request, hardware));
  TRY(PlacedMesh machine, machine_of(experiment, request, hardware));
  TRY(machine.hardware, changed(std::move(machine.hardware), experiment.chip));
  for (auto at = runs_.rbegin(); at != runs_.rend(); ++at) {
    const RunSummary& row = *at;
    if (row.status != name(RunStatus::done) || row.strategy != wanted.strategy) continue;
    if (row.m != wanted.problem.m || row.k != wanted.problem.k || row.n != wanted.problem.n) continue;
    if (stop.stop_requested()) return cancelled();
    const Result<RunPtr> loaded = workspace_->load(row.id);
    if (!loaded.ok() && loaded.error().kind == ErrorKind::invalid) continue;  // removed meanwhile
    TRY(const RunPtr run, loaded);
    if (same_request(*run, experiment, request) && run->hardware == machine.hardware) return run;
  }
  return RunPtr();
}

}  // namespace shardscope::inline session
