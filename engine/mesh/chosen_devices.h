// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/mesh/mesh.h"

namespace shardscope::inline mesh {

// The devices that a text names, ascending: "row=0", "col=2..5", "row=0,3 col=1" (both hold), "7 12..15",
// "(0,1) (2,3)" (each of the list); axes and a list together: those of the list for which the axes hold.
// Blanks round = , and .. do not matter; "" is all devices. Errors: an axis or a device that the mesh has
// not, what is no number, what leaves no device.
Result<std::vector<int32_t>> chosen_devices(const Mesh& mesh, std::string_view text);

}  // namespace shardscope::inline mesh
