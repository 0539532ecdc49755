// SPDX-License-Identifier: Apache-2.0
// The steps of a run that was carried out step by step: what happened in each, and what carries over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/numerics_report.h"
#include "engine/run/spans.h"

namespace shardscope::inline run {

struct RunStep {
  int64_t number = 0;
  bool warmup = false;             // statistics leave it out
  TimeRange simulated;             // from the start of the first step
  std::optional<double> wall_s{};  // of executing it here; none: it was only simulated
  std::vector<double> values{};    // of RunSteps::values, in their order; empty: not executed
  bool operator==(const RunStep&) const = default;
};

struct RunSteps {
  std::string marker;                // how profilers name a step: "train"
  std::vector<std::string> values;   // scalar results that are kept step by step, the loss first
  std::vector<std::string> carried;  // "result{1} becomes w1", in order of results
  std::vector<std::string> notes;    // what a reader of the steps should know: one sentence each
  std::vector<RunStep> steps;        // by number
  bool executed() const { return !steps.empty() && steps.front().wall_s.has_value(); }
  bool operator==(const RunSteps&) const = default;
};

// Of steps that are no warm-up.
struct StepStatistics {
  int64_t count = 0;
  double mean = 0, median = 0, stdev = 0, min = 0, max = 0;
};
enum class StepClock : uint8_t { simulated, measured };
// None: every step is warm-up, or none was executed.
std::optional<StepStatistics> statistics_of(const RunSteps& steps, StepClock of);

// Times of executions: the median and its spread. `times` is not empty.
Measured measured_of(std::vector<double> times);
// Those of the steps, without warm-up; all of them where every one is.
Measured measured_of(const RunSteps& steps);

}  // namespace shardscope::inline run
