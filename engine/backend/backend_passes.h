// SPDX-License-Identifier: Apache-2.0
// What XLA's backends make of a partitioned module: its collectives changed, combined, moved out of and
// across the rounds of loops, started early and waited for late; its other work in fusions. In the order of
// xla/service/gpu/gpu_compiler.cc. Of the TPU's backend, which is not open, what its public flags name.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/backend/compile_as.h"
#include "engine/backend/pass.h"
#include "engine/backend/xla_flags.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline backend {

// The module after one pass; values are the same, bit for bit but for the order of sums.
struct BackendPass : ModuleStage {
  std::string pass;                           // "reduce-scatter-creator"
  std::vector<std::string> said;              // what it did, a sentence each
  std::vector<CollectiveOverlap> overlaps{};  // of the last one, which knows the order
};

struct BackendRequest {
  CompileAs compiler = CompileAs::xla_gpu;
  XlaFlags flags{};
  const Hardware& hardware;
  StageClock clock{};  // empty: all that is known is what waits for what
  std::stop_token stop{};
};

// Each pass a stage, after the one before it; the last is given. A pass that a flag turns off is left out; of
// CompileAs::none there is none: null. Errors: stopped, a module that a pass made wrong.
Result<std::shared_ptr<const BackendPass>> backend_passes(const StagePtr& partitioned,
                                                          const BackendRequest& request);
// The stage as what a pass left; null: no pass made it.
std::shared_ptr<const BackendPass> backend_pass(const StagePtr& stage);
// All passes behind `last`, in their order.
std::vector<std::shared_ptr<const BackendPass>> passes_of(std::shared_ptr<const BackendPass> last);
// What is not known of a compiler, or is not done here, in sentences.
std::vector<std::string> backend_notes(CompileAs compiler, const XlaFlags& flags);

// Whether it has passes over collectives; XLA's for CPUs leaves them as they were made.
bool has_passes(CompileAs compiler);

}  // namespace shardscope::inline backend
