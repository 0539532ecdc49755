// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/sharding/hlo_sharding.h"
#include "views/scene/grid/grid_parts.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr int64_t kMostHolderBlocks = 4096;  // beyond, only colours
constexpr size_t kMostPieces = 64;           // of one block, drawn while they arrive

bool points_at(const Selection& s, int array, int64_t block) {
  for (const ItemId* item : {&s.hovered, &s.selected}) {
    if (item->kind == ItemId::Kind::block && item->lane == array && item->index == block) return true;
  }
  return false;
}

// One array as a grid of blocks.
class GridPanel {
 public:
  GridPanel(Pen& pen, const GridContext& context, int array, const Rect& slot)
      : pen_(pen), c_(context), array_(array), a_(context.arrays[static_cast<size_t>(array)]) {
    const size_t rank = a_.counts.size();
    rows_ = rank >= 2 ? a_.counts[rank - 2] : 1;
    cols_ = rank >= 1 ? a_.counts[rank - 1] : 1;
    for (size_t d = 0; d + 2 < rank; ++d) {
      const int64_t at = d < c_.viewport.sliders.size()
                             ? std::clamp<int64_t>(c_.viewport.sliders[d], 0, a_.counts[d] - 1)
                             : 0;
      base_ = base_ * a_.counts[d] + at;
      fixed_.push_back(at);
    }
    base_ *= rows_ * cols_;
    draw_title(slot);
    place(slot);
  }

  void draw() {
    const int64_t shown_rows = std::clamp<int64_t>(static_cast<int64_t>(box_.h), 1, rows_);
    const int64_t shown_cols = std::clamp<int64_t>(static_cast<int64_t>(box_.w), 1, cols_);
    for (int64_t i = 0; i < shown_rows; ++i) {
      for (int64_t j = 0; j < shown_cols; ++j) {
        const float x0 = box_.x + box_.w * static_cast<float>(j) / static_cast<float>(shown_cols);
        const float x1 = box_.x + box_.w * static_cast<float>(j + 1) / static_cast<float>(shown_cols);
        const float y0 = box_.y + box_.h * static_cast<float>(i) / static_cast<float>(shown_rows);
        const float y1 = box_.y + box_.h * static_cast<float>(i + 1) / static_cast<float>(shown_rows);
        const float gap = x1 - x0 > 6 && y1 - y0 > 6 ? 1.0F : 0.0F;
        draw_block(base_ + i * rows_ / shown_rows * cols_ + j * cols_ / shown_cols,
                   {x0, y0, x1 - x0 - gap, y1 - y0 - gap});
      }
    }
    pen_.outline(box_.inset(-1), pen_.theme.rule, 1);
    draw_pieces();
  }

 private:
  // Array and spec on one line or on two, XLA's text below where it fits whole; a reader hears all of it.
  void draw_title(const Rect& slot) {
    const std::string array = fmt::format("{} [{}]", a_.letter, join(a_.info->dims, ","));
    const std::string spec = a_.info->spec.text();
    const std::string xla = HloSharding::from(a_.sharding, a_.info->dims.size()).text();
    std::string sliders;
    for (size_t d = 0; d < fixed_.size(); ++d)
      sliders += fmt::format("{}dim {}: block {} of {}", d ? ", " : "", d, fixed_[d], a_.counts[d]);
    pen_.accessible({slot.x, slot.y, slot.w, pen_.px(34)}, -1,
                    fmt::format("{} {}, {}{}", array, spec, xla, sliders.empty() ? "" : ", " + sliders));
    float y = slot.y + pen_.px(9);
    const auto line = [&](const std::vector<std::string>& wordings, const TextStyle& style) {
      TextStyle used = style;
      std::string text = pen_.fitting(wordings, slot.w, used.size, used.face);
      if (text.empty()) {
        used.size = 0.77F;
        text = pen_.fitting(wordings, slot.w, used.size, used.face);
      }
      if (text.empty()) return;
      pen_.text({slot.x, y}, text, used);
      y += pen_.px(17);
    };
    const TextStyle head{pen_.theme.text, 1, Align::left, Face::bold};
    const TextStyle small{pen_.theme.muted_text, 0.85F, Align::left, Face::mono};
    if (pen_.width(array + " " + spec, 1, Face::bold) <= slot.w) {
      line({array + " " + spec}, head);
    } else {
      line({array, a_.letter}, head);
      line({spec}, small);
    }
    line({sliders.empty() ? xla : sliders}, small);
    top_ = std::max(y, slot.y + pen_.px(34)) + pen_.px(4);
  }

  void place(const Rect& slot) {
    const float room_w = std::max(4.0F, slot.w);
    const float room_h = std::max(4.0F, slot.bottom() - top_);
    const std::vector<int64_t>& dims = a_.info->dims;
    const double tall = dims.size() >= 2 ? static_cast<double>(dims[dims.size() - 2]) : 1;
    const double wide = dims.empty() ? 1 : static_cast<double>(dims.back());
    // True proportions as far as blocks stay readable; long arrays are drawn less long.
    const auto aspect = static_cast<float>(std::clamp(wide / std::max(1.0, tall), 0.4, 2.5));
    const float least_w = pen_.px(40) * static_cast<float>(cols_);
    const float least_h = pen_.px(64) * static_cast<float>(rows_);
    const float w = std::min(room_w, std::max(room_h * aspect, least_w));
    box_ = {slot.x, top_, w, std::min(room_h, std::max(w / aspect, least_h))};
  }

  void draw_block(int64_t block, const Rect& r) {
    ItemId item;
    item.kind = ItemId::Kind::block;
    item.lane = array_;
    item.index = static_cast<int32_t>(block);
    const int32_t id = pen_.id(item);
    const std::vector<int32_t>& owners = a_.owners[static_cast<size_t>(block)];
    const DeviceLook look = device_look(pen_.theme, c_.input.run.program.mesh, owners.front());
    if (a_.block_count() > kMostHolderBlocks || r.w < 5 || r.h < 5) {
      pen_.scene.add(look_rect(pen_.theme, look, r, id));
      return;
    }
    int64_t whole = 0;
    int64_t some = 0;
    BoxCover best;
    std::vector<double> share(c_.now.devices.size(), 0);
    const IndexBox area = a_.box(block);
    for (size_t d = 0; d < c_.now.devices.size(); ++d) {
      const BoxCover part = cover(c_.now.devices[d], a_.info->role, area);
      if (part.area <= 0) continue;
      share[d] = part.area;
      ++some;
      if (part.area > 0.999) ++whole;
      if (part.k_covered > best.k_covered) best = part;
    }
    const bool product = a_.info->role == ArrayRole::product || a_.info->role == ArrayRole::block_gram;
    const bool partial = product && some > 0 && best.k_covered < best.k_whole;
    RectItem ground = look_rect(pen_.theme, look, r, id);
    std::string note;
    if (some == 0) {
      ground.fill = pen_.theme.panel;
      ground.pattern = Pattern::none;
      ground.border = pen_.theme.rule;
      ground.border_width = 1;
    } else if (partial) {
      ground.fill = mixed(look.fill, pen_.theme.background, 0.55);
      ground.pattern = Pattern::stripes;
      ground.pattern_color = with_alpha(text_on(pen_.theme, ground.fill), 0.4);
      note = partial_text(best.k_covered, best.k_whole, c_.parts);
    }
    const std::vector<HeldPiece> ahead = product ? pieces_ahead(area) : std::vector<HeldPiece>();
    if (!ahead.empty()) {
      // The ground stands for the sums that are furthest behind; what is ahead of them is drawn over it.
      ground.fill = mixed(look.fill, pen_.theme.background, 0.72);
      ground.pattern = Pattern::stripes;
      ground.pattern_color = with_alpha(text_on(pen_.theme, ground.fill), 0.3);
      int64_t most = 0;
      for (const HeldPiece& p : ahead) most = std::max(most, p.k_covered);
      note = arriving_text(ahead.front(), most);
    }
    pen_.scene.add(ground);
    for (const HeldPiece& piece : ahead) draw_ahead(piece, area, r, look);
    if (!ahead.empty()) ground.fill = pen_.theme.background;
    accessible(block, r, id, note, share);
    label(block, r, ground.fill, note, ahead.empty() ? whole : 0, some > 0 ? &share : nullptr);
    if (points_at(c_.selection, array_, block)) pen_.outline(r.inset(-1), pen_.theme.selection, 2.5F);
  }

  // While chunks of sums arrive: the pieces of the block on the device that is furthest (or pointed at),
  // furthest behind first; empty when all of it has summed the same.
  std::vector<HeldPiece> pieces_ahead(const IndexBox& block) const {
    std::vector<HeldPiece> best;
    double most = -1;
    for (size_t d = 0; d < c_.now.devices.size(); ++d) {
      std::vector<HeldPiece> found;
      double sum = static_cast<int32_t>(d) == c_.device ? 1e3 : 0;
      for (const HeldPiece& p : c_.now.devices[d]) {
        const double area = p.array == a_.info->role ? cover({p}, p.array, block).area : 0;
        if (area <= 0 || p.k_whole <= 0) continue;
        found.push_back(p);
        sum += area * static_cast<double>(p.k_covered) / static_cast<double>(p.k_whole);
      }
      if (found.empty() || found.size() > kMostPieces || sum <= most) continue;
      most = sum;
      best = std::move(found);
    }
    std::stable_sort(best.begin(), best.end(),
                     [](const HeldPiece& a, const HeldPiece& b) { return a.k_covered < b.k_covered; });
    if (best.empty() || best.front().k_covered == best.back().k_covered) return {};
    // Pieces of the most advanced kind that cover the block leave nothing behind them.
    std::vector<HeldPiece> first;
    for (const HeldPiece& p : best) {
      if (p.k_covered == best.back().k_covered) first.push_back(p);
    }
    if (cover(first, a_.info->role, block).area > 0.999) return {};
    return best;
  }

  // "1–2 of 4": the least and the most that any part of the block has summed.
  std::string arriving_text(const HeldPiece& least, int64_t most) const {
    const std::string from = partial_text(least.k_covered, least.k_whole, c_.parts);
    const std::string to = partial_text(most, least.k_whole, c_.parts);
    const size_t at = from.find(" of ");
    if (at == std::string::npos || to.find(" of ") == std::string::npos ||
        from.substr(at) != to.substr(to.find(" of ")))
      return from == to ? to : from + "–" + to;
    return from.substr(0, at) + "–" + to;
  }

  void draw_ahead(const HeldPiece& piece, const IndexBox& block, const Rect& r, const DeviceLook& look) {
    const size_t rank = block.size();
    if (rank < 1 || piece.k_whole <= 0 || cover({piece}, piece.array, block).area > 0.999) return;
    const auto part = [&](int64_t at, size_t dim) {
      const IndexRange& whole = block[dim];
      return static_cast<float>(std::clamp(
          static_cast<double>(at - whole.start) / static_cast<double>(std::max<int64_t>(1, whole.size())),
          0.0, 1.0));
    };
    const float x0 = part(piece.box[rank - 1].start, rank - 1);
    const float x1 = part(piece.box[rank - 1].stop, rank - 1);
    const float y0 = rank >= 2 ? part(piece.box[rank - 2].start, rank - 2) : 0;
    const float y1 = rank >= 2 ? part(piece.box[rank - 2].stop, rank - 2) : 1;
    RectItem item;
    item.rect = {r.x + r.w * x0, r.y + r.h * y0, r.w * (x1 - x0), r.h * (y1 - y0)};
    const double done = static_cast<double>(piece.k_covered) / static_cast<double>(piece.k_whole);
    item.fill = mixed(look.fill, pen_.theme.background, 0.6 * (1 - done));
    if (done < 1) {
      item.pattern = Pattern::stripes;
      item.pattern_color = with_alpha(text_on(pen_.theme, item.fill), 0.4);
    }
    pen_.scene.add(item);
  }

  // `share`: of the devices that hold it; null: none does.
  void label(int64_t block, const Rect& r, Color ground, const std::string& note, int64_t whole,
             const std::vector<double>* share) {
    const std::string name = a_.block_name(block);
    const std::string copies = whole > 1 ? fmt::format(" ×{}", whole) : "";
    const float line = pen_.px(16);
    const bool tall = r.h >= 2 * line + pen_.px(8);
    const bool dots = r.h >= (note.empty() ? 1 : 2) * line + pen_.px(28) && r.w >= pen_.px(44) && share;
    float y = dots || (tall && !note.empty()) ? r.y + pen_.px(3) : r.y + (r.h - line) / 2;
    const float size = pen_.theme.demo ? 1.3F : 1;
    const auto words = [&](const std::string& text, float at, float text_size, Face face) {
      return text_line(text, {r.x, at, r.w, line}, ground, text_size, face);
    };
    // A low block says both on its one line.
    const bool said = !note.empty() && !tall && words(name + " · " + note, y, 0.85F, Face::bold);
    if (said || words(name + copies, y, size, Face::bold) || words(name, y, 0.85F, Face::bold) ||
        words(name, y, 0.7F, Face::bold))
      y += line;
    if (!note.empty() && tall &&
        (words(note, y, 1, Face::sans) || words(note, y, 0.77F, Face::sans) ||
         words(short_of(note), y, 0.77F, Face::sans)))
      y += line;
    if (dots)
      draw_holders({r.x + pen_.px(6), y + pen_.px(3), r.w - pen_.px(12), r.bottom() - y - pen_.px(9)},
                   *share);
  }

  // "1–2/4" for "1–2 of 4".
  static std::string short_of(std::string note) {
    if (const size_t at = note.find(" of "); at != std::string::npos) note.replace(at, 4, "/");
    return note;
  }

  // Words on a plain ground, so that patterns do not run through them.
  bool text_line(const std::string& text, const Rect& line, Color ground, float size, Face face) {
    const float width = pen_.width(text, size, face) + pen_.px(size < 1 ? 2.0F : 6.0F);
    if (width > line.w || line.h > box_.h) return false;
    pen_.rect({line.x + (line.w - width) / 2, line.y + 1, width, line.h - 2}, ground);
    pen_.text({line.x + line.w / 2, line.y + line.h / 2}, text,
              {text_on(pen_.theme, ground), size, Align::center, face});
    return true;
  }

  // The mesh in small: a filled place holds the whole block, a half-high one a part of it.
  void draw_holders(const Rect& room, const std::vector<double>& share) {
    const Mesh& mesh = c_.input.run.program.mesh;
    const MeshPlaces places = mesh_places(mesh);
    const float side = std::min({room.w / places.columns, room.h / places.rows, pen_.px(18)});
    if (side < 5) return;
    const float left = room.x + (room.w - side * places.columns) / 2;
    for (size_t d = 0; d < share.size(); ++d) {
      const Rect cell{left + places.cells[d].x * side, room.y + places.cells[d].y * side, side - 1, side - 1};
      pen_.rect(cell, with_alpha(pen_.theme.background, 0.75));
      if (share[d] > 0) {
        const float h = cell.h * static_cast<float>(share[d]);
        pen_.rect({cell.x, cell.bottom() - h, cell.w, h},
                  device_look(pen_.theme, mesh, static_cast<int32_t>(d)).fill);
      }
      pen_.outline(cell, with_alpha(pen_.theme.text, share[d] > 0 ? 0.8 : 0.25), 1);
    }
  }

  // The exact parts that the device pointed at holds.
  void draw_pieces() {
    if (c_.device < 0 || static_cast<size_t>(c_.device) >= c_.now.devices.size() || a_.info->dims.empty())
      return;
    const size_t rank = a_.info->dims.size();
    const auto part = [&](int64_t at, size_t dim) {
      return static_cast<float>(static_cast<double>(at) / static_cast<double>(a_.info->dims[dim]));
    };
    for (const HeldPiece& piece : c_.now.devices[static_cast<size_t>(c_.device)]) {
      if (piece.array != a_.info->role || piece.box.size() != rank) continue;
      const IndexRange& across = piece.box[rank - 1];
      const float x0 = box_.x + box_.w * part(across.start, rank - 1);
      const float x1 = box_.x + box_.w * part(across.stop, rank - 1);
      float y0 = box_.y;
      float y1 = box_.bottom();
      if (rank >= 2) {
        y0 = box_.y + box_.h * part(piece.box[rank - 2].start, rank - 2);
        y1 = box_.y + box_.h * part(piece.box[rank - 2].stop, rank - 2);
      }
      pen_.outline({x0 - 1, y0 - 1, x1 - x0 + 1, y1 - y0 + 1}, pen_.theme.selection, 3);
    }
  }

  void accessible(int64_t block, const Rect& r, int32_t id, const std::string& note,
                  const std::vector<double>& share) {
    if (pen_.scene.accessible().size() >= kMostAccessible) return;
    std::string holders;
    int listed = 0;
    int more = 0;
    for (size_t d = 0; d < share.size(); ++d) {
      if (share[d] <= 0) continue;
      if (listed == 8) {
        ++more;
        continue;
      }
      holders += (listed++ ? ", " : "") + device_name(c_.input.run.program.mesh, static_cast<int32_t>(d));
    }
    if (more > 0) holders += fmt::format(" and {} more", more);
    std::string name = fmt::format("block {} of {}, ", a_.block_name(block), a_.letter);
    name += listed == 0 ? "not there yet" : "held by " + holders;
    if (!note.empty()) name += ", " + note + " partial sums";
    pen_.accessible(r, id, std::move(name));
  }

  Pen& pen_;
  const GridContext& c_;
  int array_;
  const BlockedArray& a_;
  int64_t rows_ = 1, cols_ = 1, base_ = 0;
  std::vector<int64_t> fixed_;
  Rect box_;
  float top_ = 0;
};

}  // namespace

void draw_grid_panel(Pen& pen, const GridContext& context, int array, const Rect& slot) {
  GridPanel(pen, context, array, slot).draw();
}

}  // namespace shardscope
