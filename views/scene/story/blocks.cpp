// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/blocks.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace shardscope {
namespace {

// X's blocks are a0, a1, …; those of W and Y w0, y0; of any other array its symbol with a dot: dX.0.
std::string block_prefix(const ArrayInfo& info) {
  switch (info.role) {
    case ArrayRole::lhs:
      return "a";
    case ArrayRole::rhs:
      return "w";
    case ArrayRole::product:
      return "y";
    case ArrayRole::block_gram:
      return "g";
    case ArrayRole::operand:
    case ArrayRole::result:
      break;
  }
  return symbol_of(info) + ".";
}

void add_array(const Program& program, const ArrayInfo& info, std::vector<BlockedArray>& out) {
  auto sharding = NamedSharding::make(program.mesh, info.spec, info.unreduced);
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return;
  BlockedArray a;
  a.info = &info;
  a.sharding = *std::move(sharding);
  int64_t blocks = 1;
  for (size_t d = 0; d < info.dims.size(); ++d) {
    a.counts.push_back(a.sharding.shards(d));
    blocks *= a.counts.back();
  }
  a.owners.resize(static_cast<size_t>(blocks));
  for (int32_t device = 0; device < program.mesh.device_count(); ++device) {
    int64_t block = 0;
    for (size_t d = 0; d < info.dims.size(); ++d)
      block = block * a.counts[d] + a.sharding.shard_index(DeviceId(device), d);
    a.owners[static_cast<size_t>(block)].push_back(device);
  }
  a.letter = symbol_of(info);
  a.prefix = block_prefix(info);
  if (info.transposed) a.letter += "ᵀ";
  out.push_back(std::move(a));
}

}  // namespace

std::string BlockedArray::block_name(int64_t block) const {
  return prefix + std::to_string(block);
}

IndexBox BlockedArray::box(int64_t block) const {
  return sharding.slices(DeviceId(owners[static_cast<size_t>(block)].front()), info->dims);
}

std::vector<BlockedArray> blocked_arrays(const Program& program) {
  std::vector<BlockedArray> out;
  for (const ArrayInfo& info : program.inputs) add_array(program, info, out);
  if (program.output) add_array(program, *program.output, out);
  for (const ArrayInfo& info : program.further_outputs) add_array(program, info, out);
  return out;
}

DeviceLook device_look(const Theme& theme, const Mesh& mesh, int32_t device) {
  const auto devices = static_cast<int>(mesh.device_count());
  if (devices <= 8 || mesh.rank() == 0) return {identity_color(theme, device, devices), Pattern::none};
  const int last = mesh.rank() - 1;
  const int64_t column = mesh.coordinate(DeviceId(device), last);
  const int64_t row = device / mesh.axis_size(last);
  static constexpr Pattern kPatterns[] = {Pattern::none, Pattern::stripes, Pattern::dots, Pattern::cross};
  DeviceLook look{identity_color(theme, static_cast<int>(column), static_cast<int>(mesh.axis_size(last))),
                  mesh.rank() > 1 ? kPatterns[row % 4] : Pattern::none};
  // Every four rows the patterns start again on a paler ground.
  look.fill = mixed(look.fill, theme.background, 0.16 * static_cast<double>((row / 4) % 4));
  return look;
}

RectItem look_rect(const Theme& theme, const DeviceLook& look, const Rect& rect, int32_t id) {
  RectItem item;
  item.rect = rect;
  item.fill = look.fill;
  item.pattern = rect.w >= 8 && rect.h >= 8 ? look.pattern : Pattern::none;
  item.pattern_color = with_alpha(text_on(theme, look.fill), 0.45);
  item.id = id;
  return item;
}

std::string partial_text(int64_t k_covered, int64_t k_whole, int64_t parts) {
  if (k_whole <= 0) return "";
  if (parts > 1 && k_covered * parts % k_whole == 0)
    return fmt::format("{} of {}", k_covered * parts / k_whole, parts);
  const int64_t common = std::max<int64_t>(1, std::gcd(k_covered, k_whole));
  if (k_whole / common <= 64) return fmt::format("{} of {}", k_covered / common, k_whole / common);
  return format_percent(static_cast<double>(k_covered) / static_cast<double>(k_whole));
}

int64_t contraction_parts(const std::vector<BlockedArray>& arrays) {
  int64_t parts = 1;
  for (const BlockedArray& a : arrays) {
    if (a.counts.size() != 2) continue;
    // X[m,k] and W[k,n], each perhaps stored the other way round.
    if (a.info->role == ArrayRole::lhs) parts = std::max(parts, a.counts[a.info->transposed ? 0 : 1]);
    if (a.info->role == ArrayRole::rhs) parts = std::max(parts, a.counts[a.info->transposed ? 1 : 0]);
  }
  return parts;
}

MeshPlaces mesh_places(const Mesh& mesh) {
  MeshPlaces out;
  const int rank = mesh.rank();
  const int64_t columns = rank >= 1 ? mesh.axis_size(rank - 1) : 1;
  const int64_t rows = rank >= 2 ? mesh.axis_size(rank - 2) : 1;
  const int64_t planes = mesh.device_count() / (columns * rows);
  int64_t across = 1;
  while (across * across * columns < planes * rows) ++across;
  across = std::min(std::max<int64_t>(1, across), planes);
  const float gap = planes > 1 ? 0.6F : 0;
  const int64_t down = (planes + across - 1) / across;
  out.columns = static_cast<float>(across * columns) + gap * static_cast<float>(across - 1);
  out.rows = static_cast<float>(down * rows) + gap * static_cast<float>(down - 1);
  for (int64_t place = 0; place < mesh.device_count(); ++place) {
    const int64_t plane = place / (columns * rows);
    const int64_t in_plane = place % (columns * rows);
    const int64_t px = plane % across;
    const int64_t py = plane / across;
    out.cells.push_back({static_cast<float>(px * columns + in_plane % columns) + gap * static_cast<float>(px),
                         static_cast<float>(py * rows + in_plane / columns) + gap * static_cast<float>(py)});
  }
  return out;
}

}  // namespace shardscope
