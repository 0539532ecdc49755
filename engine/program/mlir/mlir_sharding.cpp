// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_sharding.h"

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/program/mlir/mlir_values.h"

namespace shardscope::inline program {

Result<void> SdyShardings::read_meshes() {
  for (const MlirMeshText& text : module_.meshes) {
    TRY(const std::string_view resolved, [&]() -> Result<std::string_view> {
      MlirLexer lexer = lexer_;
      return module_.resolved(lexer, text.text);
    }());
    MlirLexer lexer = lexer_.within(resolved);
    lexer.accept("#sdy.mesh");
    TRY(SdyMesh mesh, read_mesh(lexer));
    meshes_.insert_or_assign(text.name, std::move(mesh));
  }
  return {};
}

// "<[\"x\"=2, \"y\"=4], device_ids=[0, 2, 1, 3]>"
Result<SdyMesh> SdyShardings::read_mesh(MlirLexer& lexer) const {
  SdyMesh mesh;
  const size_t start = lexer.position();
  TRY_VOID(lexer.expect("<"));
  TRY_VOID(lexer.expect("["));
  int64_t count = 1;
  while (!lexer.accept("]")) {
    const size_t place = lexer.position();
    TRY(const std::string_view name, lexer.expect_quoted("an axis name"));
    TRY_VOID(lexer.expect("="));
    TRY(const int64_t size, lexer.expect_integer("an axis size"));
    const auto product = checked_multiply(count, size);
    if (size < 1 || !product || *product > Mesh::kMaxDevices)
      return lexer.error_at(place,
                            "axis of size " + std::to_string(size) + ", expected 2^20 devices at most");
    if (mesh.axes.find(name)) return lexer.error_at(place, "axis '" + std::string(name) + "' is there twice");
    count = *product;
    mesh.axes.names.push_back(mlir_unescaped(name));
    mesh.axes.sizes.push_back(size);
    if (!lexer.accept(",") && !lexer.starts_with("]")) return lexer.expected("',' or ']'");
  }
  mesh.axes.devices.resize(static_cast<size_t>(count));
  std::iota(mesh.axes.devices.begin(), mesh.axes.devices.end(), 0);
  if (lexer.accept(",")) {
    TRY_VOID(lexer.expect("device_ids"));
    TRY_VOID(lexer.expect("="));
    TRY(const std::string_view list, lexer.bracket());
    TRY(MlirNumbers ids, read_mlir_numbers(lexer_, list));
    if (mesh.axes.names.empty() && ids.numbers.size() == 1 && ids.numbers[0] >= 0 &&
        ids.numbers[0] < Mesh::kMaxDevices) {
      mesh.only_device = ids.numbers[0];
    } else {
      std::vector<int64_t> sorted = ids.numbers;
      std::ranges::sort(sorted);
      if (sorted != mesh.axes.devices)
        return lexer.error_at(start,
                              "device_ids, expected each device below " + std::to_string(count) + " once");
      mesh.axes.devices = std::move(ids.numbers);
    }
  }
  TRY_VOID(lexer.expect(">"));
  return mesh;
}

std::optional<Mesh> SdyShardings::named_mesh() const {
  const SdyMesh* best = nullptr;
  for (const MlirMeshText& text : module_.meshes) {
    const SdyMesh& mesh = meshes_.at(text.name);
    if (best == nullptr || mesh.device_count() > best->device_count()) best = &mesh;
  }
  return best == nullptr || best->device_count() < 2 ? std::nullopt : plain_mesh(best->axes);
}

int64_t SdyShardings::device_count() const {
  int64_t most = 1;
  for (const auto& [name, mesh] : meshes_)
    most = std::max(most, mesh.only_device ? *mesh.only_device + 1 : mesh.device_count());
  return most;
}

const SdyMesh* SdyShardings::mesh_named(std::string_view name) const {
  const auto found = meshes_.find(name);
  return found == meshes_.end() ? nullptr : &found->second;
}

std::string SdyShardings::meshes_text() const {
  std::vector<std::string> out;
  for (const MlirMeshText& text : module_.meshes) {
    const std::string prefix = text.text.starts_with("#") ? "" : "#sdy.mesh";
    out.push_back(std::string(text.name) + " = " + prefix + std::string(text.text));
  }
  return out.empty() ? "" : "{" + join(out, ", ") + "}";
}

// "@m" or "mesh<…>".
Result<const SdyMesh*> SdyShardings::mesh_at(MlirLexer& lexer) {
  const size_t place = lexer.position();
  if (lexer.accept("@")) {
    std::string_view name;
    if (lexer.peek() == '"') {
      TRY(name, lexer.expect_quoted("a mesh"));
    } else {
      name = lexer.suffix();
    }
    const auto found = meshes_.find(name);
    if (found != meshes_.end()) return &found->second;
    return lexer.error_at(place, "mesh '@" + std::string(name) + "' is not in the module");
  }
  if (!lexer.accept_word("mesh")) return lexer.expected("a mesh");
  const size_t start = lexer.position();
  TRY(SdyMesh mesh, read_mesh(lexer));
  const std::string_view text = lexer.between(start, lexer.end_of_token());
  return &inline_meshes_.insert_or_assign(text, std::move(mesh)).first->second;
}

// "\"y\":(2)2"
Result<AxisPart> SdyShardings::read_part(MlirLexer& lexer, const AxisMesh& mesh) const {
  const size_t place = lexer.position();
  TRY(const std::string_view name, lexer.expect_quoted("an axis"));
  const auto axis = mesh.find(mlir_unescaped(name));
  if (!axis) return lexer.error_at(place, "axis '" + std::string(name) + "' is not in the mesh");
  AxisPart part{*axis, 1, mesh.sizes[*axis]};
  if (!lexer.accept(":")) return part;
  TRY_VOID(lexer.expect("("));
  TRY(part.before, lexer.expect_integer("the size before the part"));
  TRY_VOID(lexer.expect(")"));
  TRY(part.size, lexer.expect_integer("the size of the part"));
  const auto end = checked_multiply(part.before, part.size);
  if (part.before < 1 || part.size < 1 || !end || mesh.sizes[*axis] % *end != 0)
    return lexer.error_at(place, "part (" + std::to_string(part.before) + ")" + std::to_string(part.size) +
                                     " does not divide axis '" + std::string(name) + "' of size " +
                                     std::to_string(mesh.sizes[*axis]));
  return part;
}

// "{\"x\", \"y\":(1)2, ?}"; open: nullptr where '?' is not allowed.
Result<std::vector<AxisPart>> SdyShardings::read_parts(MlirLexer& lexer, const AxisMesh& mesh,
                                                       bool* open) const {
  std::vector<AxisPart> parts;
  TRY_VOID(lexer.expect("{"));
  while (!lexer.accept("}")) {
    if (open != nullptr && lexer.accept("?")) {
      *open = true;
    } else {
      TRY(const AxisPart part, read_part(lexer, mesh));
      parts.push_back(part);
    }
    if (!lexer.accept(",") && !lexer.starts_with("}")) return lexer.expected("',' or '}'");
  }
  return parts;
}

// "p1" behind a dimension: the round of propagation that it counts in; nothing is the first.
Result<int64_t> SdyShardings::read_priority(MlirLexer& lexer) const {
  if (lexer.peek() != 'p') return 0;
  const size_t place = lexer.position();
  const auto round = parse_int(lexer.word().substr(1));
  if (round && *round >= 0) return *round;
  return lexer.error_at(place, "expected a priority, as in p1");
}

// ", replicated={…}, unreduced={…}"
Result<void> SdyShardings::read_tail(MlirLexer& lexer, const AxisMesh& mesh, AxisTiles& tiles) const {
  while (lexer.accept(",")) {
    const size_t place = lexer.position();
    const std::string_view word = lexer.word();
    if (word != "replicated" && word != "unreduced")
      return lexer.error_at(place, "got '" + std::string(word) + "', expected replicated or unreduced");
    TRY_VOID(lexer.expect("="));
    if (!lexer.starts_with("{")) lexer.word();  // of unreduced=max{…}
    TRY(std::vector<AxisPart> parts, read_parts(lexer, mesh, nullptr));
    (word == "unreduced" ? tiles.unreduced : tiles.replicated) = std::move(parts);
  }
  return {};
}

Result<std::vector<AxisPart>> SdyShardings::manual_parts(const AxisMesh& mesh,
                                                         const ManualAxes& manual) const {
  std::vector<AxisPart> out;
  for (const std::string& name : manual)
    if (const auto axis = mesh.find(name)) out.push_back({*axis, 1, mesh.sizes[*axis]});
  std::ranges::sort(out, {}, &AxisPart::axis);
  return out;
}

Result<SdySharding> SdyShardings::read(std::string_view text, size_t rank, const ManualAxes& manual) {
  if (manual.empty())
    if (const auto known = known_.find(text); known != known_.end() && known->second.first == rank)
      return known->second.second;
  MlirLexer whole = lexer_;
  TRY(const std::string_view resolved, module_.resolved(whole, text));
  MlirLexer lexer = lexer_.within(resolved);
  const size_t place = lexer.position();
  lexer.accept("#sdy.sharding");
  TRY_VOID(lexer.expect("<"));
  TRY(const SdyMesh* mesh, mesh_at(lexer));
  TRY_VOID(lexer.expect(","));
  TRY_VOID(lexer.expect("["));
  SdySharding out;
  out.mesh = mesh;
  AxisTiles tiles;
  while (!lexer.accept("]")) {
    bool open = false;
    TRY(std::vector<AxisPart> parts, read_parts(lexer, mesh->axes, &open));
    if (open) tiles.open.push_back(static_cast<int64_t>(tiles.dims.size()));
    tiles.dims.push_back(std::move(parts));
    TRY(const int64_t priority, read_priority(lexer));
    tiles.priorities.push_back(priority);
    if (!lexer.accept(",") && !lexer.starts_with("]")) return lexer.expected("',' or ']'");
  }
  TRY_VOID(read_tail(lexer, mesh->axes, tiles));
  TRY_VOID(lexer.expect(">"));
  if (!lexer.at_end()) return lexer.expected("the end of the sharding");
  if (mesh->only_device) {
    out.hlo.kind = HloSharding::Kind::maximal;
    out.hlo.device = *mesh->only_device;
    return out;
  }
  if (tiles.dims.size() != rank)
    return lexer.error_at(place, "a sharding of " + std::to_string(tiles.dims.size()) +
                                     " dimensions, the array has " + std::to_string(rank));
  TRY(tiles.manual, manual_parts(mesh->axes, manual));
  auto hlo = tiled_by_axes(mesh->axes, tiles, RestOfAxes::last_subgroup);
  if (!hlo.ok()) return lexer.error_at(place, hlo.error().what);
  out.hlo = *std::move(hlo);
  out.tiles = std::move(tiles);
  if (manual.empty()) known_.insert_or_assign(text, std::pair(rank, out));
  return out;
}

Result<HloSharding> SdyShardings::inside(std::string_view text, size_t rank, const ManualAxes& manual) {
  MlirLexer whole = lexer_;
  TRY(const std::string_view resolved, module_.resolved(whole, text));
  MlirLexer lexer = lexer_.within(resolved);
  const size_t place = lexer.position();
  lexer.accept("#sdy.sharding");
  TRY_VOID(lexer.expect("<"));
  TRY(const SdyMesh* mesh, mesh_at(lexer));
  AxisTiles tiles;
  tiles.dims.resize(rank);
  // What still splits the array inside: the axes behind the manual ones.
  TRY_VOID(lexer.expect(","));
  TRY_VOID(lexer.expect("["));
  for (size_t d = 0; !lexer.accept("]"); ++d) {
    bool open = false;
    TRY(const std::vector<AxisPart> parts, read_parts(lexer, mesh->axes, &open));
    for (const AxisPart& part : parts)
      if (d < rank && std::ranges::count(manual, mesh->axes.names[part.axis]) == 0)
        tiles.dims[d].push_back(part);
    if (lexer.peek() == 'p') lexer.word();
    if (!lexer.accept(",") && !lexer.starts_with("]")) return lexer.expected("',' or ']'");
  }
  TRY(tiles.manual, manual_parts(mesh->axes, manual));
  auto hlo = tiled_by_axes(mesh->axes, tiles, RestOfAxes::last_subgroup);
  return hlo.ok() ? std::move(hlo) : lexer.error_at(place, hlo.error().what);
}

Result<HloSharding> SdyShardings::inside(const SdyMesh& mesh, const ManualAxes& manual) const {
  AxisTiles tiles;
  TRY(tiles.manual, manual_parts(mesh.axes, manual));
  return tiled_by_axes(mesh.axes, tiles, RestOfAxes::last_subgroup);
}

Result<const SdyMesh*> SdyShardings::mesh_of(std::string_view text) {
  MlirLexer whole = lexer_;
  TRY(const std::string_view resolved, module_.resolved(whole, text));
  MlirLexer lexer = lexer_.within(resolved);
  lexer.accept("#sdy.sharding");
  TRY_VOID(lexer.expect("<"));
  return mesh_at(lexer);
}

Result<std::vector<std::string_view>> SdyShardings::per_value(std::string_view text) const {
  MlirLexer whole = lexer_;
  TRY(std::string_view resolved, module_.resolved(whole, text));
  constexpr std::string_view kName = "#sdy.sharding_per_value";
  if (resolved.starts_with(kName)) resolved = trim(resolved.substr(kName.size()));
  if (resolved.starts_with("<[") && resolved.size() >= 4) resolved = resolved.substr(1, resolved.size() - 2);
  return mlir_parts(lexer_, resolved);
}

// "#stablehlo.axis_ref<name = "x", sub_axis_info = #stablehlo.sub_axis_info<pre_size = 1, size = 2>>"
Result<AxisPart> SdyShardings::axis_ref(std::string_view text, const AxisMesh& mesh) const {
  std::optional<AxisPart> part;
  TRY(const std::vector<MlirAttribute> said, mlir_entries(lexer_, text));
  for (const MlirAttribute& a : said) {
    if (a.key == "name") {
      MlirLexer lexer = lexer_.within(a.value);
      TRY(part, read_part(lexer, mesh));
    } else if (a.key == "sub_axis_info" && part) {
      const size_t place = lexer_.place_of(a.value);
      std::vector<int64_t> sizes;
      MlirLexer lexer = lexer_.within(a.value);
      while (!lexer.at_end()) {
        if (const auto number = lexer.integer()) {
          sizes.push_back(*number);
        } else if (lexer.word().empty()) {
          lexer.rewind(lexer.position() + 1);
        }
      }
      const int64_t whole = mesh.sizes[part->axis];
      const auto end = sizes.size() == 2 ? checked_multiply(sizes[0], sizes[1]) : std::nullopt;
      if (!end || sizes[0] < 1 || sizes[1] < 1 || whole % *end != 0)
        return lexer_.error_at(place,
                               "expected a part that divides its axis of size " + std::to_string(whole));
      part->before = sizes[0];
      part->size = sizes[1];
    }
  }
  if (!part) return lexer_.error_at(lexer_.place_of(text), "expected the name of an axis");
  return *part;
}

Result<TileAssignment> SdyShardings::groups(std::string_view text) const {
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(lexer_, text));
  const AxisMesh* mesh = nullptr;
  std::vector<AxisPart> parts;
  bool along = false;
  for (const MlirAttribute& entry : entries) {
    along = along || (entry.key == "axes" && !entry.value.empty());
    if (entry.key == "mesh" && entry.value.size() > 1) {
      const auto found = meshes_.find(entry.value.substr(1));
      if (found == meshes_.end())
        return lexer_.error_at(lexer_.place_of(text),
                               "mesh '" + std::string(entry.value) + "' is not in the module");
      mesh = &found->second.axes;
    }
    if (entry.key != "axes" || mesh == nullptr) continue;
    TRY(const std::vector<std::string_view> axes, mlir_parts(lexer_, entry.value));
    for (const std::string_view axis : axes) {
      TRY(const AxisPart part, axis_ref(axis, *mesh));
      parts.push_back(part);
    }
  }
  if (mesh == nullptr || !along)
    return lexer_.error_at(lexer_.place_of(text),
                           std::string("replica groups without ") + (mesh == nullptr ? "a mesh" : "axes"));
  auto made = groups_along(*mesh, parts);
  return made.ok() ? std::move(made) : lexer_.error_at(lexer_.place_of(text), made.error().what);
}

}  // namespace shardscope::inline program
