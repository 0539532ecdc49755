// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <array>

#include "app/window/docks/pages.h"

namespace shardscope {

// The docks of a page, by place.
using Groups = std::array<QList<QDockWidget*>, kPlaces>;

// Puts docks that are on no page where `groups` has them, as large as `heights` and `scale` ask.
void arrange_docks(QMainWindow& area, const Groups& groups, const std::array<int, 3>& heights, double scale);
// The titles as docks stand now: a tab's is its tab, of one alone it is above it.
void fit_titles(QMainWindow& area, const QList<QDockWidget*>& docks);

}  // namespace shardscope
