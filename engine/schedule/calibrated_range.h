// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/schedule/work.h"

namespace shardscope {

// For each kind of work of the plan of which some is smaller or larger than what the chip was calibrated with
// (Hardware::calibration) a sentence that says by how much at most. Products by their flops, collectives by
// the bytes of the array on one device, the rest by what it reads and writes.
std::vector<std::string> outside_calibration(const Hardware& hardware, const WorkPlan& plan);

// Where a mesh is timed as the chip's torus is not.
std::vector<std::string> mesh_assumptions(const Mesh& mesh, const Hardware& hardware);

}  // namespace shardscope
