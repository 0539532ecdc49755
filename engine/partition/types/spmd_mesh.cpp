// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/spmd_mesh.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/base/text.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
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

std::string mesh_words(const ModuleShardings::NamedMesh& mesh) {
  std::vector<std::string> axes;
  for (size_t a = 0; a < mesh.axes.names.size(); ++a)
    axes.push_back(fmt::format("{}={}", mesh.axes.names[a], mesh.axes.sizes[a]));
  const std::string text = "(" + join(axes, ",") + ")";
  return mesh.name.empty() ? text : "@" + mesh.name + " " + text;
}

// By mesh: how many arrays of the entry are on it.
std::vector<int64_t> uses_of(const Program& module, ModuleShardings& said) {
  std::vector<int64_t> out(said.meshes().size());
  for (const Instruction& i : module.entry_computation().instructions)
    for (const auto& leaf : said.of(i))
      if (leaf) ++out[leaf->mesh];
  return out;
}

// Not the one axis that stands for a number of devices.
bool has_names(const Mesh& mesh) {
  return mesh.rank() > 1 || (mesh.rank() == 1 && mesh.axes()[0].name != "device");
}

}  // namespace

std::optional<UserMesh> user_mesh(const Program& module, int64_t devices) {
  ModuleShardings said(module);
  const std::vector<int64_t> uses = uses_of(module, said);
  std::optional<size_t> best;
  for (size_t k = 0; k < uses.size(); ++k) {
    if (devices < 2 || static_cast<int64_t>(said.meshes()[k].axes.devices.size()) != devices) continue;
    if (!best || uses[k] > uses[*best]) best = k;
  }
  if (!best) return std::nullopt;
  const auto& chosen = said.meshes()[*best];
  UserMesh out{chosen.axes, plain_mesh(chosen.axes), ""};
  std::vector<std::string> others;
  for (const auto& mesh : said.meshes())
    if (!(mesh.axes == chosen.axes) && mesh.axes.devices.size() > 1) others.push_back(mesh_words(mesh));
  if (!others.empty())
    out.note = fmt::format(
        "axes are those of mesh {}, which most shardings of the entry are on; the module also names {}",
        mesh_words(chosen), join(others, ", "));
  return out;
}

Mesh spmd_mesh(const Program& program, int64_t devices) {
  if (auto named = user_mesh(program, devices); named && named->mesh) return *std::move(named->mesh);
  if (has_names(program.mesh) && program.mesh.device_count() == devices) return program.mesh;
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

AxisMesh axis_mesh(const Mesh& mesh) {
  AxisMesh out;
  for (const MeshAxis& axis : mesh.axes()) {
    out.names.push_back(axis.name);
    out.sizes.push_back(axis.size);
  }
  out.devices.resize(static_cast<size_t>(mesh.device_count()));
  std::iota(out.devices.begin(), out.devices.end(), 0);
  return out;
}

}  // namespace shardscope::inline partitioner
