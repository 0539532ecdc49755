// SPDX-License-Identifier: Apache-2.0
#include "views/scene/ring/ring_plan.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shardscope::inline views {
namespace {

constexpr int64_t kMostOnEllipse = 32;

void stand_in_line(int64_t n, RingPlan& plan) {
  plan.columns = static_cast<float>(n);
  for (int64_t i = 0; i < n; ++i) plan.cells.push_back({static_cast<float>(i) + 0.5F, 0.5F});
}

// Clockwise round a rectangle of the proportions of the room; an odd number has one less in its lower row.
void stand_in_loop(int64_t n, Point fits, RingPlan& plan) {
  int64_t columns = (n + 1) / 2;
  int64_t rows = 2;
  const auto room = [&](int64_t c, int64_t r) {
    return std::min(fits.x / static_cast<float>(c), fits.y / static_cast<float>(r));
  };
  for (int64_t r = 3; n % 2 == 0 && n / 2 + 2 - r >= 2; ++r) {
    const int64_t c = n / 2 + 2 - r;
    if (room(c, r) > room(columns, rows) * 1.05F) columns = c, rows = r;
  }
  plan.columns = static_cast<float>(columns);
  plan.rows = static_cast<float>(rows);
  const auto add = [&](double x, double y) {
    plan.cells.push_back({static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F});
  };
  const auto last_column = static_cast<double>(columns - 1);
  const auto last_row = static_cast<double>(rows - 1);
  for (int64_t c = 0; c < columns; ++c) add(static_cast<double>(c), 0);
  for (int64_t r = 1; r + 1 < rows; ++r) add(last_column, static_cast<double>(r));
  const int64_t below = n % 2 == 0 ? columns : columns - 1;
  for (int64_t c = 0; c < below; ++c) {
    const double part = below > 1 ? static_cast<double>(c) / static_cast<double>(below - 1) : 0.5;
    add(last_column * (1 - part), last_row);
  }
  for (int64_t r = rows - 2; r >= 1; --r) add(0, static_cast<double>(r));
}

void stand_on_ellipse(int64_t n, RingPlan& plan) {
  const double wide = std::max(2.0, static_cast<double>(n) / std::numbers::pi + 1);
  plan.columns = static_cast<float>(wide);
  plan.rows = plan.columns;
  for (int64_t i = 0; i < n; ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n) - std::numbers::pi / 2;
    plan.cells.push_back({static_cast<float>((wide + (wide - 1) * std::cos(angle)) / 2),
                          static_cast<float>((wide + (wide - 1) * std::sin(angle)) / 2)});
  }
}

int64_t place_on(const Mesh& mesh, int64_t place, int axis) {
  return axis < 0 ? 0 : place / mesh.stride(axis) % mesh.axis_size(axis);
}

void stand_in_slabs(const Mesh& mesh, RingPlan& plan) {
  const int64_t deep = plan.slabs;
  plan.columns = static_cast<float>(mesh.axis_size(plan.across) * deep);
  plan.rows = static_cast<float>(mesh.axis_size(plan.down) * deep);
  for (int64_t place = 0; place < mesh.device_count(); ++place) {
    const int64_t slab = place_on(mesh, place, plan.depth);
    plan.cells.push_back({static_cast<float>(place_on(mesh, place, plan.across) * deep + slab) + 0.5F,
                          static_cast<float>((place_on(mesh, place, plan.down) + 1) * deep - slab) - 0.5F});
  }
}

// One plane, or several side by side with half a cell between them.
void stand_in_planes(const Mesh& mesh, RingPlan& plan) {
  const int64_t columns = mesh.axis_size(plan.across);
  const int64_t rows = mesh.axis_size(plan.down);
  const int64_t planes = mesh.device_count() / (columns * rows);
  int64_t side = 1;
  while (side * side * columns < planes * rows) ++side;
  side = std::min(side, planes);
  const float gap = planes > 1 ? 0.5F : 0;
  plan.columns = static_cast<float>(side * columns) + gap * static_cast<float>(side - 1);
  const int64_t lines = (planes + side - 1) / side;
  plan.rows = static_cast<float>(lines * rows) + gap * static_cast<float>(lines - 1);
  for (int64_t place = 0; place < mesh.device_count(); ++place) {
    int64_t plane = 0;
    for (int axis = 0; axis < mesh.rank(); ++axis) {
      if (axis != plan.across && axis != plan.down)
        plane = plane * mesh.axis_size(axis) + place_on(mesh, place, axis);
    }
    const int64_t px = plane % side;
    const int64_t py = plane / side;
    plan.cells.push_back({static_cast<float>(px * columns + place_on(mesh, place, plan.across)) +
                              gap * static_cast<float>(px) + 0.5F,
                          static_cast<float>(py * rows + place_on(mesh, place, plan.down)) +
                              gap * static_cast<float>(py) + 0.5F});
  }
}

}  // namespace

RingPlan plan_ring(const Mesh& mesh, const Fabric& fabric, Point fits) {
  RingPlan plan;
  std::vector<int> axes;
  for (int axis = 0; axis < mesh.rank(); ++axis) {
    if (mesh.axis_size(axis) > 1) axes.push_back(axis);
  }
  if (axes.empty()) {
    stand_in_line(1, plan);
    return plan;
  }
  const int64_t n = mesh.device_count();
  plan.across = axes.back();
  if (axes.size() == 1) {
    const bool closed = closes(n, fabric.axis_wraps(plan.across));
    plan.form = fabric.all_pairs() && n > 2 && n <= kMostOnEllipse ? RingShape::ellipse
                : !closed && static_cast<float>(n) <= fits.x       ? RingShape::line
                : n < 3                                            ? RingShape::line
                                                                   : RingShape::loop;
    if (plan.form == RingShape::ellipse)
      stand_on_ellipse(n, plan);
    else if (plan.form == RingShape::line)
      stand_in_line(n, plan);
    else
      stand_in_loop(n, fits, plan);
    return plan;
  }
  plan.down = axes[axes.size() - 2];
  if (axes.size() == 3) {
    plan.form = RingShape::slabs;
    size_t least = 0;
    for (size_t i = 1; i < 3; ++i) {
      if (mesh.axis_size(axes[i]) < mesh.axis_size(axes[least])) least = i;
    }
    plan.depth = axes[least];
    axes.erase(axes.begin() + static_cast<int64_t>(least));
    plan.down = axes[0];
    plan.across = axes[1];
    plan.slabs = mesh.axis_size(plan.depth);
    stand_in_slabs(mesh, plan);
    return plan;
  }
  plan.form = axes.size() > 2 ? RingShape::planes : RingShape::grid;
  stand_in_planes(mesh, plan);
  return plan;
}

}  // namespace shardscope::inline views
