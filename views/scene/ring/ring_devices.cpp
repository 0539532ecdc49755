// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/blocks.h"
#include "views/scene/story/found_once.h"
#include "views/scene/story/held_items.h"

namespace shardscope::inline views {
namespace {

constexpr float kHeldText = 0.85F;

// Its name, and below it what it holds.
void draw_words(Pen& pen, const Rect& box, const std::string& name, const std::vector<HeldItem>& held,
                Color ink) {
  const float line = pen.px(15);
  float size = pen.theme.presented() && box.h >= 5 * line ? 1.2F : 1;
  if (box.w < pen.width(name, size, Face::bold) + pen.px(6)) size = 0.77F;
  const int room = static_cast<int>((box.h - pen.px(4)) / line) - 1;
  const std::vector<std::string> lines =
      lines_of_items(pen, held, box.w - pen.px(pen.theme.presented() ? 2 : 6), room, kHeldText);
  const float middle = box.x + box.w / 2;
  float y = box.y + box.h / 2 - line * static_cast<float>(lines.size()) / 2;
  pen.text({middle, y}, name, {ink, size, Align::center, Face::bold});
  for (const std::string& text : lines) pen.text({middle, y += line}, text, {ink, kHeldText, Align::center});
}

void draw_device(Pen& pen, const RingContext& c, const HeldNow* now, int32_t d) {
  const Mesh& mesh = c.input.run.program.mesh;
  const Rect box = c.places.box(d);
  ItemId item;
  item.kind = ItemId::Kind::device;
  item.device = d;
  const int32_t id = pen.id(item);
  const DeviceLook look = device_look(pen.theme, mesh, d);
  RectItem ground = look_rect(pen.theme, look, box, id);
  const bool dots = c.places.overview();
  ground.radius = dots ? 1.0F : std::min(pen.px(6), box.h / 4);
  ground.pattern = Pattern::none;
  const auto is = [&](const ItemId& i) { return i.kind == ItemId::Kind::device && i.device == d; };
  const bool chosen = is(c.selection.selected);
  const bool hovered = is(c.selection.hovered);
  ground.border = chosen ? pen.theme.selection : hovered ? pen.theme.hover : pen.theme.background;
  ground.border_width = chosen || hovered ? 3 : 1;
  pen.scene.add(ground);
  const std::string name = device_name(mesh, d);
  const std::string all = now != nullptr ? now->holdings(d) : "";
  pen.accessible(box, id, said("device ") + name + (all.empty() ? "" : said(", holds ") + all));
  const Color ink = text_on(pen.theme, look.fill);
  if (!dots)
    draw_words(pen, box, name, now != nullptr ? now->items(d) : std::vector<HeldItem>(), ink);
  else if (box.h >= pen.px(11))
    pen.text_in(box, name, {ink, 0.7F, Align::center, Face::bold});
}

}  // namespace

void draw_ring_devices(Pen& pen, const RingContext& c) {
  const HeldNow* now = c.input.story != nullptr ? &held_now(c.input, c.selection.time) : nullptr;
  for (int32_t d = 0; d < c.input.run.program.mesh.device_count(); ++d) draw_device(pen, c, now, d);
}

}  // namespace shardscope::inline views
