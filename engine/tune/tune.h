// SPDX-License-Identifier: Apache-2.0
// Chooses a mesh shape, and per product of a model's layers a strategy and its options, for a number of
// chips.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/base/sharing.h"
#include "engine/study/tuning.h"

namespace shardscope::inline tuner {

inline constexpr const char* kTunedHardware = "tpu-v5e";  // where nobody says another

struct TuneRequest {
  TuneModel model;
  int64_t chips = 0;
  TuneCost cost = TuneCost::simulate;
  std::optional<TuneStep> step;  // none: training; the published costs are always of a training step
  std::optional<std::string>
      hardware;           // none: kTunedHardware; with the published costs always the paper's TPUv4
  AxisPlacement place{};  // of the axes row and col; meshes that it does not fit are left out
};

class TimedBefore;

struct TuneExecution {
  std::function<void(const std::string& what, double fraction)> progress;
  std::function<void(const TuneResult& so_far)> partial;  // after each mesh
  int threads = 0;
  Sharing* sharing = nullptr;  // processes that time a part of the options each; null: this one times all
  std::shared_ptr<TimedBefore> before;  // what need not be timed again, and where answers go; may be empty
  bool exhaustive = false;              // times every option first: the same candidates, to prove it by
};

// simulate: every mesh shape of `chips` (rows × columns, and one axis), every product of every layer, every
// strategy of kind matmul that plans there with its options, by their schedules; of each mesh the fastest
// chain of choices, then slower ones that need less memory, as far as no other candidate is both faster and
// smaller. meshslice: the published tuner. Errors: no mesh, no strategy plans, hardware unknown. A cancelled
// tuning gives what it had, complete = false.
Result<TuneResult> tune(const TuneRequest& request, const TuneExecution& execution, std::stop_token stop);

}  // namespace shardscope::inline tuner
