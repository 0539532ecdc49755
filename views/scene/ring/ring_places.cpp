// SPDX-License-Identifier: Apache-2.0
#include "views/scene/ring/ring_places.h"

#include <algorithm>
#include <cmath>

namespace shardscope::inline views {

namespace {

constexpr int64_t kAlwaysReadable = 16;  // devices that keep their words however small the view is
constexpr float kAir = 4;                // pixels round a chip between two boxes
constexpr float kLeastDot = 9;           // pixels of a cell
constexpr float kStubTravel = 8;         // what a chip moves at either end of a link

// Also of a run whose chip has no links that could be timed.
Fabric fabric_of(const Run& run) {
  Result<Fabric> fabric = Fabric::make(run.program.mesh, run.hardware, run.experiment.overrides);
  return fabric.ok() ? *std::move(fabric) : torus_of(run.program.mesh);
}

bool ring_closes(const Mesh& mesh, const Fabric& fabric, int axis) {
  return axis >= 0 && closes(mesh.axis_size(axis), fabric.axis_wraps(axis));
}

// A wrap link leaves its box by a head and a chip and turns; half a gap of that is the outer cell's own.
float beyond_cell(float head_and_chip, float gap) {
  return std::max(4.0F, head_and_chip + 20 - gap / 2);
}

}  // namespace

RingPlaces::RingPlaces(const Run& run, const RingFrame& frame, const Pen& pen)
    : mesh_(run.program.mesh), fabric_(fabric_of(run)), area_(frame.area), chip_(frame.chip) {
  const Point gap{ends_.head + chip_.x + kAir, ends_.head + chip_.y + kAir};
  plan_ = plan_ring(mesh_, fabric_,
                    {frame.area.w / (frame.least_box.x + gap.x), frame.area.h / (frame.least_box.y + gap.y)});
  if (plan_.form == RingShape::grid) {
    ends_.beside_columns = ring_closes(mesh_, fabric_, plan_.down) ? kTrack : 0;
    ends_.above_rows = ring_closes(mesh_, fabric_, plan_.across) ? kTrack : 0;
  }
  centers_.resize(static_cast<size_t>(mesh_.device_count()));
  if (pen.theme.presented()) {
    box_share_ = 0.8F;
    const Margins m = margins(chip_.x);
    const Point least = least_cell(frame.least_box);
    stubs_ = plan_.form == RingShape::grid && (least.x * plan_.columns > area_.w - m.left - m.right ||
                                               least.y * plan_.rows > area_.h - m.top - m.bottom);
    if (stubs_) ends_.beside_columns = ends_.above_rows = 0;
  }
  place(frame, pen);
}

RingPlaces::Margins RingPlaces::margins(float wide_chip) const {
  Margins out;
  if (plan_.form != RingShape::grid && plan_.form != RingShape::slabs && plan_.form != RingShape::planes)
    return out;
  const bool round = ring_closes(mesh_, fabric_, plan_.depth) || plan_.form == RingShape::planes;
  if (stubs_) {
    const auto stub = [&](float chip, float gap) {
      return std::max(0.0F, ends_.head + chip + kStubTravel - gap / 2);
    };
    const Point gap = least_gap();
    if (ring_closes(mesh_, fabric_, plan_.across)) out.left = out.right = 4 + stub(chip_.x, gap.x);
    if (ring_closes(mesh_, fabric_, plan_.down)) out.top = out.bottom = 4 + stub(chip_.y, gap.y);
    return out;
  }
  if (ring_closes(mesh_, fabric_, plan_.across) || round) {
    const float room = overview_ ? 8 : beyond_cell(ends_.head + wide_chip, least_gap().x);
    out.left += room;
    out.right += room;
  }
  if (ring_closes(mesh_, fabric_, plan_.down) || round) {
    const float room = overview_ ? 8 : beyond_cell(ends_.head + chip_.y, least_gap().y);
    out.top += room;
    out.bottom += room;
  }
  out.left += ends_.beside_columns;
  out.top += ends_.above_rows;
  return out;
}

Point RingPlaces::least_gap() const {
  const auto with = [&](float chip, float track) {
    return ends_.head + chip + kAir + (track > 0 ? track + ends_.head : 0);
  };
  return {with(chip_.x, ends_.beside_columns), with(chip_.y, ends_.above_rows)};
}

Point RingPlaces::least_cell(Point box) const {
  const Point gap = least_gap();
  if (plan_.form != RingShape::slabs)
    return {std::max(box.x + gap.x, 2 * chip_.x + 10 + ends_.beside_columns), box.y + gap.y};
  const auto deep = static_cast<float>(plan_.slabs);
  return {std::max(box.x + chip_.x + 8, (box.x + gap.x) / deep),
          std::max(box.y + chip_.y + 10, (box.y + gap.y) / deep)};
}

void RingPlaces::place(const RingFrame& frame, const Pen& pen) {
  const auto inside = [&](float chip) {
    const Margins m = margins(chip);
    return Rect{area_.x + m.left, area_.y + m.top, std::max(1.0F, area_.w - m.left - m.right),
                std::max(1.0F, area_.h - m.top - m.bottom)};
  };
  const Point least = least_cell(frame.least_box);
  Rect inner = inside(frame.wide_chip);
  if (inner.w < least.x * plan_.columns) inner = inside(chip_.x);
  const bool readable = mesh_.device_count() <= kAlwaysReadable ||
                        (least.x * plan_.columns <= 2 * inner.w && least.y * plan_.rows <= 2 * inner.h);
  overview_ = !readable && frame.zoom <= 1;
  if (overview_) inner = inside(chip_.x);
  const Point fit{inner.w / plan_.columns, inner.h / plan_.rows};
  Point base{std::clamp(fit.x, readable ? least.x : kLeastDot, std::max(least.x, pen.px(260))),
             std::clamp(fit.y, readable ? least.y : kLeastDot, std::max(least.y, pen.px(180)))};
  const float zoom = std::max(0.1F, frame.zoom);
  cell_ = {base.x * zoom, base.y * zoom};
  overview_ = cell_.x < least.x * 0.98F || cell_.y < least.y * 0.98F;
  if (overview_)
    size_dots();
  else
    size_boxes(frame, pen);
  // A picture that fits stands in the middle; a larger one begins at its upper left corner.
  const Point origin{inner.x + std::max(0.0F, (inner.w - base.x * plan_.columns) / 2),
                     inner.y + std::max(0.0F, (inner.h - base.y * plan_.rows) / 2)};
  const Point start{area_.x + (origin.x - area_.x) * zoom + frame.pan.x,
                    area_.y + (origin.y - area_.y) * zoom + frame.pan.y};
  for (int64_t d = 0; d < mesh_.device_count(); ++d) {
    const Point at = plan_.cells[static_cast<size_t>(mesh_.chip_of(DeviceId(d)))];
    centers_[static_cast<size_t>(d)] = {start.x + at.x * cell_.x, start.y + at.y * cell_.y};
  }
}

void RingPlaces::size_boxes(const RingFrame& frame, const Pen& pen) {
  const Point most{pen.px(150), pen.px(104)};
  const Point least_box = frame.least_box, least = least_cell(least_box);
  const Point gap = least_gap();
  const auto deep = static_cast<float>(plan_.form == RingShape::slabs ? plan_.slabs : 1);
  Point box{least_box.x + box_share_ * (cell_.x - least.x), least_box.y + box_share_ * (cell_.y - least.y)};
  box = {std::min({box.x, most.x, deep * cell_.x - gap.x}),
         std::min({box.y, most.y, deep * cell_.y - gap.y})};
  half_ = {box.x / 2, box.y / 2};
  gap_ = {deep * cell_.x - box.x, deep * cell_.y - box.y};
  float room = gap_.x - gap.x + chip_.x;
  if (deep > 1) room = std::min(room, cell_.x - box.x - 8);
  if (plan_.form != RingShape::line)
    room = std::min({room, (cell_.x - 10 - ends_.beside_columns) / 2, box.x - 15});
  chip_.x = std::clamp(frame.wide_chip, chip_.x, std::max(chip_.x, room));
}

// Boxes that are neither high nor wide strips.
void RingPlaces::size_dots() {
  const float high = std::min(cell_.y, cell_.x * 1.2F) * 0.56F;
  const float wide = std::min(cell_.x * 0.56F, 2 * high);
  half_ = {wide / 2, high / 2};
  const auto deep = static_cast<float>(plan_.form == RingShape::slabs ? plan_.slabs : 1);
  gap_ = {deep * cell_.x - wide, deep * cell_.y - high};
  const float dot = std::clamp(std::min(gap_.x, gap_.y) * 0.4F, 2.5F, 9.0F);
  chip_ = {dot, dot};
  ends_ = {0, 0, 0};
}

Rect RingPlaces::box(int32_t device) const {
  const Point c = center(device);
  return {c.x - half_.x, c.y - half_.y, 2 * half_.x, 2 * half_.y};
}

RingPlaces::InSight RingPlaces::in_sight() const {
  const auto inside = [&](Point c, const Margins& with) {
    return c.x - half_.x - with.left >= area_.x - 1 && c.x + half_.x + with.right <= area_.right() + 1 &&
           c.y - half_.y - with.top >= area_.y - 1 && c.y + half_.y + with.bottom <= area_.bottom() + 1;
  };
  const Margins m = margins(chip_.x);
  const Point gap = least_gap();
  // From a box, not from its cell, less what of the border around the view is free for lines; where no wrap
  // link passes nothing is beside a box.
  const auto beside = [](float margin, float between) {
    return margin > Margins{}.left ? margin + between / 2 - 15 : 0;
  };
  const Margins around{beside(m.left, gap.x), beside(m.right, gap.x), beside(m.top, gap.y),
                       beside(m.bottom, gap.y)};
  InSight out{0, true};
  for (const Point c : centers_) {
    out.devices += inside(c, {0, 0, 0, 0}) ? 1 : 0;
    out.links = out.links && inside(c, around);
  }
  return out;
}

float RingPlaces::beside() const {
  return half_.y + ends_.head - 4;
}

float RingPlaces::room(bool left) const {
  return half_.x + (left && ends_.beside_columns > 0 ? ends_.head - 2 : gap_.x / 2 - 2);
}

}  // namespace shardscope::inline views
