// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/spmd_mesh.h"

#include <algorithm>

#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope {
namespace {

constexpr size_t kMostAxes = 4;
constexpr const char* kNames[kMostAxes] = {"x", "y", "z", "w"};

// Appends every way to write `rest` as a product of `axes` sizes above 1.
void factorisations(int64_t rest, size_t axes, std::vector<int64_t>& sizes,
                    std::vector<std::vector<int64_t>>& out) {
  if (axes == 1) {
    sizes.push_back(rest);
    out.push_back(sizes);
    sizes.pop_back();
    return;
  }
  for (int64_t size = 2; size * 2 <= rest; ++size) {
    if (rest % size != 0) continue;
    sizes.push_back(size);
    factorisations(rest / size, axes - 1, sizes, out);
    sizes.pop_back();
  }
}

}  // namespace

Mesh spmd_mesh(const Program& program, int64_t devices) {
  std::vector<HloSharding> all;
  for (const Computation& c : program.computations) {
    for (const Instruction& i : c.instructions) {
      if (!has_sharding(i)) continue;
      const auto shardings = leaf_shardings(i);
      if (!shardings.ok()) continue;
      for (const HloSharding& s : *shardings)
        if (s.kind == HloSharding::Kind::tiled && !is_manual(s) && std::ranges::count(all, s) == 0)
          all.push_back(s);
    }
  }
  for (size_t axes = 1; axes <= kMostAxes; ++axes) {
    std::vector<int64_t> sizes;
    std::vector<std::vector<int64_t>> candidates;
    factorisations(devices, axes, sizes, candidates);
    for (const auto& candidate : candidates) {
      std::vector<MeshAxis> named;
      for (size_t a = 0; a < axes; ++a) named.push_back({kNames[a], candidate[a], true});
      const auto mesh = Mesh::make(named);
      if (mesh.ok() && std::ranges::all_of(all, [&](const HloSharding& s) { return s.to_named(*mesh).ok(); }))
        return *mesh;
    }
  }
  return *Mesh::make({{"device", devices, true}});
}

}  // namespace shardscope
