// SPDX-License-Identifier: Apache-2.0
// Turns what was asked into runs: resolves names, plans, verifies, times, computes, records.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/check/numerics.h"
#include "engine/report/report.h"
#include "engine/request/experiment.h"
#include "engine/request/experiment_file.h"
#include "engine/run/run.h"
#include "engine/trace/workspace.h"

namespace shardscope::inline session {

struct Progress {
  std::string what;     // "wang.os: numerics"
  double fraction = 0;  // of the whole job
};

// How to run an experiment, beside what it asks: who gives the data, who is told, who records.
struct ExecutionOptions : ExecutionSettings {
  std::optional<RunRequest> only{};      // of a sweep this run alone, as part of the experiment
  std::optional<Array> lhs, rhs;         // the user's, in X[m,k], W[k,n] orientation
  std::shared_ptr<Workspace> workspace;  // record there; may be empty
  Ranks* ranks = nullptr;                // who executes programs; null: this process
  bool resume = false;  // of a sweep: what `workspace` holds of it is not run again (resume/earlier_runs.h)
  RunLabel given{};     // what the user says of the run
  std::function<void(const Progress&)> progress;  // called from the job's thread
  // Of a sweep with numbers: a run has its time, and is recorded with it; the rest comes with `finished`.
  std::function<void(const RunPtr&)> timed{};
  std::function<void()> ranked{};  // every time is known
  std::function<void(const RunPtr&)>
      finished;  // as all of a run is known, of those with numbers the best first
  std::function<void(const RunPtr&)>
      withdrawn{};  // it was timed, but its numbers cannot be had: skipped after all
  std::function<void(const SkippedRun&)> skipped;
};

// `execute` of a run without numbers and record of whose time only totals are looked at: a long program is
// planned with its loops and timed by them, where they can be. Other programs keep their events.
Result<RunPtr> execute_for_totals(const Experiment& experiment, const RunRequest& request,
                                  const ExecutionOptions& options, std::stop_token stop);

// One run of `experiment`. Refusals come before anything runs.
Result<RunPtr> execute(const Experiment& experiment, const RunRequest& request,
                       const ExecutionOptions& options, std::stop_token stop, Array* result = nullptr);
// All its runs (every strategy but broken ones when it names none): first the time of each, then the numbers
// in the order of the ranking, X, W and reference made once. What is refused is listed as skipped, not an
// error. Nothing could run: error. Cancelled: error `cancelled`; runs that were timed are recorded and were
// reported, with those numbers that were computed.
Result<Comparison> sweep(const Experiment& experiment, const ExecutionOptions& options, std::stop_token stop);

// Which of its arrays a strategy stores as transposes of X[m,k] and W[k,n]: what its own plan declares.
struct StoredOrientation {
  bool lhs_transposed = false;
  bool rhs_transposed = false;
  bool operator==(const StoredOrientation&) const = default;
};
Result<StoredOrientation> stored_orientation(const Mesh& mesh, const RunRequest& request);

// Compiled-in presets, and experiment files.
struct ExperimentPreset {
  std::string name;  // "wang_os_2x4": file name without ending
  std::string title;
};
std::vector<ExperimentPreset> experiment_presets();              // default first
std::string_view experiment_preset_text(std::string_view name);  // its file; empty: no such preset
Result<Experiment> find_experiment(std::string_view name_or_path);

// The requests that `experiment` stands for: its own, or one per strategy that is not broken.
std::vector<RunRequest> requests_of(const Experiment& experiment);
// Why a strategy cannot run on this experiment, or nothing. Plans it and throws the plan away; told to stop,
// the reason is that.
std::optional<std::string> reason_against(const Experiment& experiment, const RunRequest& request,
                                          const std::stop_token& stop = {});

}  // namespace shardscope::inline session
