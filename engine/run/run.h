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
#include "engine/run/experiment.h"
#include "engine/run/numerics_report.h"
#include "engine/run/timeline.h"

namespace shardscope {

enum class RunStatus { done, failed, cancelled };
const char* name(RunStatus status);

// What came of one request; immutable once made (shared_ptr<const Run>). `id` is the database's, none when
// not recorded.
struct Run {
  std::optional<int64_t> id;
  RunStatus status = RunStatus::done;
  std::string strategy;  // canonical id
  StrategyKind kind = StrategyKind::matmul;
  std::string label;
  std::string experiment_title;
  Mesh mesh;  // with the wraps that it was timed with
  HardwareOverrides overrides;
  MatmulProblem problem;
  Fill fill = Fill::integers;
  uint64_t seed = 0;
  bool overlap = true;
  CollectiveAlgorithm collective = CollectiveAlgorithm::automatic;
  StrategyOptions options;
  std::vector<std::string> ignored_options;
  Hardware hardware;
  Program program;
  Timeline timeline;
  std::optional<Error> untimed{};  // why there is no timeline: the run has numbers alone
  NumericsReport numerics;
  std::optional<Measured> measured;
  std::string created;  // ISO 8601, UTC
};

// Whether the fullest device's peak fits the chip's HBM; none when its size is not published.
inline std::optional<bool> fits_hbm(const Run& run) {
  if (!run.hardware.memory.hbm_bytes) return std::nullopt;
  return max_per_device(run.timeline).peak_bytes <= *run.hardware.memory.hbm_bytes;
}

using RunPtr = std::shared_ptr<const Run>;

}  // namespace shardscope
