// SPDX-License-Identifier: Apache-2.0
// What travels: a chip on its link, with the names of the blocks that it carries.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/blocks.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/held_items.h"

namespace shardscope::inline views {
namespace {

constexpr float kChipText = 0.85F;

bool touch(const Rect& a, const Rect& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Transfers at the same place of a link: those that arrived over it in one beat, or one under way.
struct ChipGroup {
  Event hop;
  int32_t to = -1;
  int axis = -1;
  double part = 0;
  bool arrived = false;
  std::vector<Travel> travels;

  std::vector<int32_t> events() const {
    std::vector<int32_t> out;
    for (const Travel& travel : travels) out.push_back(travel.event);
    return out;
  }
};

std::vector<ChipGroup> chip_groups(const RingContext& c) {
  std::map<LinkKey, size_t> on_link;
  std::vector<ChipGroup> out;
  for (const Travel& travel : c.travels) {
    int axis = -1;
    const int32_t to = link_end(c.input, c.places.fabric(), travel.hop, &axis);
    // What has arrived stands at the end of its last link.
    if (to < 0 || to == travel.hop.device || (travel.arrived && to != travel.hop.peer)) continue;
    const auto [at, fresh] = on_link.try_emplace({travel.hop.device, travel.hop.lane, to}, out.size());
    if (!fresh) {
      ChipGroup& before = out[at->second];
      const RingWay way = c.places.way(travel.hop.device, to, axis, RingPlaces::Lane::own);
      const Point from = way.at(before.part);
      const Point here = way.at(travel.part);
      // Two chips of one link stand apart where there is room for both, else one has the names of both.
      const float apart = std::max(std::abs(here.x - from.x) - c.places.chip().x,
                                   std::abs(here.y - from.y) - c.places.chip().y);
      if (apart < 1) {
        before.travels.push_back(travel);
        before.arrived = before.arrived || travel.arrived;
        before.part = std::max(before.part, travel.part);
        continue;
      }
    }
    out.push_back({travel.hop, to, axis, travel.part, travel.arrived, {travel}});
  }
  return out;
}

bool carries_sums(const ViewInput& input, int32_t event) {
  if (input.story == nullptr || event < 0) return false;
  const auto carried = input.story->carried(event);
  return std::any_of(carried.begin(), carried.end(), [&](const Carried& one) {
    return one.piece >= 0 && !input.story->piece(one.piece).complete;
  });
}

// "a3.1/2 (0,0) → (0,1), 1.0 MiB, arrived"; of sums also how far they are and that they are added.
std::string travel_words(const RingContext& c, const Travel& travel) {
  const ViewInput& input = c.input;
  const Mesh& mesh = input.run.program.mesh;
  std::string name = said("a block");
  std::string how;
  const int32_t event = travel.event;
  int32_t source = travel.hop.device;
  if (input.story != nullptr && event >= 0) {
    name = name_of_transfer(*input.story, event);
    source = input.story->timeline().events[static_cast<size_t>(event)].device;
    for (const Carried& one : input.story->carried(event)) {
      const std::string terms = one.piece >= 0 ? short_terms(*input.story, one.piece) : "";
      if (!terms.empty()) how = ", " + terms;
      if (one.adds) {
        how += said(", to be added");
        break;
      }
    }
  }
  std::string where =
      travel.waits ? said(", waits for its next link") : say(", {} of the way", format_percent(travel.part));
  if (travel.arrived) {
    // Of a beat that ends now others may have arrived before.
    const Picoseconds at =
        input.story != nullptr && event >= 0 ? input.story->arrival(event) : c.selection.time;
    where = at < c.selection.time ? said(", arrived at ") + format_picoseconds(at) : said(", arrived");
  }
  return fmt::format("{} {} → {}, {}{}{}", name, device_name(mesh, source),
                     device_name(mesh, travel.hop.peer), format_bytes(static_cast<double>(travel.hop.bytes)),
                     how, where);
}

class ChipDrawing {
 public:
  ChipDrawing(Pen& pen, const RingContext& c) : pen_(pen), c_(c) {
    for (int32_t d = 0; d < c.input.run.program.mesh.device_count(); ++d) boxes_.push_back(c.places.box(d));
  }

  void draw(const ChipGroup& group) {
    const ViewInput& input = c_.input;
    ItemId item;
    item.kind = ItemId::Kind::chunk;
    item.device = group.hop.device;
    item.instruction = group.hop.instruction;
    item.event = group.travels.front().event;
    item.lane = group.hop.lane;
    item.index = group.hop.chunk;
    const int32_t id = pen_.id(item);
    const RingWay way = c_.places.way(group.hop.device, group.to, group.axis, RingPlaces::Lane::own);
    const DeviceLook look = device_look(pen_.theme, input.run.program.mesh,
                                        owner_of(input, group.travels.front().event, group.hop.device));
    const Rect shown = c_.places.overview() ? dot(way, group, look, id) : chip(way, group, look, id);
    for (const Travel& travel : group.travels) pen_.accessible(shown, id, travel_words(c_, travel));
  }

 private:
  Rect dot(const RingWay& way, const ChipGroup& group, const DeviceLook& look, int32_t id) {
    const Point at = way.at(group.part);
    const float radius = c_.places.chip().x / 2;
    pen_.scene.add(CircleItem{at, radius, look.fill, pen_.theme.text, 0.5F, id});
    return {at.x - radius, at.y - radius, 2 * radius, 2 * radius};
  }

  Rect chip(const RingWay& way, const ChipGroup& group, const DeviceLook& look, int32_t id) {
    const Point most = c_.places.chip();
    TextStyle style{text_on(pen_.theme, look.fill), kChipText, Align::center, Face::bold};
    std::string name;
    for (const float size : {kChipText, 0.77F, 0.7F}) {
      style.size = size;
      name = names_that_fit(pen_, c_.input, group.events(), style, most.x - 4);
      if (!name.empty()) break;
    }
    if (name.empty() && pen_.theme.presented()) name = "…";
    const float width = std::clamp(pen_.width(name, style.size, style.face) + 8, most.y, most.x);
    const Rect rect = free_place(way, group.part, {width, most.y});
    RectItem ground;
    ground.rect = rect;
    ground.fill = look.fill;
    ground.border = pen_.theme.text;
    ground.border_width = group.arrived ? 2 : 1;
    ground.radius = most.y / 3;
    ground.id = id;
    if (carries_sums(c_.input, group.travels.front().event)) {
      ground.pattern = Pattern::stripes;
      ground.pattern_color = with_alpha(style.color, 0.35);
      pen_.mark(Mark::partial, rect);
    }
    pen_.scene.add(ground);
    pen_.text({rect.x + rect.w / 2, rect.y + rect.h / 2}, name, style);
    placed_.push_back(rect);
    return rect;
  }

  // Where it is on its way, or as near to that as it hides neither a device nor another chip.
  Rect free_place(const RingWay& way, double part, Point size) const {
    const auto at = [&](double where) {
      const Point p = way.at(where);
      return Rect{p.x - size.x / 2, p.y - size.y / 2, size.x, size.y};
    };
    const auto free = [&](const Rect& r) {
      const auto hits = [&](const Rect& other) { return touch(r, other); };
      return std::none_of(boxes_.begin(), boxes_.end(), hits) &&
             std::none_of(placed_.begin(), placed_.end(), hits);
    };
    constexpr int kTries = 20;
    for (int i = 0; i <= 2 * kTries; ++i) {
      const double where = part + (i % 2 != 0 ? -1 : 1) * ((i + 1) / 2) / static_cast<double>(kTries);
      if (where < 0 || where > 1) continue;
      if (const Rect r = at(where); free(r)) return r;
    }
    return at(part);
  }

  Pen& pen_;
  const RingContext& c_;
  std::vector<Rect> boxes_, placed_;
};

}  // namespace

namespace {

// "a0–3", "3 a 1 w": all of them in few letters.
std::string counted_that_fit(const Pen& pen, const std::vector<std::string>& names, size_t events,
                             const TextStyle& style, float width) {
  std::vector<HeldItem> items;
  for (const std::string& name : names) items.push_back({name, "", false});
  if (!items.empty()) items.back().ends_group = true;
  for (const std::vector<HeldItem>& form : shorter_items(items)) {
    std::vector<std::string> words;
    for (const HeldItem& item : form) words.push_back(item.name);
    const std::string all = join(words, " ");
    if (!all.empty() && pen.width(all, style.size, style.face) <= width) return all;
  }
  // Rows of tokens have no names: how many messages they are.
  const std::string only = fmt::format("×{}", events);
  return pen.width(only, style.size, style.face) <= width ? only : "";
}

}  // namespace

std::string names_that_fit(const Pen& pen, const ViewInput& input, const std::vector<int32_t>& events,
                           const TextStyle& style, float width) {
  const auto fits = [&](const std::string& text) { return pen.width(text, style.size, style.face) <= width; };
  std::vector<std::string> parts;
  for (const NameForm form : {NameForm::full, NameForm::small}) {
    std::string all;
    parts.clear();
    for (const int32_t event : events) {
      const std::string name =
          input.story != nullptr && event >= 0 ? name_of_transfer(*input.story, event, form) : "?";
      all += (all.empty() ? "" : " ") + name;
      const bool several = input.story != nullptr && event >= 0 && input.story->carried(event).size() > 1;
      for (size_t at = 0; at < name.size();) {
        const size_t end = several ? std::min(name.find(' ', at), name.size()) : name.size();
        if (end > at) parts.push_back(name.substr(at, end - at));
        at = end + 1;
      }
    }
    if (fits(all)) return all;
  }
  if (pen.theme.presented()) return counted_that_fit(pen, parts, events.size(), style, width);
  if (parts.size() > 1) {
    const std::string more = fmt::format(" +{}", parts.size() - 1);
    if (fits(parts[0] + more)) return parts[0] + more;
    const std::string only = fmt::format("+{}", parts.size());
    return fits(only) ? only : "";
  }
  return style.size < 0.75F && !parts.empty() ? pen.elided(parts[0], width, style.size, style.face) : "";
}

int32_t owner_of(const ViewInput& input, int32_t event, int32_t otherwise) {
  if (input.story == nullptr || event < 0) return otherwise;
  for (const Carried& one : input.story->carried(event)) {
    if (one.what.block < 0) continue;
    const StoryArray& array = input.story->arrays()[static_cast<size_t>(one.what.array)];
    const auto block = static_cast<size_t>(one.what.block);
    if (block < array.owners.size() && !array.owners[block].empty()) return array.owners[block].front();
  }
  return otherwise;
}

Point chip_widths(const Pen& pen, const ViewInput& input) {
  constexpr size_t kMostAsked = 64;  // beats
  Point out = pen.theme.presented() ? Point{pen.px(16), pen.px(16)} : Point{pen.px(26), pen.px(36)};
  if (input.story == nullptr) return out;
  const size_t beats = input.story->beats().size();
  const size_t step = beats / kMostAsked + 1;
  for (size_t b = 0; b < beats; b += step) {
    const std::vector<int32_t> sent = transfers_of(*input.story, static_cast<int32_t>(b));
    if (sent.empty()) continue;
    const std::string small = name_of_transfer(*input.story, sent.back(), NameForm::small);
    const std::string full = name_of_transfer(*input.story, sent.back());
    out.x = std::max(out.x, pen.width(small.substr(0, small.find(' ')), kChipText, Face::bold) + 12);
    out.y = std::max(out.y, pen.width(full, kChipText, Face::bold) + 14);
    // Before a class several are counted where their names do not fit.
    if (pen.theme.presented() && small.find(' ') != std::string::npos)
      out.x = std::max(out.x, pen.width("×00", kChipText, Face::bold) + 10);
    // Two that meet on a link: one of them, and that there is another.
    out.y = std::max(out.y, pen.width(small + " +1", kChipText, Face::bold) + 10);
  }
  out.x = std::min(out.x, pen.px(48));
  out.y = std::clamp(out.y, out.x, pen.px(96));
  return out;
}

void draw_ring_chips(Pen& pen, const RingContext& c) {
  ChipDrawing drawing(pen, c);
  for (const ChipGroup& group : chip_groups(c)) drawing.draw(group);
}

}  // namespace shardscope::inline views
