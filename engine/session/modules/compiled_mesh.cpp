// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/compiled_mesh.h"

#include <algorithm>
#include <vector>

#include "engine/base/text.h"
#include "engine/session/hlo_run.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostAxes = 4;
constexpr const char* kNames[kMostAxes] = {"x", "y", "z", "w"};
constexpr int64_t kMostDevices = 1 << 16;
constexpr size_t kMostGroupings = 64;

// One collective of each grouping.
std::vector<const Instruction*> groupings(const Program& module) {
  std::vector<const Instruction*> out;
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions) {
      if (!is_collective(i.opcode) || i.permutation != nullptr) continue;
      const bool known = std::ranges::any_of(
          out, [&](const Instruction* other) { return other->replica_groups == i.replica_groups; });
      if (!known) out.push_back(&i);
      if (out.size() > kMostGroupings) return {};
    }
  }
  return out;
}

// Appends every way to write `rest` as a product of `axes` sizes above 1.
void products(int64_t rest, size_t axes, std::vector<MeshAxis>& so_far,
              std::vector<std::vector<MeshAxis>>& out) {
  const char* name = kNames[so_far.size()];
  if (axes == 1) {
    out.push_back(so_far);
    out.back().push_back({name, rest, true});
    return;
  }
  for (int64_t size = 2; size * 2 <= rest; ++size) {
    if (rest % size != 0) continue;
    so_far.push_back({name, size, true});
    products(rest / size, axes - 1, so_far, out);
    so_far.pop_back();
  }
}

}  // namespace

Mesh compiled_mesh(const Program& module) {
  const int64_t devices = module.mesh.device_count();
  const bool has_axes = module.mesh.rank() != 1 || module.mesh.axes().front().name != "device";
  if (has_axes || devices < 4 || devices > kMostDevices) return module.mesh;
  const std::vector<const Instruction*> all = groupings(module);
  if (all.empty()) return module.mesh;
  Program probe;
  for (size_t axes = 1; axes <= kMostAxes; ++axes) {
    std::vector<MeshAxis> so_far;
    std::vector<std::vector<MeshAxis>> candidates;
    products(devices, axes, so_far, candidates);
    for (const std::vector<MeshAxis>& candidate : candidates) {
      const auto mesh = Mesh::make(candidate);
      if (!mesh.ok()) continue;
      probe.mesh = *mesh;
      if (std::ranges::all_of(all, [&](const Instruction* i) { return !collective_axes(probe, *i).empty(); }))
        return axes == 1 ? module.mesh : *mesh;
    }
  }
  return module.mesh;
}

std::optional<Program> replicas_as_devices(const Program& module, std::optional<int64_t> asked) {
  if (module.mesh.device_count() != 1 || !is_partitioned(module)) return std::nullopt;
  const auto said = std::ranges::find(module.verbatim, "replica_count", &VerbatimAttribute::key);
  const auto replicas = said == module.verbatim.end() ? std::nullopt : parse_int(said->value);
  const int64_t devices = asked.value_or(replicas.value_or(1));
  auto mesh = Mesh::make({{"device", devices, true}});
  if (devices < 2 || !mesh.ok()) return std::nullopt;
  Program out = module;
  out.mesh = *std::move(mesh);
  std::erase_if(out.verbatim, [](const VerbatimAttribute& a) { return a.key == "replica_count"; });
  return out;
}

}  // namespace shardscope::inline session
