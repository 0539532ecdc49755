// SPDX-License-Identifier: Apache-2.0
// The ways of links between the boxes of the ring view.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "views/scene/ring/ring_places.h"

namespace shardscope::inline views {
namespace {

constexpr float kBend = 10;   // radius of a wrap link's turns
constexpr float kNested = 3;  // a lane of a wrap link from its middle
constexpr float kTravel = 8;  // what a chip moves at either end of a wrap link

Point moved(Point p, Point u, float by) {
  return {p.x + u.x * by, p.y + u.y * by};
}

// A quarter of a circle round `middle` that begins where `from` points and ends where `to` does.
void add_turn(std::vector<Point>& line, Point middle, Point from, Point to) {
  constexpr int kParts = 8;
  for (int i = 0; i <= kParts; ++i) {
    const float angle = static_cast<float>(std::numbers::pi) / 2 * static_cast<float>(i) / kParts;
    const float a = std::cos(angle) * kBend;
    const float b = std::sin(angle) * kBend;
    line.push_back({middle.x + from.x * a + to.x * b, middle.y + from.y * a + to.y * b});
  }
}

Point between(const std::pair<Point, Point>& run, double part) {
  const auto t = static_cast<float>(std::clamp(part, 0.0, 1.0));
  return {run.first.x + (run.second.x - run.first.x) * t, run.first.y + (run.second.y - run.first.y) * t};
}

// Of a chip along a direction.
float half_extent(Point chip, Point u) {
  return (std::abs(u.x) * chip.x + std::abs(u.y) * chip.y) / 2;
}

}  // namespace

Point RingWay::at(double part) const {
  if (runs.empty()) return {};
  if (runs.size() == 1) return between(runs[0], part);
  return part < 0.5 ? between(runs[0], 2 * part) : between(runs[1], 2 * part - 1);
}

float RingPlaces::border(Point u) const {
  return 1.0F / std::max({std::abs(u.x) / half_.x, std::abs(u.y) / half_.y, 1e-6F});
}

// So far to its right-hand side that chips of both directions pass each other.
Point RingPlaces::lane_offset(Point u, Lane lane) const {
  if (lane == Lane::middle) return {0, 0};
  const Point normal{-u.y, u.x};
  const float off = std::min(chip_.x / std::max(1e-3F, 2 * std::abs(normal.x)),
                             chip_.y / std::max(1e-3F, 2 * std::abs(normal.y))) +
                    1.5F;
  return {normal.x * off, normal.y * off};
}

bool RingPlaces::wraps_round(int32_t from, int32_t to, int axis) const {
  if (axis < 0 || plan_.form == RingShape::loop || plan_.form == RingShape::ellipse) return false;
  const int64_t size = mesh_.axis_size(axis);
  const int64_t a = mesh_.chip_of(DeviceId(from)) / mesh_.stride(axis) % size;
  const int64_t b = mesh_.chip_of(DeviceId(to)) / mesh_.stride(axis) % size;
  return size > 2 && std::abs(a - b) == size - 1;
}

int RingPlaces::direction(int32_t from, int32_t to, int axis) const {
  const int64_t size = mesh_.axis_size(axis);
  const int64_t a = mesh_.chip_of(DeviceId(from)) / mesh_.stride(axis) % size;
  const int64_t b = mesh_.chip_of(DeviceId(to)) / mesh_.stride(axis) % size;
  return (b > a) == wraps_round(from, to, axis) ? -1 : 1;
}

RingWay RingPlaces::way(int32_t from, int32_t to, int axis, Lane lane) const {
  const bool far = plan_.form == RingShape::planes && axis >= 0 && axis != plan_.across && axis != plan_.down;
  if (!far && !wraps_round(from, to, axis)) return straight(from, to, lane);
  if (overview_ || stubs_ || plan_.form != RingShape::grid) return stubs(from, to, axis, lane);
  return curve(from, to, axis, lane);
}

RingWay RingPlaces::straight(int32_t from, int32_t to, Lane lane) const {
  const Point a = center(from);
  const Point b = center(to);
  const float length = std::max(1.0F, std::hypot(b.x - a.x, b.y - a.y));
  const Point u{(b.x - a.x) / length, (b.y - a.y) / length};
  const Point off = lane_offset(u, lane);
  const float cut = std::min(border(u) + 1, length / 2 - 0.5F);
  const auto at = [&](float distance) {
    const Point p = moved(a, u, distance);
    return Point{p.x + off.x, p.y + off.y};
  };
  // Wrap links of columns pass left of the right box, those of rows above the lower one.
  const float track = std::abs(u.x) > 0.99F   ? ends_.beside_columns
                      : std::abs(u.y) > 0.99F ? ends_.above_rows
                                              : 0;
  const bool at_end = std::abs(u.x) > std::abs(u.y) ? u.x > 0 : u.y > 0;
  const float extent = half_extent(chip_, u);
  float first = cut + extent + (track > 0 && !at_end ? ends_.head + track : 2);
  float last = length - cut - extent - ends_.head - (track > 0 && at_end ? track : 0);
  if (first > last) first = last = (first + last) / 2;
  return {{{at(cut), at(length - cut)}}, {{at(first), at(last)}}};
}

// Of a link that leads round a whole row of devices: its two ends, out of one box and into the other.
RingWay RingPlaces::stubs(int32_t from, int32_t to, int axis, Lane lane) const {
  const auto sign = static_cast<float>(direction(from, to, axis));
  Point u{0.6F * sign, -0.8F * sign};
  if (axis == plan_.across) u = {sign, 0};
  if (axis == plan_.down) u = {0, sign};
  if (axis == plan_.depth) {
    const float length = std::hypot(cell_.x, cell_.y);
    u = {sign * cell_.x / length, -sign * cell_.y / length};
  }
  const Point off = lane_offset(u, lane);
  const Point a{center(from).x + off.x, center(from).y + off.y};
  const Point b{center(to).x + off.x, center(to).y + off.y};
  const float cut = border(u) + 1;
  const float extent = half_extent(chip_, u);
  const float length = std::min(ends_.head + 2 * extent + kTravel,
                                overview_ ? std::max(3.0F, std::min(gap_.x, gap_.y) * 0.4F) : 1e6F);
  const auto back = [](float distance) { return -distance; };
  return {{{moved(a, u, cut), moved(a, u, cut + length)},
           {moved(b, u, back(cut + length)), moved(b, u, back(cut))}},
          {{moved(a, u, cut + extent + 2), moved(a, u, cut + extent + kTravel)},
           {moved(b, u, back(cut + ends_.head + extent + kTravel)),
            moved(b, u, back(cut + ends_.head + extent))}}};
}

// Out of the last box, round all the others and into the first: one smooth line, in the room between rows (or
// columns) that is kept free for it. The lanes of both directions nest.
RingWay RingPlaces::curve(int32_t from, int32_t to, int axis, Lane lane) const {
  const bool up = direction(from, to, axis) > 0;
  const bool across = axis == plan_.across;
  const Rect high = box(up ? from : to);  // of the higher coordinate: the right one, the lower one
  const Rect low = box(up ? to : from);
  // As if it ran to the right and back above; columns are the same with x and y exchanged.
  const auto turned = [&](Point p) { return across ? p : Point{p.y, p.x}; };
  const Point chip = turned(chip_);
  const float nest = lane == Lane::middle ? 0 : up == across ? 1.0F : -1.0F;
  const Point near = turned({high.right(), high.bottom()});
  const Point far = turned({low.x, low.y});
  const Point middle = turned(center(from));
  const float passing = across ? ends_.beside_columns : ends_.above_rows;
  const float y = middle.y + (nest == 0 ? 0 : nest * (chip.y / 2 + 1.5F));
  const float right = near.x + ends_.head + chip.x + kTravel + kNested * nest;
  const float left = far.x - ends_.head - passing - chip.x - kTravel - kNested * nest;
  const float top = turned({high.x, high.y}).y - ends_.head - kTrack / 2 - kNested * nest;
  std::vector<Point> line{{near.x + 1, y}};
  add_turn(line, {right, y - kBend}, {0, 1}, {1, 0});
  add_turn(line, {right, top + kBend}, {1, 0}, {0, -1});
  add_turn(line, {left, top + kBend}, {0, -1}, {-1, 0});
  add_turn(line, {left, y - kBend}, {-1, 0}, {0, 1});
  line.push_back({far.x - 1, y});
  for (Point& p : line) p = turned(p);
  const float half = chip.x / 2;
  const float exit_first = near.x + half + (up ? 2 : ends_.head);
  const float entry_last = far.x - half - ends_.head - passing;
  std::pair<Point, Point> outside{turned({exit_first, y}), turned({right - half, y})};
  std::pair<Point, Point> inside{turned({left + half, y}), turned({entry_last, y})};
  if (up) return {{line}, {outside, inside}};
  std::reverse(line.begin(), line.end());
  return {{line}, {{inside.second, inside.first}, {outside.second, outside.first}}};
}

}  // namespace shardscope::inline views
