// SPDX-License-Identifier: Apache-2.0
// One block of the sharding grid.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/grid/grid_parts.h"

namespace shardscope::inline views {
namespace {

bool points_at(const Selection& s, int32_t array, int64_t block) {
  for (const ItemId* item : {&s.hovered, &s.selected}) {
    if (item->kind == ItemId::Kind::block && item->lane == array && item->index == block) return true;
  }
  return false;
}

class BlockDrawing {
 public:
  BlockDrawing(Pen& pen, const GridContext& c, std::pair<int32_t, int64_t> which, const Rect& rect,
               const PlacesOfBox& places)
      : pen_(pen),
        places_(places),
        c_(c),
        array_(which.first),
        block_(which.second),
        r_(rect),
        a_(c.story.arrays()[static_cast<size_t>(which.first)]) {}

  // Whether there was room for its name.
  bool draw() {
    ItemId item;
    item.kind = ItemId::Kind::block;
    item.lane = array_;
    item.index = static_cast<int32_t>(block_);
    id_ = pen_.id(item);
    const std::vector<int32_t>& owners = a_.owners[static_cast<size_t>(block_)];
    look_ = device_look(pen_.theme, c_.input.run.program.mesh, owners.empty() ? 0 : owners.front());
    if (r_.w < 5 || r_.h < 5) {
      draw_small();
      return false;
    }
    now_ = &c_.now.block(array_, block_);
    uneven_ = c_.now.uneven(array_, block_, c_.device);
    RectItem ground = look_rect(pen_.theme, look_, r_, id_);
    const bool sum = now_->whole == 0 && std::any_of(now_->holders.begin(), now_->holders.end(),
                                                     [](const auto& h) { return !h.terms.empty(); });
    if (now_->holders.empty()) {
      ground.fill = pen_.theme.panel;
      ground.pattern = Pattern::none;
      ground.border = pen_.theme.rule;
      ground.border_width = 1;
      pen_.mark(Mark::absent, r_);
    } else if (sum) {
      ground.fill = mixed(look_.fill, pen_.theme.background, uneven_.empty() ? 0.55 : 0.72);
      ground.pattern = Pattern::stripes;
      ground.pattern_color = with_alpha(text_on(pen_.theme, ground.fill), 0.35);
      pen_.mark(Mark::partial, r_);
    }
    if (!now_->holders.empty()) pen_.mark(Mark::owner, r_);
    pen_.scene.add(ground);
    for (const PieceId piece : uneven_) draw_uneven(c_.story.piece(piece));
    ground_ = uneven_.empty() ? ground.fill : pen_.theme.background;
    tell();
    const bool named = draw_label();
    if (points_at(c_.selection, array_, block_)) pen_.outline(r_.inset(-1), pen_.theme.selection, 2.5F);
    return named;
  }

 private:
  // Too small for words: its colour, paler while nobody has it.
  void draw_small() {
    RectItem ground = look_rect(pen_.theme, look_, r_, id_);
    const bool absent = c_.now.holders(array_, block_).empty();
    if (absent) ground.fill = pen_.theme.panel;
    pen_.mark(absent ? Mark::absent : Mark::owner, r_);
    pen_.scene.add(ground);
  }

  // Where a box of its array is drawn in it.
  std::vector<Rect> places_in_block(const IndexBox& box) const {
    if (places_) {
      std::vector<Rect> out = places_(box);
      for (Rect& each : out) {
        const float x = std::max(each.x, r_.x), y = std::max(each.y, r_.y);
        each = {x, y, std::min(each.right(), r_.right()) - x, std::min(each.bottom(), r_.bottom()) - y};
      }
      return out;
    }
    const IndexBox whole = a_.block_box(block_);
    const size_t rank = whole.size();
    if (box.size() != rank || rank == 0) return {};
    const auto part = [&](int64_t at, size_t dim) {
      return static_cast<float>(std::clamp(static_cast<double>(at - whole[dim].start) /
                                               static_cast<double>(std::max<int64_t>(1, whole[dim].size())),
                                           0.0, 1.0));
    };
    const float x0 = part(box[rank - 1].start, rank - 1), x1 = part(box[rank - 1].stop, rank - 1);
    const float y0 = rank >= 2 ? part(box[rank - 2].start, rank - 2) : 0;
    const float y1 = rank >= 2 ? part(box[rank - 2].stop, rank - 2) : 1;
    return {{r_.x + r_.w * x0, r_.y + r_.h * y0, r_.w * (x1 - x0), r_.h * (y1 - y0)}};
  }

  void draw_uneven(const Piece& piece) {
    const double done =
        a_.terms > 0
            ? std::clamp(static_cast<double>(term_count(piece)) / static_cast<double>(a_.terms), 0.0, 1.0)
            : 1;
    for (const IndexBox& box : piece.index) {
      for (const Rect& place : places_in_block(box)) {
        if (place.w <= 0 || place.h <= 0) continue;
        RectItem item;
        item.rect = place;
        item.fill = mixed(look_.fill, pen_.theme.background, 0.6 * (1 - done));
        if (!piece.complete) {
          item.pattern = Pattern::stripes;
          item.pattern_color = with_alpha(text_on(pen_.theme, item.fill), 0.4);
          pen_.mark(Mark::partial, item.rect);
        }
        pen_.scene.add(item);
      }
    }
  }

  // "×2": devices that hold it now: whole, or while nobody does, some of it.
  std::string copies() const {
    const auto count = now_->whole > 0 ? static_cast<size_t>(now_->whole) : now_->holders.size();
    return count > 1 ? fmt::format(" ×{}", count) : "";
  }

  bool draw_label() {
    const std::string name = a_.block_name(block_);
    const std::string& note = now_->note;
    const float line = pen_.px(16);
    const bool tall = r_.h >= 2 * line + pen_.px(4);
    const bool dots =
        r_.h >= (note.empty() ? 1 : 2) * line + pen_.px(28) && r_.w >= pen_.px(44) && !now_->holders.empty();
    float y = dots || (tall && !note.empty()) ? r_.y + pen_.px(3) : r_.y + (r_.h - line) / 2;
    const float size = pen_.theme.presented() ? 1.3F : 1;
    const auto words = [&](const std::string& text, float at, float text_size, Face face) {
      return text_line(text, {r_.x, at, r_.w, line}, text_size, face);
    };
    // A low block says both on its one line, a very small one only that there is more: "y0 +".
    const bool said = !note.empty() && !tall && words(name + " · " + note, y, 0.85F, Face::bold);
    // Before a class the hatch alone says that it is a sum in the making.
    const std::string mark = tall || note.empty() || pen_.theme.presented() ? "" : " +";
    const std::string more = copies();
    const auto with_copies = [&](float text_size) {
      return !said && words(name + more + mark, y, text_size, Face::bold);
    };
    const bool all = with_copies(size) || with_copies(0.85F) || with_copies(0.7F);
    const bool named =
        said || all || words(name + mark, y, 0.85F, Face::bold) || words(name + mark, y, 0.7F, Face::bold);
    if (named) y += line;
    if (!note.empty() && tall &&
        (words(note, y, 1, Face::sans) || words(note, y, 0.77F, Face::sans) ||
         words(short_of(note), y, 0.77F, Face::sans) ||
         (!pen_.theme.presented() && words("+", y, 0.77F, Face::sans))))
      y += line;
    if (!all && !more.empty()) draw_stack_mark(pen_, r_, text_on(pen_.theme, ground_), id_);
    if (!more.empty()) pen_.mark(Mark::replicas, r_);
    if (dots)
      draw_holders({r_.x + pen_.px(6), y + pen_.px(3), r_.w - pen_.px(12), r_.bottom() - y - pen_.px(9)});
    return named;
  }

  // "1–2/4" for "1–2 of 4".
  static std::string short_of(std::string note) {
    if (const size_t at = note.find(" of "); at != std::string::npos) note.replace(at, 4, "/");
    return note;
  }

  // Words on a plain ground, so that patterns do not run through them; where little of the pattern would be
  // left beside it, it shines through.
  bool text_line(const std::string& text, const Rect& line, float size, Face face) {
    const float width = pen_.width(text, size, face) + pen_.px(size < 1 ? 2.0F : 6.0F);
    if (width > line.w || line.h > r_.h) return false;
    const Rect ground{line.x + (line.w - width) / 2, line.y + 1, width, line.h - 2};
    written_ += ground.w * ground.h;
    const bool plain = written_ <= r_.w * r_.h / 2;
    pen_.rect(ground, plain ? ground_ : with_alpha(ground_, 0.6));
    pen_.text({line.x + line.w / 2, line.y + line.h / 2}, text,
              {text_on(pen_.theme, ground_), size, Align::center, face});
    return true;
  }

  // The mesh in small: a filled place holds the whole block, a half-high one a part of it, a pale one a sum
  // that is not complete.
  void draw_holders(const Rect& room) {
    const Mesh& mesh = c_.input.run.program.mesh;
    const MeshPlaces places = mesh_places(mesh);
    const float side = std::min({room.w / places.columns, room.h / places.rows, pen_.px(18)});
    if (side < 5) return;
    const float left = room.x + (room.w - side * places.columns) / 2;
    std::vector<const BlockNow::Share*> share(static_cast<size_t>(mesh.device_count()), nullptr);
    for (const BlockNow::Share& holder : now_->holders) share[static_cast<size_t>(holder.device)] = &holder;
    for (size_t d = 0; d < share.size(); ++d) {
      const Point at = places.cells[static_cast<size_t>(mesh.chip_of(DeviceId(static_cast<int64_t>(d))))];
      const Rect cell{left + at.x * side, room.y + at.y * side, side - 1, side - 1};
      pen_.rect(cell, with_alpha(pen_.theme.background, 0.75));
      if (share[d] != nullptr) {
        const Color fill = device_look(pen_.theme, mesh, static_cast<int32_t>(d)).fill;
        const float h = cell.h * static_cast<float>(share[d]->some);
        RectItem part;
        part.rect = {cell.x, cell.bottom() - h, cell.w, h};
        part.fill = share[d]->terms.empty() ? fill : mixed(fill, pen_.theme.background, 0.5);
        if (!share[d]->terms.empty()) {
          part.pattern = Pattern::stripes;
          part.pattern_color = with_alpha(text_on(pen_.theme, part.fill), 0.4);
          pen_.mark(Mark::partial, part.rect);
        }
        pen_.scene.add(part);
      }
      pen_.outline(cell, with_alpha(pen_.theme.text, share[d] != nullptr ? 0.8 : 0.25), 1);
    }
  }

  void tell() {
    if (pen_.scene.accessible().size() >= kMostAccessible) return;
    pen_.accessible(r_, id_, c_.now.block_words(array_, block_));
  }

  Pen& pen_;
  const PlacesOfBox& places_;
  const GridContext& c_;
  int32_t array_;
  int64_t block_;
  Rect r_;
  const StoryArray& a_;
  const BlockNow* now_ = nullptr;
  std::vector<PieceId> uneven_;
  DeviceLook look_;
  Color ground_;
  float written_ = 0;  // of the block, under words
  int32_t id_ = -1;
};

}  // namespace

void draw_stack_mark(Pen& pen, const Rect& box, Color color, int32_t id) {
  const float side = std::min({pen.px(7), box.w / 2, box.h / 2});
  for (const float in : {1.5F, 4.5F}) {
    const float right = box.right() - in, top = box.y + in;
    pen.scene.add(
        LineItem{{{right - side, top}, {right, top}, {right, top + side}}, color, 1.5F, false, false, id});
  }
}

bool draw_grid_block(Pen& pen, const GridContext& context, std::pair<int32_t, int64_t> array_and_block,
                     const Rect& rect, const PlacesOfBox& places) {
  return BlockDrawing(pen, context, array_and_block, rect, places).draw();
}

}  // namespace shardscope::inline views
