// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/grid/product_parts.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/held_items.h"
#include "views/scene/story/travels.h"

namespace shardscope::inline views {

std::vector<ProductRow> rows_of_travels(const GridContext& c) {
  const Mesh& mesh = c.input.run.program.mesh;
  std::vector<ProductRow> out;
  for (const Travel& travel : travels_at(c.input, c.selection.time)) {
    if (travel.event < 0 || travel.hop.relayed) continue;
    const std::string what = transfer_name(c.input, travel.event);
    const std::string from = device_name(mesh, travel.hop.device), to = device_name(mesh, travel.hop.peer);
    out.push_back({travel.hop.device,
                   travel.event,
                   {say("{} sends {} to {}", from, what, to), fmt::format("{} → {}: {}", from, to, what),
                    fmt::format("{} → {}: {}", from, to, counted_names(what)),
                    fmt::format("→ {}: {}", to, counted_names(what))}});
  }
  return out;
}

ProductList::ProductList(Pen& pen, const GridContext& context, std::vector<ProductRow> rows, float height)
    : pen_(pen), c_(context), rows_(std::move(rows)), line_(std::max(pen.px(20), pen.text_px() * 1.3F)) {
  const auto room = static_cast<size_t>(std::max(1.0F, height / line_ - 2));
  if (rows_.size() > room)
    std::erase_if(rows_, [&](const ProductRow& row) { return row.device != c_.device; });
  if (rows_.size() > room) rows_.resize(room);
  width_ = pen_.width(title(), 1, Face::bold);
  for (const ProductRow& row : rows_)
    width_ = std::max(width_, pen_.width(row.wordings.front(), 1, Face::bold));
  width_ += pen_.px(24);
}

std::string ProductList::title() const {
  const bool multiplied = std::ranges::any_of(rows_, [&](const ProductRow& row) {
    const auto event = find_event(c_.input, row.event);
    return event && !is_transfer(*event);
  });
  return multiplied ? said("Multiplied now, and added to") : said("Nothing is multiplied just now");
}

float ProductList::height(size_t columns) const {
  return (static_cast<float>((rows_.size() + columns - 1) / columns) + 1.5F) * line_;
}

void ProductList::draw(const Rect& area, size_t columns) const {
  float y = area.y + line_ / 2;
  for (const std::string& line :
       wrapped_lines(title(), pen_.text_px(), area.w - pen_.px(12), pen_.canvas.measure)) {
    pen_.text({area.x, y}, line, {pen_.theme.text, 1, Align::left, Face::bold});
    y += line_;
  }
  y -= line_ / 4;
  const size_t lines = std::max<size_t>(1, (rows_.size() + columns - 1) / columns);
  const float width = area.w / static_cast<float>(columns);
  for (size_t r = 0; r < rows_.size(); ++r)
    draw_row(rows_[r], {area.x + width * static_cast<float>(r / lines),
                        y + line_ * static_cast<float>(r % lines), width, line_});
}

void ProductList::draw_row(const ProductRow& row, const Rect& box) const {
  const bool looked = row.device == c_.device;
  const int32_t id = pen_.id(event_item(c_.input, row.event));
  const float y = box.y + box.h / 2, room = box.w - pen_.px(20);
  pen_.rect(box, with_alpha(pen_.theme.selection, looked ? 0.12 : 0), id);
  const DeviceLook look = device_look(pen_.theme, c_.input.run.program.mesh, row.device);
  pen_.scene.add(
      look_rect(pen_.theme, look, {box.x + pen_.px(2), y - pen_.px(5), pen_.px(10), pen_.px(10)}, id));
  float size = 1;
  std::string text = pen_.fitting(row.wordings, room, size, bold_if(looked));
  if (text.empty()) {
    size = 0.85F;
    text = pen_.theme.presented() ? pen_.fitting(row.wordings, room, size, bold_if(looked)) : "";
    if (text.empty()) text = pen_.elided(row.wordings.back(), room, size, bold_if(looked));
  }
  pen_.text({box.x + pen_.px(18), y}, text, {pen_.theme.text, size, Align::left, bold_if(looked)});
  pen_.accessible(box, id, row.wordings.front());
}

}  // namespace shardscope::inline views
