// SPDX-License-Identifier: Apache-2.0
#include "engine/request/experiment.h"

namespace shardscope {

const char* name(Fill fill) {
  constexpr std::array kNames{"integers", "normal", "arange", "jax", "ramp"};
  return kNames[static_cast<size_t>(fill)];
}

const char* name(KernelTiming timing) {
  constexpr std::array kNames{"off", "dots", "collectives", "all"};
  return kNames[static_cast<size_t>(timing)];
}

Result<Request> resolve(const Experiment& experiment, const RunRequest& asked, const Hardware& hardware) {
  TRY(const Strategy* strategy, find_strategy(asked.strategy));
  Request out;
  out.experiment = experiment;
  out.asked = asked;
  out.strategy = strategy->id;
  out.mesh = asked.mesh.value_or(experiment.mesh);
  const bool chip_wraps = asked.mesh ? asked.chip_wraps : experiment.chip_wraps;
  if (chip_wraps) out.mesh = with_chip_wraps(out.mesh, hardware);
  out.problem = asked.problem.value_or(experiment.problem);
  out.collective = asked.collective.value_or(experiment.collective);
  TRY_VOID(validate(out.problem));
  return out;
}

}  // namespace shardscope
