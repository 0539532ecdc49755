// SPDX-License-Identifier: Apache-2.0
// The sizes that a kernel is built for, by name.
#pragma once

#include <string>
#include <vector>

#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/program/sizes.h"

namespace shardscope::kernels {

// Those that a kernel reads: they change its program, or make it refuse, on its default mesh.
std::vector<KernelSize> sizes_read(const KernelEntry& entry);

// The mesh of a kernel when none is asked for: one device, a ring x=4 or a grid x=2,y=2.
Mesh default_mesh(const KernelEntry& entry);
// `wished`, or the default one where that has too few axes for the kernel.
Mesh mesh_for(const KernelEntry& entry, const Mesh& wished);

}  // namespace shardscope::kernels
