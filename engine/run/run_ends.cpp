// SPDX-License-Identifier: Apache-2.0
#include "engine/run/run_ends.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/run/run.h"

namespace shardscope::inline run {
namespace {

// A spec of as many entries as the array has dimensions, of the array that is not turned round.
std::string sharding_text(const ArrayInfo& array) {
  PartitionSpec spec = array.spec;
  spec.dims.resize(std::max(array.dims.size(), spec.dims.size()));
  if (array.transposed && spec.dims.size() == 2) std::swap(spec.dims[0], spec.dims[1]);
  std::string out = spec.text();
  if (!array.unreduced.empty()) out += " unreduced over " + join(array.unreduced, ",");
  for (const HomeCoordinate& at : array.home) out += fmt::format(" at {}={}", at.axis, at.coordinate);
  return out;
}

std::vector<PlacedArray> placed(const std::vector<ArrayInfo>& arrays) {
  std::vector<PlacedArray> out;
  for (const ArrayInfo& array : arrays) out.push_back({symbol_of(array), sharding_text(array)});
  return out;
}

std::string links_text(const Run& run) {
  std::string out = run.mesh.text();
  for (const MeshAxis& axis : run.mesh.axes()) out += axis.wrap ? " ring" : " line";
  for (const int32_t chip : run.mesh.device_order()) out += fmt::format(" {}", chip);
  for (const DeviceOverride& it : run.experiment.overrides.devices) out += " " + text(it);
  for (const LinkOverride& it : run.experiment.overrides.links) out += " " + text(it);
  for (const AxisOverride& it : run.experiment.overrides.axes) out += " " + text(it);
  return out;
}

}  // namespace

RunEnds ends_of(const Run& run) {
  if (run.module) return run.module->ends;
  return {placed(run.program.inputs), placed(outputs_of(run.program))};
}

std::string text(const std::vector<PlacedArray>& arrays) {
  std::vector<std::string> parts;
  for (const PlacedArray& array : arrays) parts.push_back(array.name + " " + array.sharding);
  return join(parts, ", ");
}

std::string group_key(const Run& run) {
  const MatmulProblem& p = run.problem;
  const std::string problem = run.module ? run.asked.label + " " + run.module->signature
                                         : fmt::format("{} {} {} {} {} {}", p.m, p.k, p.n, name(p.dtype),
                                                       name(p.accumulate), name(travelling_type(p)));
  const RunEnds ends = ends_of(run);
  const std::string all =
      fmt::format("{}\n{} -> {}\n{}\n{} kernels {}\n{}", problem, text(ends.inputs), text(ends.outputs),
                  links_text(run), run.experiment.overlap ? "overlap" : "in order",
                  name(run.experiment.kernels), hardware_toml(run.hardware));
  return fmt::format("{:016x}", text_hash(all));
}

}  // namespace shardscope::inline run
