// SPDX-License-Identifier: Apache-2.0
// A chip while it is fitted, part by part. Each part reads the training points that are its own, writes what
// it found into the chip, and lists its parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/measure/fit.h"
#include "engine/measure/points.h"
#include "engine/study/calibration.h"

namespace shardscope::inline measure {

struct ChipFit {
  Hardware chip;                                // begins as the preset
  std::vector<CalibratedParameter> parameters;  // of all parts so far
};

struct FitMeans {
  FitEffort effort;
  const Workers& workers;
  const std::stop_token& stop;
};

using PointList = std::vector<const MeasuredPoint*>;

// compute.efficiency, memory.hbm_efficiency and compute.launch_overhead_s; then, of a chip whose units are
// known, tiles where they explain the points much better.
Result<void> fit_products(ChipFit& fit, const PointList& points, const FitMeans& means);
// compute.elementwise_launch_s, with the memory as products found it.
Result<void> fit_elementwise(ChipFit& fit, const PointList& points, const FitMeans& means);
// Rows of link.op for one kind of collective: what its groups share, and what each has of its own.
Result<void> fit_collective(ChipFit& fit, const PointList& points, const FitMeans& means);

// Of a kind whose row goes in parts: permutes get the row's rates and launches anew, where the points are
// enough; all-to-alls keep theirs. Whether the kind has such a row.
Result<bool> fit_parts(ChipFit& fit, const PointList& points, const FitMeans& means);

// The chip without what times do not depend on: cheap to copy for each try.
Hardware bare(const Hardware& chip);
std::vector<double> measured_seconds(const PointList& points);
std::vector<double> sizes_of(const PointList& points);
// Lists a parameter, and writes its source into the chip.
void list_parameter(ChipFit& fit, const FitParameter& parameter, const FittedParameter& fitted,
                    size_t points);

}  // namespace shardscope::inline measure
