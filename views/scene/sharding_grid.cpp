// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/sharding/hlo_sharding.h"
#include "views/scene/blocks.h"
#include "views/scene/event_text.h"
#include "views/scene/holdings_now.h"

namespace shardscope {
namespace {

constexpr int64_t kMostHolderBlocks = 4096;  // beyond, only colours
constexpr size_t kMostAccessible = 2000;

struct GridContext {
  const ViewInput& input;
  const GridViewport& viewport;
  const Selection& selection;
  std::vector<BlockedArray> arrays;
  HoldingsNow now;
  int64_t parts = 1;
  int32_t device = -1;  // pointed at
};

std::string dims_text(const std::vector<int64_t>& dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) out += (i ? "," : "") + std::to_string(dims[i]);
  return out + "]";
}

int32_t pointed_device(const Selection& s) {
  for (const ItemId* item : {&s.hovered, &s.selected}) {
    if (item->kind == ItemId::Kind::device) return item->device;
  }
  return -1;
}

bool points_at(const Selection& s, int array, int64_t block) {
  for (const ItemId* item : {&s.hovered, &s.selected}) {
    if (item->kind == ItemId::Kind::block && item->lane == array && item->index == block) return true;
  }
  return false;
}

// One array as a grid of blocks.
class Panel {
 public:
  Panel(Pen& pen, const GridContext& context, int array, const Rect& slot)
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
  void draw_title(const Rect& slot) {
    std::string title = fmt::format("{} {} {}", a_.letter, dims_text(a_.info->dims), a_.info->spec.text());
    std::string xla = HloSharding::from(a_.sharding, a_.info->dims.size()).text();
    for (size_t d = 0; d < fixed_.size(); ++d)
      xla += fmt::format("  dim {}: block {} of {}", d, fixed_[d], a_.counts[d]);
    pen_.text({slot.x, slot.y + pen_.px(9)}, pen_.elided(title, slot.w, 1, true),
              {pen_.theme.text, 1, Align::left, true, false});
    pen_.text({slot.x, slot.y + pen_.px(27)}, pen_.elided(xla, slot.w, 0.85F, false, true),
              {pen_.theme.muted_text, 0.85F, Align::left, false, true});
  }

  void place(const Rect& slot) {
    const float top = slot.y + pen_.px(42);
    const float room_w = std::max(4.0F, slot.w);
    const float room_h = std::max(4.0F, slot.bottom() - top);
    const std::vector<int64_t>& dims = a_.info->dims;
    const double tall = dims.size() >= 2 ? static_cast<double>(dims[dims.size() - 2]) : 1;
    const double wide = dims.empty() ? 1 : static_cast<double>(dims.back());
    // True proportions as far as blocks stay readable; long arrays are drawn less long.
    const auto aspect = static_cast<float>(std::clamp(wide / std::max(1.0, tall), 0.4, 2.5));
    const float w = std::min(room_w, room_h * aspect);
    box_ = {slot.x, top, w, std::min(room_h, std::max(w / aspect, std::min(w * 0.75F, room_h * 0.72F)))};
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
    pen_.scene.add(ground);
    label(block, r, ground.fill, note, whole, share, id, some > 0);
    if (points_at(c_.selection, array_, block)) pen_.outline(r.inset(-1), pen_.theme.selection, 2.5F);
  }

  void label(int64_t block, const Rect& r, Color ground, const std::string& note, int64_t whole,
             const std::vector<double>& share, int32_t id, bool held) {
    const std::string name = a_.block_name(block);
    const std::string copies = whole > 1 ? fmt::format(" ×{}", whole) : "";
    accessible(block, r, id, note, share);
    const float line = pen_.px(16);
    const bool tall = r.h >= 2 * line + pen_.px(8);
    const bool dots = r.h >= (note.empty() ? 1 : 2) * line + pen_.px(28) && r.w >= pen_.px(44) && held;
    float y = dots || (tall && !note.empty()) ? r.y + pen_.px(3) : r.y + (r.h - line) / 2;
    const float size = pen_.theme.demo ? 1.3F : 1;
    y = text_line(name + copies, {r.x, y, r.w, line}, ground, size, true) ||
                text_line(name, {r.x, y, r.w, line}, ground, 0.85F, true)
            ? y + line
            : y;
    if (!note.empty() && tall)
      y = text_line(note, {r.x, y, r.w, line}, ground, 1, false) ||
                  text_line(note, {r.x, y, r.w, line}, ground, 0.77F, false)
              ? y + line
              : y;
    if (dots)
      draw_holders({r.x + pen_.px(6), y + pen_.px(3), r.w - pen_.px(12), r.bottom() - y - pen_.px(9)}, share);
  }

  // Words on a plain ground, so that patterns do not run through them.
  bool text_line(const std::string& text, const Rect& line, Color ground, float size, bool bold) {
    const float width = pen_.width(text, size, bold) + pen_.px(6);
    if (width > line.w || line.h > box_.h) return false;
    pen_.rect({line.x + (line.w - width) / 2, line.y + 1, width, line.h - 2}, ground);
    pen_.text({line.x + line.w / 2, line.y + line.h / 2}, text,
              {text_on(pen_.theme, ground), size, Align::center, bold, false});
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
};

bool holds_pointed_block(const GridContext& c, int32_t device) {
  for (const ItemId* item : {&c.selection.hovered, &c.selection.selected}) {
    if (item->kind != ItemId::Kind::block || item->lane < 0 ||
        static_cast<size_t>(item->lane) >= c.arrays.size())
      continue;
    const BlockedArray& a = c.arrays[static_cast<size_t>(item->lane)];
    if (item->index < 0 || item->index >= a.block_count()) continue;
    if (cover(c.now.devices[static_cast<size_t>(device)], a.info->role, a.box(item->index)).area > 0)
      return true;
  }
  return false;
}

void draw_inset(Pen& pen, const GridContext& c, const Rect& area) {
  const Mesh& mesh = c.input.run.program.mesh;
  const MeshPlaces places = mesh_places(mesh);
  pen.text({area.x, area.y + pen.px(8)}, pen.elided("devices " + mesh.text(), area.w),
           {pen.theme.muted_text, 1, Align::left, false, false});
  const float top = area.y + pen.px(20);
  const float cw = std::min((area.w) / places.columns, pen.px(64));
  const float ch = std::min((area.bottom() - top) / places.rows, pen.px(30));
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    if (cw < 1 || ch < 1) break;
    const Point at = places.cells[static_cast<size_t>(d)];
    const float gap = cw > 6 && ch > 6 ? 2.0F : 0.0F;
    const Rect r{area.x + at.x * cw, top + at.y * ch, cw - gap, ch - gap};
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = d;
    const int32_t id = pen.id(item);
    const DeviceLook look = device_look(pen.theme, mesh, d);
    RectItem ground = look_rect(pen.theme, look, r, id);
    const std::string name = device_name(mesh, d);
    const bool named = pen.width(name) + pen.px(8) <= r.w && r.h >= pen.px(15);
    if (named) ground.pattern = Pattern::none;
    pen.scene.add(ground);
    if (named)
      pen.text({r.x + r.w / 2, r.y + r.h / 2}, name,
               {text_on(pen.theme, look.fill), 1, Align::center, false, false});
    if (c.device == d || holds_pointed_block(c, d)) pen.outline(r.inset(-1.5F), pen.theme.selection, 3);
    if (d < static_cast<int32_t>(kMostAccessible)) {
      pen.accessible(
          r, id,
          fmt::format("device {}, holds {} pieces", name, c.now.devices[static_cast<size_t>(d)].size()));
    }
  }
}

void draw_legend(Pen& pen, const GridContext& c, const Rect& area) {
  float y = area.y + pen.px(8);
  const auto row = [&](const RectItem& sample, const std::string& text) {
    if (y + pen.px(8) > area.bottom()) return;
    RectItem swatch = sample;
    swatch.rect = {area.x, y - pen.px(6), pen.px(18), pen.px(12)};
    pen.scene.add(swatch);
    pen.text({area.x + pen.px(26), y}, pen.elided(text, area.w - pen.px(26)),
             {pen.theme.text, 1, Align::left, false, false});
    y += pen.px(20);
  };
  RectItem owner;
  owner.fill = identity_color(pen.theme, 0, 8);
  row(owner, "colour and pattern: the device that owns the block by its sharding");
  RectItem partial;
  partial.fill = mixed(owner.fill, pen.theme.background, 0.55);
  partial.pattern = Pattern::stripes;
  partial.pattern_color = with_alpha(pen.theme.text, 0.5);
  row(partial, "partial sum: “2 of 4” parts of the contraction are summed");
  RectItem absent;
  absent.fill = pen.theme.panel;
  absent.border = pen.theme.rule;
  absent.border_width = 1;
  row(absent, "not computed yet");
  if (y + pen.px(8) <= area.bottom()) {
    pen.text({area.x, y},
             pen.elided("×2: two devices hold the whole block now; small squares: which ones", area.w),
             {pen.theme.text, 1, Align::left, false, false});
    y += pen.px(20);
  }
  if (!c.now.exact && y + pen.px(8) <= area.bottom()) {
    pen.text({area.x, y},
             pen.elided("≈ inputs and result only: this run is not followed step by step", area.w),
             {pen.theme.warning, 1, Align::left, false, false});
  }
}

}  // namespace

Scene layout_sharding_grid(const ViewInput& input, const GridViewport& viewport, const Selection& selection,
                           const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  GridContext c{
      input, viewport, selection, blocked_arrays(input.run.program), {}, 1, pointed_device(selection)};
  if (c.arrays.empty()) {
    pen.empty_state("The sharding grid shows who holds which block",
                    "This program does not say how its arrays are sharded.");
    return scene;
  }
  c.now = holdings_now(input, moment(input, selection));
  c.parts = contraction_parts(c.arrays);
  const float margin = pen.px(16);
  const MeshPlaces places = mesh_places(input.run.program.mesh);
  const float foot = std::clamp(pen.px(28) + places.rows * pen.px(30), pen.px(100),
                                std::max(pen.px(100), canvas.height * 0.3F));
  const bool with_foot = canvas.height > foot + pen.px(140);
  const Rect panels{margin, pen.px(8), canvas.width - 2 * margin,
                    canvas.height - (with_foot ? foot : 0) - pen.px(16)};
  pen.scene.push_clip({0, 0, canvas.width, panels.bottom() + pen.px(4)});
  const auto count = static_cast<float>(c.arrays.size());
  const float zoom = std::max(0.1F, viewport.zoom);
  const float slot = (panels.w * zoom - (count - 1) * margin * 1.5F) / count;
  for (size_t i = 0; i < c.arrays.size(); ++i) {
    const Rect r{panels.x + viewport.pan.x + static_cast<float>(i) * (slot + margin * 1.5F),
                 panels.y + viewport.pan.y, slot, panels.h * zoom};
    Panel(pen, c, static_cast<int>(i), r).draw();
  }
  pen.scene.pop_clip();
  if (with_foot) {
    const float top = canvas.height - foot;
    pen.line({margin, top - pen.px(4)}, {canvas.width - margin, top - pen.px(4)}, pen.theme.rule);
    const float left = std::min(canvas.width * 0.45F, std::max(pen.px(150), places.columns * pen.px(64)));
    draw_inset(pen, c, {margin, top, left, foot - pen.px(8)});
    draw_legend(
        pen, c,
        {margin + left + pen.px(32), top, canvas.width - left - 2 * margin - pen.px(32), foot - pen.px(4)});
  }
  return scene;
}

}  // namespace shardscope
