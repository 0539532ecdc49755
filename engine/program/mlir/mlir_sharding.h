// SPDX-License-Identifier: Apache-2.0
// Shardy's meshes and shardings as XLA's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/mesh/mesh.h"
#include "engine/program/mlir/mlir_module.h"
#include "engine/sharding/axis_parts.h"

namespace shardscope::inline program {

struct SdyMesh {
  AxisMesh axes;
  std::optional<int64_t> only_device;  // of a maximal mesh
  int64_t device_count() const { return static_cast<int64_t>(axes.devices.size()); }
};

struct SdySharding {
  HloSharding hlo;
  const SdyMesh* mesh = nullptr;  // that its axes are of; as long as the SdyShardings that read it
  AxisTiles tiles{};              // none of a maximal one
};

// The axes along which each device works by itself where an operation stands.
using ManualAxes = std::vector<std::string>;

class SdyShardings {
 public:
  SdyShardings(const MlirLexer& lexer, const MlirModule& module) : lexer_(lexer), module_(module) {}
  Result<void> read_meshes();
  // Of the module: the mesh of the most devices when it is one of named axes in the order of device ids.
  std::optional<Mesh> named_mesh() const;
  int64_t device_count() const;                            // of the largest mesh; 1 without any
  const SdyMesh* mesh_named(std::string_view name) const;  // null: there is none
  // "{m = #sdy.mesh<…>}", empty without meshes.
  std::string meshes_text() const;

  // "#sdy.sharding<@m, […]>" or "<@m, […]>" of an array of `rank` dimensions.
  Result<SdySharding> read(std::string_view text, size_t rank, const ManualAxes& manual);
  // All of the mesh that `text` is on: {manual} along `manual`, `dims` not split.
  Result<HloSharding> inside(std::string_view text, size_t rank, const ManualAxes& manual);
  // The same of nothing but the mesh: where a scalar of the region is.
  Result<HloSharding> inside(const SdyMesh& mesh, const ManualAxes& manual) const;
  Result<const SdyMesh*> mesh_of(std::string_view text);  // that a sharding is on
  // "[<@m, …>, …]" or "#sdy.sharding_per_value<[…]>", one by one.
  Result<std::vector<std::string_view>> per_value(std::string_view text) const;
  // "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = […]>".
  Result<TileAssignment> groups(std::string_view text) const;

 private:
  Result<SdyMesh> read_mesh(MlirLexer& lexer) const;
  Result<const SdyMesh*> mesh_at(MlirLexer& lexer);
  Result<std::vector<AxisPart>> read_parts(MlirLexer& lexer, const AxisMesh& mesh, bool* open) const;
  Result<AxisPart> read_part(MlirLexer& lexer, const AxisMesh& mesh) const;
  Result<AxisPart> axis_ref(std::string_view text, const AxisMesh& mesh) const;
  Result<int64_t> read_priority(MlirLexer& lexer) const;
  Result<void> read_tail(MlirLexer& lexer, const AxisMesh& mesh, AxisTiles& tiles) const;
  Result<std::vector<AxisPart>> manual_parts(const AxisMesh& mesh, const ManualAxes& manual) const;

  const MlirLexer& lexer_;
  const MlirModule& module_;
  std::unordered_map<std::string_view, SdyMesh> meshes_;         // by name
  std::unordered_map<std::string_view, SdyMesh> inline_meshes_;  // by text
  // Outside of manual regions, by text: the rank that it was read for, and what it was.
  std::unordered_map<std::string_view, std::pair<size_t, SdySharding>> known_;
};

}  // namespace shardscope::inline program
