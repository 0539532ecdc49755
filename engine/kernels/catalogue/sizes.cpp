// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/catalogue/sizes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace shardscope::kernels {

std::vector<KernelSize> sizes_read(const KernelEntry& entry) {
  KernelOptions options;
  options.mesh = default_mesh(entry);
  const Result<KernelProgram> plain = build_kernel(entry, options);
  const auto changes = [&](const KernelSize& size, int64_t value) {
    KernelOptions other = options;
    other.*size.field = value;
    const Result<KernelProgram> built = build_kernel(entry, other);
    return built.ok() != plain.ok() || (built.ok() && *built != *plain);
  };
  // One of two values is not the kernel's own default.
  constexpr std::array<int64_t, 2> kTried = {24, 48};
  std::vector<KernelSize> out;
  std::copy_if(
      kernel_sizes().begin(), kernel_sizes().end(), std::back_inserter(out), [&](const KernelSize& size) {
        return std::any_of(kTried.begin(), kTried.end(), [&](int64_t value) { return changes(size, value); });
      });
  return out;
}

Mesh default_mesh(const KernelEntry& entry) {
  if (entry.axes == 0) return Mesh();
  if (entry.axes == 1) return *Mesh::make({{"x", 4, true}});
  return *Mesh::make({{"x", 2, true}, {"y", 2, true}});
}

Mesh mesh_for(const KernelEntry& entry, const Mesh& wished) {
  return wished.rank() < entry.axes ? default_mesh(entry) : wished;
}

}  // namespace shardscope::kernels
