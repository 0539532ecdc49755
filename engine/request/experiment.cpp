// SPDX-License-Identifier: Apache-2.0
#include "engine/request/experiment.h"

#include <utility>

#include "engine/hardware/fabric.h"

namespace shardscope::inline request {

const char* name(Fill fill) {
  constexpr std::array kNames{"integers", "normal", "arange", "jax", "ramp"};
  return kNames[static_cast<size_t>(fill)];
}

const char* name(KernelTiming timing) {
  constexpr std::array kNames{"off", "dots", "collectives", "all"};
  return kNames[static_cast<size_t>(timing)];
}

Result<PlacedMesh> machine_of(const Experiment& experiment, const RunRequest& asked,
                              const Hardware& hardware) {
  Mesh mesh = asked.mesh.value_or(experiment.mesh);
  const bool chip_wraps = asked.mesh ? asked.chip_wraps : experiment.chip_wraps;
  if (chip_wraps) mesh = with_chip_wraps(mesh, hardware);
  TRY(PlacedMesh out, placed(std::move(mesh), hardware, experiment.place));
  if (experiment.efficiency) {
    out.hardware.compute.efficiency = static_cast<double>(*experiment.efficiency) / 100;
    out.hardware.products.clear();  // the share is of all products
  }
  if (!experiment.overrides.empty()) TRY_VOID(Fabric::make(out.mesh, out.hardware, experiment.overrides));
  return out;
}

Result<Request> resolve(const Experiment& experiment, const RunRequest& asked, const Hardware& hardware) {
  TRY(const Strategy* strategy, find_strategy(asked.strategy));
  Request out;
  out.experiment = experiment;
  out.asked = asked;
  out.strategy = strategy->id;
  TRY(PlacedMesh machine, machine_of(experiment, asked, hardware));
  out.mesh = std::move(machine.mesh);
  out.problem = asked.problem.value_or(experiment.problem);
  out.collective = asked.collective.value_or(experiment.collective);
  TRY_VOID(validate(out.problem));
  return out;
}

}  // namespace shardscope::inline request
