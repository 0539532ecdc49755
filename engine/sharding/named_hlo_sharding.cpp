// SPDX-License-Identifier: Apache-2.0
// XLA's shardings on named axes (V3): {mesh['a'=2,'b'=4], [{'a'}, {'b':(2)2, ?}], unreduced={'b':(1)2}}, and
// replica groups on them: mesh['a'=2,'b'=4] {'b'}.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>

#include "engine/base/units.h"
#include "engine/sharding/tile_reader.h"

namespace shardscope {
namespace {

using Kind = HloSharding::Kind;
using Subgroup = HloSharding::Subgroup;

// An axis or a part of it: of an axis seen as [before][size][rest], the middle.
struct AxisPart {
  size_t axis = 0;
  int64_t before = 1;
  int64_t size = 1;
};

struct AxisMesh {
  std::vector<std::string> names;
  std::vector<int64_t> sizes;
  std::vector<int64_t> devices;  // row-major over sizes

  std::optional<size_t> find(const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? std::nullopt : std::optional(static_cast<size_t>(at - names.begin()));
  }
};

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
Result<std::vector<AxisPart>> read_axis_parts(Cursor& in, const AxisMesh& mesh) {
  std::vector<AxisPart> parts;
  TRY_VOID(in.expect("{"));
  while (!in.accept("}")) {
    if (!in.accept("?")) {  // an open dimension may be split further; here it is what is written
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

// All axes cut where any part begins or ends, so that every part is a run of factors.
class Factors {
 public:
  Factors(const AxisMesh& mesh, const std::vector<AxisPart>& parts) : mesh_(mesh) {
    for (size_t a = 0; a < mesh.sizes.size(); ++a) {
      std::vector<int64_t> cuts = {1, mesh.sizes[a]};
      for (const AxisPart& p : parts) {
        if (p.axis != a) continue;
        cuts.push_back(p.before);
        cuts.push_back(p.before * p.size);
      }
      std::sort(cuts.begin(), cuts.end());
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
      for (size_t c = 1; c < cuts.size(); ++c) {
        if (cuts[c] % cuts[c - 1] != 0) sound_ = false;
        factors_.push_back({a, cuts[c - 1], cuts[c] / cuts[c - 1]});
      }
    }
    used_.assign(factors_.size(), 0);
  }

  // Appends the factors of a part; false when one is taken already or the cuts do not nest.
  bool take(const AxisPart& part, std::vector<size_t>& order) {
    for (size_t f = 0; f < factors_.size(); ++f) {
      const AxisPart& factor = factors_[f];
      if (factor.axis != part.axis || factor.before < part.before || factor.before >= part.before * part.size)
        continue;
      if (used_[f]++) return false;
      order.push_back(f);
    }
    return sound_;
  }
  void take_rest(std::vector<size_t>& order) {
    for (size_t f = 0; f < factors_.size(); ++f)
      if (!used_[f]++) order.push_back(f);
  }
  int64_t size_of(const std::vector<size_t>& order, size_t from) const {
    int64_t product = 1;
    for (size_t i = from; i < order.size(); ++i) product *= factors_[order[i]].size;
    return product;
  }
  // The mesh's devices, row-major over the factors in this order.
  std::vector<int64_t> devices(const std::vector<size_t>& order) const {
    std::vector<int64_t> strides(factors_.size(), 1);
    for (size_t f = factors_.size(); f-- > 1;) strides[f - 1] = strides[f] * factors_[f].size;
    std::vector<int64_t> flat{0};
    for (size_t i = order.size(); i-- > 0;) {
      const size_t inner = flat.size();
      for (int64_t step = 1; step < factors_[order[i]].size; ++step)
        for (size_t j = 0; j < inner; ++j) flat.push_back(flat[j] + step * strides[order[i]]);
    }
    for (int64_t& place : flat) place = mesh_.devices[static_cast<size_t>(place)];
    return flat;
  }

 private:
  const AxisMesh& mesh_;
  std::vector<AxisPart> factors_;  // row-major over the mesh
  std::vector<int> used_;
  bool sound_ = true;
};

struct NamedTokens {
  std::vector<std::vector<AxisPart>> dims;
  std::vector<AxisPart> manual, unreduced;
};

Result<void> read_named_tail(Cursor& in, const AxisMesh& mesh, NamedTokens& out) {
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
    } else if (word != "replicated") {
      return in.refuse(fmt::format("expected replicated, unreduced, manual or metadata, got '{}'", word),
                       column);
    }
  }
  return {};
}

Result<HloSharding> tiled_by_axes(const Cursor& in, const AxisMesh& mesh, const NamedTokens& tokens,
                                  size_t column) {
  std::vector<AxisPart> all = tokens.manual;
  all.insert(all.end(), tokens.unreduced.begin(), tokens.unreduced.end());
  for (const auto& dim : tokens.dims) all.insert(all.end(), dim.begin(), dim.end());
  Factors factors(mesh, all);
  HloSharding out;
  std::vector<size_t> order;
  const auto take_all = [&](const std::vector<AxisPart>& parts) -> Result<int64_t> {
    const size_t from = order.size();
    for (const AxisPart& part : parts)
      if (!factors.take(part, order))
        return in.refuse(fmt::format("axis '{}' is used twice, or cut unevenly", mesh.names[part.axis]),
                         column);
    return factors.size_of(order, from);
  };
  for (const auto& dim : tokens.dims) {
    TRY(const int64_t count, take_all(dim));
    out.tiles.dims.push_back(count);
  }
  std::vector<size_t> front = order;
  order.clear();
  TRY(const int64_t manual, take_all(tokens.manual));
  TRY(const int64_t unreduced, take_all(tokens.unreduced));
  const size_t replicas_from = front.size();
  factors.take_rest(front);
  const int64_t replicas = factors.size_of(front, replicas_from);
  front.insert(front.end(), order.begin(), order.end());
  out.kind = Kind::tiled;
  out.tiles.devices = factors.devices(front);
  if (out.tiles.devices.size() < 2) return HloSharding();
  for (const auto& [size, type] :
       {std::pair(replicas, Subgroup::replicated), std::pair(manual, Subgroup::manual),
        std::pair(unreduced, Subgroup::unreduced)}) {
    out.tiles.dims.push_back(size);
    out.subgroups.push_back(type);
  }
  return normalised(std::move(out));
}

}  // namespace

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
  NamedTokens tokens;
  const bool dims = in.accept("[");
  while (dims && !in.accept("]")) {
    TRY(std::vector<AxisPart> parts, read_axis_parts(in, mesh));
    tokens.dims.push_back(std::move(parts));
    if (!in.accept(",") && !in.next_is("]")) return in.error("',' or ']'");
  }
  if (!dims) {
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
  return dims ? tiled_by_axes(in, mesh, tokens, column) : Result<HloSharding>(out);
}

Result<TileAssignment> parse_axis_groups(std::string_view text) {
  Cursor in(text, "replica groups");
  TRY(const AxisMesh mesh, read_axis_mesh(in));
  TRY(const std::vector<AxisPart> parts, read_axis_parts(in, mesh));
  if (!in.at_end()) return in.error("the end of the text");
  Factors factors(mesh, parts);
  std::vector<size_t> members, order;
  for (const AxisPart& part : parts)
    if (!factors.take(part, members))
      return in.refuse(fmt::format("axis '{}' is used twice, or cut unevenly", mesh.names[part.axis]), 1);
  factors.take_rest(order);
  const int64_t groups = factors.size_of(order, 0);
  const size_t from = order.size();
  order.insert(order.end(), members.begin(), members.end());
  return TileAssignment{{groups, factors.size_of(order, from)}, factors.devices(order)};
}

}  // namespace shardscope
