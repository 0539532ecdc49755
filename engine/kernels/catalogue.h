// SPDX-License-Identifier: Apache-2.0
// The kernels that come with Shardscope. A broken one stays as a lesson, beside the one that mends it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/builder.h"
#include "engine/kernels/data.h"

namespace shardscope::kernels {

struct KernelEntry {
  std::string id;     // "ag.ring"
  std::string title;  // one sentence
  bool broken = false;
  std::string mended;  // of a broken one: the id of its mended twin
  int axes = 1;        // of the mesh that it reads: 0 for one device alone, 1 a ring, 2 a grid
  KernelBody body = nullptr;
  // What every output should hold, from the inputs; none: outputs are not judged.
  KernelData (*expected)(const KernelProgram& program, const KernelData& inputs) = nullptr;
};

const std::vector<KernelEntry>& catalogue();
Result<KernelEntry> find_kernel(std::string_view id);

// The kernel on options.mesh. Errors: a mesh with too few axes, sizes that it refuses.
Result<KernelProgram> build_kernel(const KernelEntry& entry, const KernelOptions& options);

}  // namespace shardscope::kernels
