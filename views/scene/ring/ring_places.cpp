// SPDX-License-Identifier: Apache-2.0
#include "views/scene/ring/ring_places.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "views/scene/story/blocks.h"

namespace shardscope {

namespace {

// Also of a run whose chip has no links that could be timed.
Fabric fabric_of(const Run& run) {
  Result<Fabric> fabric = Fabric::make(run.program.mesh, run.hardware, run.experiment.overrides);
  return fabric.ok() ? *std::move(fabric) : torus_of(run.program.mesh);
}

}  // namespace

RingPlaces::RingPlaces(const Run& run, const Rect& area, const Pen& pen)
    : mesh_(run.program.mesh), fabric_(fabric_of(run)) {
  const Mesh& mesh = mesh_;
  const auto devices = static_cast<size_t>(mesh.device_count());
  centers_.resize(devices);
  device_at_.resize(devices);
  for (size_t d = 0; d < devices; ++d)
    device_at_[static_cast<size_t>(mesh.chip_of(DeviceId(static_cast<int64_t>(d))))] =
        static_cast<int32_t>(d);
  bool rings = false;
  for (int axis = 0; axis < mesh.rank(); ++axis) {
    if (!closes(mesh.axis_size(axis), fabric_.axis_wraps(axis))) continue;
    rings = true;
    circle_ = circle_ || (devices <= 32 && mesh.axis_size(axis) == mesh.device_count());
  }
  const Point most{pen.px(62), pen.px(36)};
  if (circle_) {
    place_on_circle(area, pen, most);
  } else {
    place_on_grid(area, pen, most, rings);
  }
}

// One axis that wraps is drawn as the ring it is, whatever axes of size 1 there are besides.
void RingPlaces::place_on_circle(const Rect& area, const Pen& pen, Point most) {
  const size_t devices = centers_.size();
  const auto n = static_cast<float>(devices);
  const Point middle{area.x + area.w / 2, area.y + area.h / 2};
  // Neighbours are closest side by side at the top and above each other at the sides.
  const float turn = 2 * static_cast<float>(std::numbers::pi) / n;
  const float apart = std::sin(std::min(turn, static_cast<float>(std::numbers::pi) / 2));
  half_.x = std::clamp((area.w * 0.42F * apart - pen.px(40)) / 2, pen.px(5), most.x);
  half_.y = std::clamp((area.h * 0.42F * apart - pen.px(34)) / 2, pen.px(4), most.y);
  const Point radius{std::max(1.0F, area.w / 2 - half_.x - pen.px(12)),
                     std::max(1.0F, area.h / 2 - half_.y - pen.px(6))};
  const float rx = std::min(radius.x, radius.y * 2.2F);
  for (size_t place = 0; place < devices; ++place) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(place) / static_cast<double>(devices) -
                         std::numbers::pi / 2;
    centers_[static_cast<size_t>(device_at_[place])] = {
        middle.x + rx * static_cast<float>(std::cos(angle)),
        middle.y + radius.y * static_cast<float>(std::sin(angle))};
  }
  gap_ = {std::max(1.0F, rx * apart - 2 * half_.x), std::max(1.0F, radius.y * apart - 2 * half_.y)};
  chunk_ = std::clamp(std::min(half_.y * 0.6F, std::min(gap_.x, gap_.y) * 0.3F), 0.0F, pen.px(11));
  crowded_ = half_.x < pen.px(12);
}

void RingPlaces::place_on_grid(const Rect& area, const Pen& pen, Point most, bool rings) {
  const size_t devices = centers_.size();
  const MeshPlaces places = mesh_places(mesh_);
  // Room for the arches of wrap links above the first row and left of the first column.
  const float margin = rings ? pen.px(30) : pen.px(4);
  const Rect inner{area.x + margin, area.y + margin, std::max(1.0F, area.w - margin - pen.px(8)),
                   std::max(1.0F, area.h - margin)};
  const float cell_w = std::min(std::max(1.0F, inner.w / places.columns), pen.px(240));
  const float cell_h = std::min(std::max(1.0F, inner.h / places.rows), pen.px(150));
  crowded_ = cell_w < pen.px(40) || cell_h < pen.px(26);
  half_ = {std::clamp((cell_w - pen.px(62)) / 2, cell_w * 0.29F, most.x),
           std::clamp((cell_h - pen.px(46)) / 2, cell_h * 0.26F, most.y)};
  half_ = {std::min(half_.x, cell_w * 0.36F), std::min(half_.y, cell_h * 0.36F)};
  gap_ = {cell_w - 2 * half_.x, cell_h - 2 * half_.y};
  const float tightest = std::min(places.columns > 1 ? gap_.x : gap_.y, places.rows > 1 ? gap_.y : gap_.x);
  chunk_ = std::clamp(std::min(std::min(half_.x, half_.y) * 0.36F, tightest * 0.21F), 0.0F, pen.px(11));
  bulge_ = rings ? std::min(pen.px(22), tightest * 0.46F) : 0;
  const float left = inner.x + (inner.w - cell_w * places.columns) / 2;
  const float top = inner.y + (inner.h - cell_h * places.rows) / 2;
  for (size_t place = 0; place < devices; ++place) {
    centers_[static_cast<size_t>(device_at_[place])] = {left + (places.cells[place].x + 0.5F) * cell_w,
                                                        top + (places.cells[place].y + 0.5F) * cell_h};
  }
}

Rect RingPlaces::box(int32_t device) const {
  const Point c = center(device);
  return {c.x - half_.x, c.y - half_.y, 2 * half_.x, 2 * half_.y};
}

bool RingPlaces::curved(int32_t from, int32_t to, int axis) const {
  if (circle_ || axis < 0) return false;
  const int64_t size = mesh_.axis_size(axis);
  const int64_t a = mesh_.chip_of(DeviceId(from)) / mesh_.stride(axis) % size;
  const int64_t b = mesh_.chip_of(DeviceId(to)) / mesh_.stride(axis) % size;
  return size > 2 && std::abs(a - b) == size - 1;
}

std::vector<Point> RingPlaces::way(int32_t from, int32_t to, int axis, float side) const {
  const Point a = center(from);
  const Point b = center(to);
  const float length = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
  const Point u{(b.x - a.x) / length, (b.y - a.y) / length};
  const Point normal{-u.y, u.x};
  if (curved(from, to, axis)) {
    // Out of the side of the row or column, round and back in.
    const bool across = std::abs(u.x) > std::abs(u.y);
    const float away = bulge_ + (from < to ? side : -side);
    const Point start = across ? Point{a.x, a.y - half_.y} : Point{a.x - half_.x, a.y};
    const Point end = across ? Point{b.x, b.y - half_.y} : Point{b.x - half_.x, b.y};
    std::vector<Point> points;
    constexpr int kParts = 24;
    for (int i = 0; i <= kParts; ++i) {
      const float t = static_cast<float>(i) / kParts;
      // A flat arch: it rises in the first and last quarter.
      const float lift =
          away * std::pow(std::max(0.0F, std::sin(static_cast<float>(std::numbers::pi) * t)), 0.4F);
      const Point p{start.x + (end.x - start.x) * t, start.y + (end.y - start.y) * t};
      points.push_back(across ? Point{p.x, p.y - lift} : Point{p.x - lift, p.y});
    }
    return points;
  }
  // From border to border of the two boxes.
  const float cut = 1.0F / std::max({std::abs(u.x) / half_.x, std::abs(u.y) / half_.y, 1e-6F});
  const float trimmed = std::min(cut + 1, length / 2 - 1);
  return {{a.x + u.x * trimmed + normal.x * side, a.y + u.y * trimmed + normal.y * side},
          {b.x - u.x * trimmed + normal.x * side, b.y - u.y * trimmed + normal.y * side}};
}

Point along(const std::vector<Point>& way, double part) {
  if (way.empty()) return {};
  float whole = 0;
  for (size_t i = 1; i < way.size(); ++i)
    whole += std::hypot(way[i].x - way[i - 1].x, way[i].y - way[i - 1].y);
  float left = whole * static_cast<float>(std::clamp(part, 0.0, 1.0));
  for (size_t i = 1; i < way.size(); ++i) {
    const float piece = std::hypot(way[i].x - way[i - 1].x, way[i].y - way[i - 1].y);
    if (left <= piece && piece > 0) {
      const float t = left / piece;
      return {way[i - 1].x + (way[i].x - way[i - 1].x) * t, way[i - 1].y + (way[i].y - way[i - 1].y) * t};
    }
    left -= piece;
  }
  return way.back();
}

}  // namespace shardscope
