// SPDX-License-Identifier: Apache-2.0
// XLA's shardings on named axes (V3): {mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2, ?}], unreduced={'b':(1)2}}, and
// replica groups on them: mesh['a'=2,'b'=4] {'b'}.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "engine/base/units.h"
#include "engine/sharding/axis_parts.h"
#include "engine/sharding/tile_reader.h"

namespace shardscope::inline sharding {
namespace {

using Kind = HloSharding::Kind;

// "(0,2,1,3)" or "([4,16]T(1,0))".
Result<std::vector<int64_t>> read_device_ids(Cursor& in, int64_t count) {
  TRY_VOID(in.expect("("));
  std::vector<int64_t> devices;
  if (in.next_is("[")) {
    const size_t column = in.column();
    TRY(devices, read_iota(in, count));
    if (static_cast<int64_t>(devices.size()) != count)
      return in.refuse(fmt::format("{} devices, the axes have {}", devices.size(), count), column);
  } else {
    const size_t column = in.column();
    do {
      TRY(const int64_t device, in.integer("a device id"));
      devices.push_back(device);
    } while (in.accept(","));
    std::vector<int64_t> sorted = devices;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != static_cast<int64_t>(i) || static_cast<int64_t>(sorted.size()) != count)
        return in.refuse(fmt::format("expected each device from 0 to {} once", count - 1), column);
  }
  TRY_VOID(in.expect(")"));
  return devices;
}

// "mesh['a'=2,'b'=4]", its devices inside the brackets or behind them.
Result<AxisMesh> read_axis_mesh(Cursor& in) {
  AxisMesh mesh;
  TRY_VOID(in.expect("mesh"));
  TRY_VOID(in.expect("["));
  int64_t count = 1;
  const auto device_ids = [&]() -> Result<void> {
    TRY_VOID(in.expect("device_ids"));
    TRY_VOID(in.expect("="));
    TRY(mesh.devices, read_device_ids(in, count));
    return {};
  };
  while (!in.accept("]")) {
    if (in.next_is("device_ids")) {
      TRY_VOID(device_ids());
    } else {
      const size_t column = in.column();
      TRY(const std::string name, in.name("an axis name"));
      TRY_VOID(in.expect("="));
      TRY(const int64_t size, in.integer("an axis size"));
      const auto product = checked_multiply(count, size);
      if (size < 1 || !product || *product > Mesh::kMaxDevices)
        return in.refuse(
            fmt::format("axis size {}, expected 1 to {} devices in all", size, Mesh::kMaxDevices), column);
      if (mesh.find(name)) return in.refuse(fmt::format("axis '{}' is there twice", name), column);
      count = *product;
      mesh.names.push_back(name);
      mesh.sizes.push_back(size);
    }
    if (!in.accept(",") && !in.next_is("]")) return in.error("',' or ']'");
  }
  if (in.next_is(", device_ids") || in.next_is(",device_ids")) {
    TRY_VOID(in.expect(","));
    TRY_VOID(device_ids());
  }
  if (mesh.devices.empty()) {
    mesh.devices.resize(static_cast<size_t>(count));
    std::iota(mesh.devices.begin(), mesh.devices.end(), 0);
  }
  if (static_cast<int64_t>(mesh.devices.size()) != count)
    return in.refuse(fmt::format("{} devices, the axes have {}", mesh.devices.size(), count), in.column());
  return mesh;
}

// "{'c', 'b':(2)2, ?}".
Result<std::vector<AxisPart>> read_axis_parts(Cursor& in, const AxisMesh& mesh, bool* open = nullptr) {
  std::vector<AxisPart> parts;
  TRY_VOID(in.expect("{"));
  while (!in.accept("}")) {
    if (in.accept("?")) {
      if (open != nullptr) *open = true;
    } else {
      in.skip_blanks();
      const size_t column = in.column();
      TRY(const std::string name, in.name("an axis name"));
      const auto axis = mesh.find(name);
      if (!axis) return in.refuse(fmt::format("axis '{}' is not in the mesh", name), column);
      AxisPart part{*axis, 1, mesh.sizes[*axis]};
      if (in.accept(":")) {
        TRY_VOID(in.expect("("));
        TRY(part.before, in.integer("the size before the part"));
        TRY_VOID(in.expect(")"));
        TRY(part.size, in.integer("the size of the part"));
        const auto end = checked_multiply(part.before, part.size);
        if (!end || *end < 1 || mesh.sizes[*axis] % *end != 0)
          return in.refuse(fmt::format("part ({}){} does not divide axis '{}' of size {}", part.before,
                                       part.size, name, mesh.sizes[*axis]),
                           column);
      }
      parts.push_back(part);
    }
    if (!in.accept(",") && !in.next_is("}")) return in.error("',' or '}'");
  }
  return parts;
}

Result<void> read_named_tail(Cursor& in, const AxisMesh& mesh, AxisTiles& out) {
  while (in.accept(",")) {
    in.skip_blanks();
    const size_t column = in.column();
    TRY(const std::string word, in.word("replicated, unreduced, manual or metadata"));
    TRY_VOID(in.expect("="));
    if (word == "metadata") {
      TRY_VOID(in.skip_braces());
      continue;
    }
    if (word == "unreduced" && !in.next_is("{")) TRY_VOID(in.word("a reduction such as max"));
    TRY(std::vector<AxisPart> parts, read_axis_parts(in, mesh));
    if (word == "manual") {
      out.manual = std::move(parts);
    } else if (word == "unreduced") {
      out.unreduced = std::move(parts);
    } else if (word == "replicated") {
      out.replicated = std::move(parts);
    } else {
      return in.refuse(fmt::format("expected replicated, unreduced, manual or metadata, got '{}'", word),
                       column);
    }
  }
  return {};
}

// "[{'a'}, {'b', ?}]", from its '[' on.
Result<void> read_axis_dims(Cursor& in, const AxisMesh& mesh, AxisTiles& out) {
  TRY_VOID(in.expect("["));
  while (!in.accept("]")) {
    bool open = false;
    TRY(std::vector<AxisPart> parts, read_axis_parts(in, mesh, &open));
    if (open) out.open.push_back(static_cast<int64_t>(out.dims.size()));
    out.dims.push_back(std::move(parts));
    if (!in.accept(",") && !in.next_is("]")) return in.error("',' or ']'");
  }
  return {};
}

}  // namespace

std::optional<NamedTiles> named_tiles(std::string_view sharding) {
  Cursor in(sharding, "sharding");
  if (!in.accept("{") || !in.next_is("mesh[")) return std::nullopt;
  NamedTiles out;
  auto mesh = read_axis_mesh(in);
  if (!mesh.ok()) return std::nullopt;
  out.mesh = *std::move(mesh);
  in.accept(",");
  if (!in.next_is("[")) return out;
  const bool read =
      read_axis_dims(in, out.mesh, out.tiles).ok() && read_named_tail(in, out.mesh, out.tiles).ok();
  return read ? std::optional(std::move(out)) : std::nullopt;
}

Result<HloSharding> read_named_hlo_sharding(Cursor& in) {
  const size_t column = in.column();
  HloSharding out;
  if (in.accept("maximal_mesh")) {
    TRY_VOID(in.expect("["));
    TRY_VOID(in.expect("device_id"));
    TRY_VOID(in.expect("="));
    out.kind = Kind::maximal;
    TRY(out.device, in.integer("a device id"));
    if (out.device >= Mesh::kMaxDevices) return in.refuse("device id is too large", column);
    TRY_VOID(in.expect("]"));
    TRY_VOID(in.expect("}"));
    return out;
  }
  TRY(const AxisMesh mesh, read_axis_mesh(in));
  in.accept(",");  // XLA prints it and does not ask for it
  AxisTiles tokens;
  const bool dims = in.next_is("[");
  if (dims) {
    TRY_VOID(read_axis_dims(in, mesh, tokens));
  } else {
    TRY(const std::string word, in.word("'[', replicated, manual or unreduced"));
    if (word == "manual") {
      out.kind = Kind::manual;
    } else if (word == "unreduced") {
      out.kind = Kind::unreduced;
    } else if (word != "replicated") {
      return in.refuse(fmt::format("expected replicated, manual or unreduced, got '{}'", word), column);
    }
  }
  TRY_VOID(read_named_tail(in, mesh, tokens));
  TRY_VOID(in.expect("}"));
  if (!dims) return out;
  auto tiled = tiled_by_axes(mesh, tokens, RestOfAxes::first_subgroup);
  return tiled.ok() ? std::move(tiled) : in.refuse(tiled.error().what, column);
}

Result<TileAssignment> parse_axis_groups(std::string_view text) {
  Cursor in(text, "replica groups");
  TRY(const AxisMesh mesh, read_axis_mesh(in));
  TRY(const std::vector<AxisPart> parts, read_axis_parts(in, mesh));
  if (!in.at_end()) return in.error("the end of the text");
  auto groups = groups_along(mesh, parts);
  return groups.ok() ? std::move(groups) : in.refuse(groups.error().what, 1);
}

}  // namespace shardscope::inline sharding
