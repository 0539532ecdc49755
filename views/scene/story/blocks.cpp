// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/blocks.h"

#include <algorithm>

namespace shardscope::inline views {

DeviceLook device_look(const Theme& theme, const Mesh& mesh, int32_t device) {
  const auto devices = static_cast<int>(mesh.device_count());
  if (devices <= 8 || mesh.rank() == 0) return {identity_color(theme, device, devices), Pattern::none};
  const int last = mesh.rank() - 1;
  const int64_t column = mesh.coordinate(DeviceId(device), last);
  const int64_t row = device / mesh.axis_size(last);
  static constexpr Pattern kPatterns[] = {Pattern::none, Pattern::bars, Pattern::dots, Pattern::cross};
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

}  // namespace shardscope::inline views
