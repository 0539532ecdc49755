// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/ring/ring_parts.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/holdings_now.h"

namespace shardscope {
namespace {

constexpr int64_t kMostFollowed = 256;  // devices or blocks; beyond, names only

// What a device holds of one array, in ever fewer words.
struct HeldWords {
  std::string full, brief;  // "w0–w3", "4 w"; "y0 2 of 4"
};

HeldWords held_words(const BlockedArray& a, const std::vector<HeldPiece>& pieces, int64_t parts) {
  std::vector<int64_t> whole;
  std::vector<int64_t> partial;
  BoxCover sum;
  for (int64_t b = 0; b < a.block_count(); ++b) {
    const BoxCover part = cover(pieces, a.info->role, a.box(b));
    if (part.area < 0.999) continue;
    (part.k_covered < part.k_whole ? partial : whole).push_back(b);
    if (part.k_covered < part.k_whole) sum = part;
  }
  HeldWords out;
  if (!whole.empty()) {
    out.full = block_names(a, whole);
    out.brief = whole.size() > 1 ? fmt::format("{} {}", whole.size(), a.prefix) : out.full;
  }
  if (!partial.empty()) {
    const std::string note = " " + partial_text(sum.k_covered, sum.k_whole, parts);
    out.full += (out.full.empty() ? "" : " ") + block_names(a, partial) + note;
    out.brief +=
        (out.brief.empty() ? "" : " ") +
        (partial.size() > 1 ? fmt::format("{} {}", partial.size(), a.prefix) : a.block_name(partial[0]));
  }
  return out;
}

std::string joined(const std::vector<HeldWords>& words, bool brief) {
  std::string out;
  for (const HeldWords& w : words) out += (out.empty() ? "" : " ") + (brief ? w.brief : w.full);
  return out;
}

// One line an array where there is room, else one line for all, else nothing: never cut off in a word.
std::vector<std::string> held_lines(const Pen& pen, const std::vector<HeldWords>& words, float width,
                                    int lines, float size) {
  if (words.empty() || lines < 1) return {};
  for (const bool brief : {false, true}) {
    const std::string all = joined(words, brief);
    if (pen.width(all, size) <= width) return {all};
    if (lines < static_cast<int>(words.size())) continue;
    std::vector<std::string> out;
    for (const HeldWords& w : words) {
      out.push_back(pen.fitting({brief ? w.brief : w.full, w.brief}, width, size));
      if (out.back().empty()) out.clear();
      if (out.empty()) break;
    }
    if (!out.empty()) return out;
  }
  return {};
}

std::string bytes_each(const std::vector<Event>& transfers) {
  const auto [least, most] = std::minmax_element(
      transfers.begin(), transfers.end(), [](const Event& a, const Event& b) { return a.bytes < b.bytes; });
  const std::string from = format_bytes(static_cast<double>(least->bytes));
  return least->bytes == most->bytes
             ? from + (transfers.size() > 1 ? " each" : "")
             : fmt::format("{} to {} each", from, format_bytes(static_cast<double>(most->bytes)));
}

}  // namespace

void draw_ring_devices(Pen& pen, const RingContext& c) {
  const Mesh& mesh = c.input.run.program.mesh;
  const std::vector<BlockedArray>& arrays = c.carried.arrays();
  const int64_t parts = contraction_parts(arrays);
  const bool follow = mesh.device_count() <= kMostFollowed && !c.places.crowded();
  const HoldingsNow now = follow ? holdings_now(c.input, c.selection.time) : HoldingsNow{};
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    const Rect box = c.places.box(d);
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = d;
    const int32_t id = pen.id(item);
    const DeviceLook look = device_look(pen.theme, mesh, d);
    RectItem ground = look_rect(pen.theme, look, box, id);
    ground.radius = c.places.crowded() ? 1.0F : std::min(pen.px(6), box.h / 4);
    if (c.places.crowded()) ground.pattern = Pattern::none;
    const std::string name = device_name(mesh, d);
    float size = pen.theme.demo ? 1.2F : 1;
    if (box.w < pen.width(name, size, Face::bold) + pen.px(6)) size = 0.77F;
    const bool named = box.w >= pen.width(name, size, Face::bold) + pen.px(4) && box.h >= pen.px(15);
    if (named) ground.pattern = Pattern::none;
    const auto is = [&](const ItemId& i) { return i.kind == ItemId::Kind::device && i.device == d; };
    const bool chosen = is(c.selection.selected);
    const bool hovered = is(c.selection.hovered);
    ground.border = chosen ? pen.theme.selection : hovered ? pen.theme.hover : pen.theme.background;
    ground.border_width = chosen || hovered ? 3 : 1;
    pen.scene.add(ground);
    std::vector<HeldWords> held;
    for (const BlockedArray& a : arrays) {
      if (!follow || a.block_count() > kMostFollowed) continue;
      HeldWords words = held_words(a, now.devices[static_cast<size_t>(d)], parts);
      if (!words.full.empty()) held.push_back(std::move(words));
    }
    pen.accessible(box, id, "device " + name + (held.empty() ? "" : ", holds " + joined(held, false)));
    if (!named) continue;
    const float line = pen.px(15);
    const int room = static_cast<int>((box.h - pen.px(4)) / line) - 1;
    const std::vector<std::string> lines = held_lines(pen, held, box.w - pen.px(6), room, 0.85F);
    const float middle = box.x + box.w / 2;
    float y = box.y + box.h / 2 - line * static_cast<float>(lines.size()) / 2;
    const Color ink = text_on(pen.theme, look.fill);
    const std::string all = joined(held, false);
    const float name_width = pen.width(name, size, Face::bold);
    if (lines.empty() && !all.empty() && name_width + pen.width(all, 0.85F) + pen.px(18) <= box.w) {
      pen.text({box.x + pen.px(6), y}, name, {ink, size, Align::left, Face::bold});
      pen.text({box.right() - pen.px(6), y}, all, {ink, 0.85F, Align::right});
      continue;
    }
    pen.text({middle, y}, name, {ink, size, Align::center, Face::bold});
    for (const std::string& text : lines) pen.text({middle, y += line}, text, {ink, 0.85F, Align::center});
  }
}

void draw_ring_title(Pen& pen, const RingContext& c, const Rect& area) {
  std::vector<std::string> title{"no steps"};
  std::vector<std::string> detail{"this program sends nothing", "nothing is sent"};
  if (c.step) {
    const std::string clock = clock_name(c.input, step_at(c.input, c.selection.time));
    title = {clock};
    const std::vector<Event>& sent = c.step->transfers;
    if (sent.empty()) {
      detail = {"devices compute, nothing travels; step on to see blocks move",
                "devices compute, nothing travels", "nothing travels"};
    } else {
      const std::string what = instruction_name(c.input, sent.front().instruction);
      title = {clock + " · " + work_name(c.input, c.step->step, sent), clock + " · " + what, clock};
      const std::string count = fmt::format("{} transfer{}", sent.size(), sent.size() > 1 ? "s" : "");
      const std::string size = bytes_each(sent);
      const std::string time = format_picoseconds(c.step->step.range.length());
      detail = {fmt::format("{}, {}, {}", count, size, time), fmt::format("{}, {}", size, time), size};
    }
  }
  pen.text({area.x, area.y + pen.px(10)}, pen.fitting(title, area.w, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.text({area.x, area.y + pen.px(28)}, pen.fitting(detail, area.w),
           {pen.theme.muted_text, 1, Align::left});
  pen.accessible({area.x, area.y, area.w, pen.px(38)}, -1, title.front() + "; " + detail.front());
}

}  // namespace shardscope
