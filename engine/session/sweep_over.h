// SPDX-License-Identifier: Apache-2.0
// One experiment over ranges of its parameters: every point timed with every strategy.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/sharing.h"
#include "engine/request/experiment.h"
#include "engine/study/crossover.h"

namespace shardscope::inline session {

// "n=1024..65536x2", "slices=1,2,4", "k=1..9+2", "m=64,k=1..4" (two axes), "mesh=2x4,4x2",
// "mesh=x=2,y=4;x=4,y=2". Names: the fields that may be an axis (engine/request/fields.h). Every value is
// checked.
Result<std::vector<SweepAxis>> parse_sweep_axes(std::string_view text);

// `base` with the values of one point put in. `at`: per axis the place in its values.
Result<Experiment> experiment_at(const Experiment& base, const std::vector<SweepAxis>& axes,
                                 const std::vector<int32_t>& at);

struct SweepOverExecution {
  bool numerics = false;  // also compute and check the numbers of every point
  int threads = 0;
  Sharing* sharing = nullptr;  // processes that do a part of the points each; null: this one does all
  std::function<void(const std::string& what, double fraction)> progress;
  std::function<void(const CrossoverTable& so_far)> partial;
};

inline constexpr int64_t kMostSweepPoints = 20'000;

// The cross product of the axes, times the experiment's strategies of kind matmul. Refuses an axis twice,
// more than kMostSweepPoints points, and sweeps in which nothing could run. A cancelled one gives what it
// had, complete = false.
Result<CrossoverTable> sweep_over(const Experiment& experiment, const std::vector<SweepAxis>& axes,
                                  const SweepOverExecution& execution, std::stop_token stop);

}  // namespace shardscope::inline session
