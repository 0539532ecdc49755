// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/chip_fit.h"

#include <fmt/format.h>

namespace shardscope::inline measure {

Hardware bare(const Hardware& chip) {
  Hardware out = chip;
  out.sources.clear();
  out.calibration.reset();
  return out;
}

std::vector<double> measured_seconds(const PointList& points) {
  std::vector<double> out;
  for (const MeasuredPoint* point : points) out.push_back(point->measured_s);
  return out;
}

std::vector<double> sizes_of(const PointList& points) {
  std::vector<double> out;
  for (const MeasuredPoint* point : points) out.push_back(size_of(*point));
  return out;
}

void list_parameter(ChipFit& fit, const FitParameter& parameter, const FittedParameter& fitted,
                    size_t points) {
  fit.parameters.push_back({parameter.name, fitted.value, fitted.low, fitted.high, parameter.preset,
                            parameter.unit, fitted.identified, static_cast<int64_t>(points)});
  // A number that stayed has the source that it had.
  if (fitted.value == parameter.preset) return;
  fit.chip.sources[parameter.name] = fmt::format(
      "≈ fitted to {} measurements (see calibration): {:.3g} to {:.3g} in 95 % of the bootstrap{}", points,
      fitted.low, fitted.high, fitted.identified ? "" : "; not identified, wider than 25 % to either side");
}

}  // namespace shardscope::inline measure
