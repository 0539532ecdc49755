// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"
#include "engine/request/experiment.h"
#include "engine/run/numerics_report.h"
#include "engine/run/price.h"
#include "engine/run/run_ends.h"
#include "engine/run/run_label.h"
#include "engine/run/steps.h"
#include "engine/run/timeline.h"

namespace shardscope::inline run {

enum class RunStatus { done, failed, cancelled };
const char* name(RunStatus status);

// What came of one request, which it holds; immutable once made (shared_ptr<const Run>). `id` is the
// database's, none when not recorded.
struct Run : Request {
  std::optional<int64_t> id;
  RunStatus status = RunStatus::done;
  StrategyKind kind = StrategyKind::matmul;
  bool overlap = true;  // as it was timed: a collective's kernel puts the run in program order
  std::vector<std::string> ignored_options;
  Hardware hardware;
  Program program;
  Timeline timeline;
  std::optional<Error> untimed{};      // why there is no timeline: the run has numbers alone
  std::optional<Price> price{};        // beside the experiment's own shardings; none: nothing to compare with
  std::optional<ModuleFace> module{};  // of a run of a module of HLO
  NumericsReport numerics;
  std::optional<Measured> measured;
  std::optional<RunSteps> steps{};  // none: it was carried out once
  std::string created;              // ISO 8601, UTC
  RunLabel given{};                 // what its user says of it
};

// Whether the fullest device's peak fits the chip's HBM; none when its size is not published.
inline std::optional<bool> fits_hbm(const Run& run) {
  if (!run.hardware.memory.hbm_bytes) return std::nullopt;
  return max_per_device(run.timeline).peak_bytes <= *run.hardware.memory.hbm_bytes;
}

// A product of its problem's type, as a module's compiler multiplies where nothing else is said; its peak.
inline Multiplied problem_product(const Run& run) {
  Multiplied how{run.problem.dtype};
  if (is_foreign(run.program)) how.precision = ProductPrecision::standard;
  return how;
}
inline Result<Peak> peak_of(const Run& run) {
  return peak_for(run.hardware, problem_product(run));
}

using RunPtr = std::shared_ptr<const Run>;

}  // namespace shardscope::inline run
