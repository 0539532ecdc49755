// SPDX-License-Identifier: Apache-2.0
// Text out of runs: tables, comparison, JSON, CSV.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/ranking.h"
#include "engine/run/run.h"
#include "engine/study/residual.h"

namespace shardscope::inline report {

// A run that could not be made, with the reason.
struct SkippedRun {
  std::string strategy;
  std::string reason;
  bool operator==(const SkippedRun&) const = default;
};

// A run beside the trace that was measured of it.
struct MeasuredBeside {
  RunPtr run;
  std::shared_ptr<const MeasuredTrace> trace;
  Residual residual;
};

// N runs side by side.
struct Comparison {
  std::string title;
  std::vector<RunPtr> runs;
  std::vector<SkippedRun> skipped;
  std::optional<MeasuredBeside> measured{};  // of one of the runs
  bool complete = true;                      // false: of a sweep that was cancelled, what it had so far
};

// What rankings call a run: its strategy, or of a module its name.
std::string ranked_name(const Run& run);

struct RankedRun : Rank {
  RunPtr run;
  bool same_output = true;  // output sharding equals the best one's
  // "X on 8 devices": the inputs of which every element lies on several devices before anything moves; empty
  // when none.
  std::string replicated_inputs{};
};
// In the order of rank() on their summaries.
std::vector<RankedRun> rank(const std::vector<RunPtr>& runs);
// The sentence of verdict.h about them.
std::string verdict(const std::vector<RunPtr>& runs);

std::string run_json(const Run& run);                       // `run --json`
std::string sweep_json(const Comparison& comparison);       // `sweep --json`
std::string numerics_json(const NumericsReport& numerics);  // the object of run_json, on one line
std::string compare_csv(const Comparison& comparison);
std::string run_text(const Run& run);  // what `run` prints without --json
std::string ranking_text(
    const Comparison& comparison);  // what `sweep` prints without --json, aligned columns

}  // namespace shardscope::inline report
