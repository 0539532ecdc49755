// SPDX-License-Identifier: Apache-2.0
#include "views/scene/module/layout_hlo.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/sharding/sharding_text.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/blocks.h"

namespace shardscope::inline views {
namespace {

constexpr int64_t kMostTiles = 4096;
constexpr int64_t kMostNamedDevices = 8;
constexpr int kCurvePoints = 16;

std::vector<Point> link_curve(Point a, Point b) {
  std::vector<Point> out;
  for (int k = 0; k <= kCurvePoints; ++k) {
    const float t = static_cast<float>(k) / kCurvePoints;
    const float eased = t * t * (3 - 2 * t);
    out.push_back({a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * eased});
  }
  return out;
}

// An array's tiles, row-major: where each stands and who holds it.
class TileTable {
 public:
  explicit TileTable(const ShardedArray& array) : array_(array), counts_(array.dims.size(), 1) {
    const std::optional<HloSharding>& s = array.sharding;
    tiled_ = array.holds == ShardedArray::Holds::whole && s && s->kind == HloSharding::Kind::tiled &&
             s->data_rank() == array.dims.size() && s->accepts(array.dims).ok();
    for (size_t d = 0; tiled_ && d < counts_.size(); ++d) counts_[d] = s->tiles.dims[d];
    for (const int64_t count : counts_) size_ *= count;
    if (tiled_) {
      tile_ = s->tile_shape(array.dims);
      holders_ = s->tiles.devices;
    } else if (array.holds == ShardedArray::Holds::whole && s && s->kind == HloSharding::Kind::maximal) {
      holders_ = {s->device};
    }
  }

  bool tiled() const { return tiled_; }
  int64_t size() const { return size_; }
  const std::vector<int64_t>& counts() const { return counts_; }                    // per dimension
  const std::vector<int64_t>& tile() const { return tile_; }                        // its extents
  int64_t copies() const { return static_cast<int64_t>(holders_.size()) / size_; }  // 0: every device
  int64_t holder(int64_t tile, int64_t copy) const {
    return holders_[static_cast<size_t>(tile * copies() + copy)];
  }

  std::string holder_text(int64_t tile) const {
    if (array_.holds == ShardedArray::Holds::own) return said("each device");
    if (copies() == 0) return said("every device");
    std::string out;
    for (int64_t k = 0; k < std::min(copies(), kMostNamedDevices); ++k)
      out += (k == 0 ? "" : ",") + std::to_string(holder(tile, k));
    return copies() > kMostNamedDevices ? out + fmt::format(",… ({})", copies()) : out;
  }
  std::string range_text(int64_t tile) const {
    if (array_.holds == ShardedArray::Holds::own) return said("its own part");
    if (!tiled_) return array_.dims.empty() ? said("the scalar") : said("all of it");
    std::vector<std::string> parts(counts_.size());
    for (size_t d = counts_.size(); d-- > 0;) {
      const int64_t start = std::min(tile % counts_[d] * tile_[d], array_.dims[d]);
      parts[d] = fmt::format("{}:{}", start, std::min(start + tile_[d], array_.dims[d]));
      tile /= counts_[d];
    }
    return "[" + join(parts, ", ") + "]";
  }

 private:
  const ShardedArray& array_;
  bool tiled_ = false;
  int64_t size_ = 1;
  std::vector<int64_t> counts_, tile_, holders_;
};

class TilePicture {
 public:
  TilePicture(const ShardedArray& array, const Selection& selection, const Canvas& canvas, Pen& pen)
      : array_(array), selection_(selection), pen_(pen), table_(array) {
    const float margin = pen.px(10);
    area_ = {margin, pen.px(46), canvas.width - 2 * margin, canvas.height - pen.px(46 + 26)};
    const std::vector<int64_t>& counts = table_.counts();
    columns_ = counts.empty() ? 1 : counts.back();
    rows_ = counts.size() < 2 ? 1 : counts[counts.size() - 2];
    planes_ = table_.size() / (columns_ * rows_);
  }

  void draw() {
    const float width = pen_.canvas.width - pen_.px(20);
    pen_.text({pen_.px(10), pen_.px(14)},
              pen_.elided(fmt::format("{}  {}[{}]", array_.name, array_.type, join(array_.dims, "×")), width,
                          1, Face::bold),
              {pen_.theme.text, 1, Align::left, Face::bold});
    pen_.text({pen_.px(10), pen_.px(32)}, pen_.elided(sharding_words(array_), width, 0.85F, Face::mono),
              {pen_.theme.muted_text, 0.85F, Align::left, Face::mono});
    const std::string below = summary();
    if (pen_.canvas.height > pen_.px(64))
      pen_.text({pen_.px(10), pen_.canvas.height - pen_.px(13)}, pen_.elided(below, width, 0.85F),
                {pen_.theme.muted_text, 0.85F, Align::left});
    if (area_.w < pen_.px(16) || area_.h < pen_.px(12)) return;
    if (table_.size() > kMostTiles) {
      pen_.text({area_.x, area_.y + area_.h / 2},
                pen_.elided(say("{} tiles: too many to draw", table_.size()), width),
                {pen_.theme.muted_text, 1, Align::left});
      return;
    }
    draw_planes();
  }

 private:
  std::string summary() const {
    const int64_t devices = array_.mesh.device_count();
    if (array_.holds == ShardedArray::Holds::own)
      return say("a different one on each of {}", counted(devices, "device"));
    if (array_.holds == ShardedArray::Holds::same)
      return say("the same on each of {}", counted(devices, "device"));
    if (!table_.tiled())
      return table_.copies() == 1 ? said("on one device") : say("whole on each of {} devices", devices);
    std::string out = say("{} of {}", counted(table_.size(), "tile"), join(table_.tile(), "×"));
    if (table_.copies() > 1) out += say(", {} copies of each", table_.copies());
    return out;
  }

  void draw_planes() {
    const auto across = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(planes_))));
    const int64_t down = (planes_ + across - 1) / across;
    const float gap = pen_.px(8);
    const float w = (area_.w - gap * static_cast<float>(across - 1)) / static_cast<float>(across);
    const float h = (area_.h - gap * static_cast<float>(down - 1)) / static_cast<float>(down);
    // Tiles near the shape of the text that they hold, not as wide as the canvas.
    const float cell_w = std::min(w / static_cast<float>(columns_), pen_.px(150));
    const float cell_h = std::min(h / static_cast<float>(rows_), pen_.px(56));
    for (int64_t plane = 0; plane < planes_; ++plane) {
      const Rect at{
          area_.x + static_cast<float>(plane % across) * (cell_w * static_cast<float>(columns_) + gap),
          area_.y + static_cast<float>(plane / across) * (cell_h * static_cast<float>(rows_) + gap), cell_w,
          cell_h};
      for (int64_t k = 0; k < rows_ * columns_; ++k) {
        const Rect cell{at.x + cell_w * static_cast<float>(k % columns_),
                        at.y + cell_h * static_cast<float>(k / columns_), cell_w, cell_h};
        draw_tile(plane * rows_ * columns_ + k, cell);
      }
    }
  }

  void draw_tile(int64_t tile, const Rect& cell) {
    const ItemId item{ItemId::Kind::block, -1, -1, -1, -1, static_cast<int32_t>(tile)};
    const int32_t id = pen_.id(item);
    const int64_t who = table_.copies() == 0 ? -1 : table_.holder(tile, 0);
    const Rect inner = cell.w > pen_.px(4) && cell.h > pen_.px(4) ? cell.inset(0.5F) : cell;
    Color ink = pen_.theme.text;
    if (who < 0 || who >= array_.mesh.device_count()) {
      pen_.rect(inner, pen_.theme.compute, id);
      ink = text_on(pen_.theme, pen_.theme.compute);
    } else {
      const DeviceLook look = device_look(pen_.theme, array_.mesh, static_cast<int32_t>(who));
      pen_.scene.add(look_rect(pen_.theme, look, inner, id));
      ink = text_on(pen_.theme, look.fill);
    }
    if (selection_.hovered == item) pen_.outline(inner, pen_.theme.hover, pen_.px(2), id);
    const std::string text = table_.holder_text(tile);
    if (!pen_.text_in(inner, text, {ink, 0.85F, Align::center}) && table_.copies() > 1)
      pen_.text_in(inner, fmt::format("{}…", who), {ink, 0.85F, Align::center});
    pen_.accessible(cell, id, say("{} on {}", table_.range_text(tile), text));
  }

  const ShardedArray& array_;
  const Selection& selection_;
  Pen& pen_;
  TileTable table_;
  Rect area_;
  int64_t columns_ = 1, rows_ = 1, planes_ = 1;
};

}  // namespace

Scene layout_line_links(const std::vector<LineLink>& links, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const float edge = pen.px(3);
  const auto inside = [&](float y) { return std::clamp(y, edge, std::max(edge, canvas.height - edge)); };
  const auto draw = [&](size_t k) {
    const LineLink& link = links[k];
    const int32_t id = pen.id({ItemId::Kind::link, -1, -1, -1, -1, static_cast<int32_t>(k)});
    LineItem line;
    line.points = link_curve({0, link.chosen ? inside(link.left_y) : link.left_y},
                             {canvas.width, link.chosen ? inside(link.right_y) : link.right_y});
    line.color = link.chosen ? pen.theme.selection : pen.theme.rule;
    line.width = pen.px(link.chosen ? 2 : 1);
    line.id = id;
    scene.add(std::move(line));
    if (!link.chosen) return;
    for (const auto& [x, y] : {std::pair{edge, link.left_y}, std::pair{canvas.width - edge, link.right_y}}) {
      if (inside(y) == y) scene.add(CircleItem{{x, y}, edge, pen.theme.selection, {0, 0, 0, 0}, 0, id});
    }
    pen.accessible({0, inside(std::min(link.left_y, link.right_y)), canvas.width, 2 * edge}, id, link.words);
  };
  for (size_t k = 0; k < links.size(); ++k)
    if (!links[k].chosen) draw(k);
  for (size_t k = 0; k < links.size(); ++k)
    if (links[k].chosen) draw(k);
  return scene;
}

Scene layout_tiles(const ShardedArray& array, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  TilePicture(array, selection, canvas, pen).draw();
  return scene;
}

std::vector<std::string> describe_tile(const ShardedArray& array, int64_t tile) {
  const TileTable table(array);
  if (tile < 0 || tile >= table.size()) return {};
  return {array.name + table.range_text(tile), said("on ") + table.holder_text(tile)};
}

std::string sharding_words(const ShardedArray& array) {
  if (array.holds == ShardedArray::Holds::own) return said("already partitioned: one device's part");
  if (array.holds == ShardedArray::Holds::same) return said("already partitioned: every device has the same");
  if (!array.sharding) return said("no sharding: replicated");
  return sharding_text(*array.sharding, array.mesh, array.dims.size()) + said(" on ") + array.mesh.text();
}

}  // namespace shardscope::inline views
