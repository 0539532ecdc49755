// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/sharding/hlo_sharding.h"
#include "views/scene/grid/grid_parts.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostOutlines = 256;  // parts of what the pointed device holds

// One array as a grid of blocks: the last two dimensions on the plane, the others as small multiples, or one
// of them at a time with sliders where there is no room.
class GridPanel {
 public:
  GridPanel(Pen& pen, const GridContext& context, int32_t array, const Rect& slot)
      : pen_(pen),
        c_(context),
        array_(array),
        a_(context.story.arrays()[static_cast<size_t>(array)]),
        slot_(slot) {
    const size_t rank = a_.counts.size();
    rows_ = rank >= 2 ? a_.counts[rank - 2] : 1;
    cols_ = rank >= 1 ? a_.counts[rank - 1] : 1;
    for (size_t d = 0; d + 2 < rank; ++d) {
      const int64_t at = d < c_.viewport.sliders.size()
                             ? std::clamp<int64_t>(c_.viewport.sliders[d], 0, a_.counts[d] - 1)
                             : 0;
      chosen_ = chosen_ * a_.counts[d] + at;
      at_.push_back(at);
      tiles_ *= a_.counts[d];
    }
    draw_title(slot);
    place(slot);
  }

  void draw() {
    draw_tiles();
    sign_nameless();
  }

 private:
  void draw_tiles() {
    if (tiles_shown_ == 1) {
      draw_tile(tiles_ == 1 ? 0 : chosen_, box_);
      return;
    }
    const float caption = pen_.px(15);
    for (int64_t t = 0; t < tiles_; ++t) {
      const Rect cell{box_.x + static_cast<float>(t % across_) * (tile_.x + pen_.px(8)),
                      box_.y + static_cast<float>(t / across_) * (tile_.y + pen_.px(6)), tile_.x, tile_.y};
      pen_.text({cell.x, cell.y + caption / 2}, pen_.fitting({tile_name(t)}, cell.w, 0.77F),
                {pen_.theme.muted_text, 0.77F, Align::left, Face::mono});
      draw_tile(t, {cell.x, cell.y + caption, cell.w, cell.h - caption});
    }
  }

  // "+156 names: zoom in" beside the last line of the title.
  void sign_nameless() {
    const int64_t nameless = rows_ * cols_ * tiles_shown_ - named_;
    if (nameless == 0) return;
    const std::string more = "+" + counted(nameless, "name");
    const float room = slot_.right() - title_end_.x;
    pen_.text({slot_.right(), title_end_.y}, pen_.fitting({more + said(": zoom in"), more, "+"}, room, 0.85F),
              {pen_.theme.warning, 0.85F, Align::right});
    pen_.accessible({title_end_.x, title_end_.y - pen_.px(8), room, pen_.px(16)}, -1,
                    more + said(": zoom in"));
  }

  // "[0:4, 8:16, :, :]", the indices of the dimensions beyond two.
  std::string tile_name(int64_t tile) const {
    const IndexBox box = a_.block_box(tile * rows_ * cols_);
    std::string out = "[";
    for (size_t d = 0; d + 2 < box.size(); ++d)
      out += box[d].size() == 1 ? fmt::format("{},", box[d].start)
                                : fmt::format("{}:{},", box[d].start, box[d].stop);
    return out + ":,:]";
  }

  // Array and spec on one line or on two, XLA's text below where it fits whole; a reader hears all of it.
  void draw_title(const Rect& slot) {
    const std::string array = fmt::format("{} [{}]", title_of(a_), join(a_.dims, ","));
    const std::string spec = a_.sharding ? a_.sharding->spec().text() : said("not sharded");
    const std::string xla = a_.sharding ? HloSharding::from(*a_.sharding, a_.dims.size()).text() : "";
    pen_.accessible({slot.x, slot.y, slot.w, pen_.px(34)}, -1,
                    array + " " + spec + (xla.empty() ? "" : ", " + xla));
    if (pen_.theme.presented()) return draw_short_title(array, spec);
    float y = slot.y + pen_.px(9);
    const auto line = [&](const std::vector<std::string>& wordings, const TextStyle& style) {
      // Smaller before shorter: the size of an array says more than its letters' size.
      TextStyle used = style;
      std::string text;
      for (size_t w = 0; w < wordings.size() && text.empty(); ++w) {
        for (const float size : {style.size, 0.9F, 0.77F}) {
          if (text.empty()) text = pen_.fitting({wordings[w]}, slot.w, used.size = size, used.face);
        }
      }
      if (text.empty()) return;
      pen_.text({slot.x, y}, text, used);
      title_end_ = {slot.x + pen_.width(text, used.size, used.face) + pen_.px(12), y};
      y += pen_.px(17);
    };
    const TextStyle head{pen_.theme.text, 1, Align::left, Face::bold};
    const TextStyle small{pen_.theme.muted_text, 0.85F, Align::left, Face::mono};
    if (pen_.width(array + " " + spec, 1, Face::bold) <= slot.w) {
      line({array + " " + spec}, head);
    } else {
      line({array, title_of(a_)}, head);
      line({spec}, small);
    }
    line({xla}, small);
    top_ = std::max(y, slot.y + pen_.px(34)) + pen_.px(4);
  }

  // One line: what it is and how it is sharded come before its size.
  void draw_short_title(const std::string& array, const std::string& spec) {
    const std::string name = title_of(a_);
    const float y = slot_.y + pen_.px(9);
    // Room for a sign that blocks have no names.
    const float room = slot_.w - pen_.px(7) - pen_.width("+", 0.85F);
    const std::string text =
        pen_.fitting({array + " " + spec, name + " " + spec, array, name}, room, 1, Face::bold);
    pen_.text({slot_.x, y}, text, {pen_.theme.text, 1, Align::left, Face::bold});
    title_end_ = {slot_.x + pen_.width(text, 1, Face::bold) + pen_.px(6), y};
    top_ = slot_.y + pen_.px(kShortTitle);
  }

  void place(const Rect& slot) {
    const float room_w = std::max(4.0F, slot.w);
    float room_h = std::max(4.0F, slot.bottom() - top_);
    const Point least{std::max(pen_.px(56), pen_.px(22) * static_cast<float>(cols_)),
                      std::max(pen_.px(50), pen_.px(18) * static_cast<float>(rows_)) + pen_.px(15)};
    if (tiles_ > 1) {
      // As near to square as the room is, if all of them can be read.
      across_ = std::max<int64_t>(1, static_cast<int64_t>((room_w + pen_.px(8)) / (least.x + pen_.px(8))));
      across_ = std::min(across_, tiles_);
      const int64_t down = (tiles_ + across_ - 1) / across_;
      tile_ = {(room_w + pen_.px(8)) / static_cast<float>(across_) - pen_.px(8),
               (room_h + pen_.px(6)) / static_cast<float>(down) - pen_.px(6)};
      if (tile_.y >= least.y) {
        tiles_shown_ = tiles_;
        tile_.y = std::min(tile_.y, std::max(least.y, tile_.x * 1.2F));
        box_ = {slot.x, top_, room_w, room_h};
        return;
      }
      top_ = draw_grid_sliders(pen_, a_.counts, at_, {slot.x, top_, room_w, room_h}) + pen_.px(4);
      room_h = std::max(4.0F, slot.bottom() - top_);
    }
    const double tall = a_.dims.size() >= 2 ? static_cast<double>(a_.dims[a_.dims.size() - 2]) : 1;
    const double wide = static_cast<double>(a_.dims.back());
    if (const auto down = length_of(0), right = length_of(1); tiles_ == 1 && down && right) {
      box_ = {slot.x, top_, std::min(room_w, *right), std::min(room_h, *down)};
      return;
    }
    // True proportions as far as blocks stay readable; long arrays are drawn less long.
    const auto aspect = static_cast<float>(std::clamp(wide / std::max(1.0, tall), 0.4, 2.5));
    const float least_w = pen_.px(40) * static_cast<float>(cols_);
    const float least_h = pen_.px(64) * static_cast<float>(rows_);
    const float w = std::min(room_w, std::max(room_h * aspect, least_w));
    box_ = {slot.x, top_, w, std::min(room_h, std::max(w / aspect, least_h))};
  }

  // Of a matrix, where all arrays are drawn on one scale.
  std::optional<float> length_of(size_t dim) const {
    if (a_.dims.size() != 2) return std::nullopt;
    const auto known = c_.lengths.find(a_.dims[dim]);
    return known == c_.lengths.end() ? std::nullopt : std::optional(known->second);
  }

  // Blocks where their elements are: uneven ones are less wide.
  void draw_tile(int64_t tile, const Rect& box) {
    const int64_t shown_rows = std::clamp<int64_t>(static_cast<int64_t>(box.h), 1, rows_);
    const int64_t shown_cols = std::clamp<int64_t>(static_cast<int64_t>(box.w), 1, cols_);
    const int64_t base = tile * rows_ * cols_;
    for (int64_t i = 0; i < shown_rows; ++i) {
      for (int64_t j = 0; j < shown_cols; ++j) {
        const int64_t block = base + i * rows_ / shown_rows * cols_ + j * cols_ / shown_cols;
        const bool all = shown_rows == rows_ && shown_cols == cols_;
        const Rect r =
            all ? rect_of(a_.block_box(block), box)
                : Rect{box.x + box.w * static_cast<float>(j) / static_cast<float>(shown_cols),
                       box.y + box.h * static_cast<float>(i) / static_cast<float>(shown_rows),
                       box.w / static_cast<float>(shown_cols), box.h / static_cast<float>(shown_rows)};
        if (r.w <= 0 || r.h <= 0) continue;
        const float gap = r.w > 6 && r.h > 6 ? 1.0F : 0.0F;
        const bool named = draw_grid_block(pen_, c_, {array_, block}, {r.x, r.y, r.w - gap, r.h - gap});
        named_ += named ? 1 : 0;
      }
    }
    pen_.outline(box.inset(-1), pen_.theme.rule, 1);
    outline_pieces(tile, box);
  }

  Rect rect_of(const IndexBox& part, const Rect& box) const {
    const size_t rank = part.size();
    const auto at = [&](int64_t index, size_t dim) {
      return static_cast<float>(static_cast<double>(index) /
                                static_cast<double>(std::max<int64_t>(1, a_.dims[dim])));
    };
    const float x0 = at(part[rank - 1].start, rank - 1);
    const float x1 = at(part[rank - 1].stop, rank - 1);
    const float y0 = rank >= 2 ? at(part[rank - 2].start, rank - 2) : 0;
    const float y1 = rank >= 2 ? at(part[rank - 2].stop, rank - 2) : 1;
    return {box.x + box.w * x0, box.y + box.h * y0, box.w * (x1 - x0), box.h * (y1 - y0)};
  }

  // The exact parts that the device pointed at holds.
  void outline_pieces(int64_t tile, const Rect& box) {
    if (c_.device < 0 || c_.device >= c_.input.run.program.mesh.device_count()) return;
    const IndexBox of_tile = a_.block_box(tile * rows_ * cols_);
    size_t drawn = 0;
    for (const PieceId id : c_.now.pieces_on(c_.device)) {
      const Piece& piece = c_.story.piece(id);
      if (piece.array != array_) continue;
      for (const IndexBox& part : piece.index) {
        if (part.size() != a_.dims.size() || ++drawn > kMostOutlines) continue;
        bool here = true;
        for (size_t d = 0; d + 2 < part.size(); ++d)
          here = here && part[d].start < of_tile[d].stop && of_tile[d].start < part[d].stop;
        const Rect r = rect_of(part, box);
        if (here) pen_.outline({r.x - 1, r.y - 1, r.w + 1, r.h + 1}, pen_.theme.selection, 3);
      }
    }
  }

  Pen& pen_;
  const GridContext& c_;
  int32_t array_;
  const StoryArray& a_;
  Rect slot_;
  Point title_end_;    // free from here on, in the last line of the title
  int64_t named_ = 0;  // blocks with room for their name
  int64_t rows_ = 1, cols_ = 1, tiles_ = 1, chosen_ = 0;
  int64_t tiles_shown_ = 1, across_ = 1;
  Point tile_;
  std::vector<int64_t> at_;
  Rect box_;
  float top_ = 0;
};

}  // namespace

void draw_grid_panel(Pen& pen, const GridContext& context, int32_t array, const Rect& slot) {
  GridPanel(pen, context, array, slot).draw();
}

}  // namespace shardscope::inline views
