// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <array>

#include "app/window/docks/pages.h"

namespace shardscope::inline window {

// The docks of a page, by place.
using Groups = std::array<QList<QDockWidget*>, kPlaces>;

struct Shares {
  std::array<int, 3> heights;  // of upper, middle, lower to each other
  double scale = 1;
  bool halves = false;  // the left column is as wide as the rest
};
// Puts docks that are on no page where `groups` has them, as large as `shares` asks.
void arrange_docks(QMainWindow& area, const Groups& groups, const Shares& shares);
// Docks beside the views in the middle are as wide for their words as they were at another scale.
void scale_sides(QMainWindow& area, const QList<QDockWidget*>& sides, double factor);
// The titles as docks stand now: a tab's is its tab, of one alone it is above it.
void fit_titles(QMainWindow& area, const QList<QDockWidget*>& docks);

}  // namespace shardscope::inline window
