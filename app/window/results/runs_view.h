// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTableView>

namespace shardscope::inline window {

// A table over a RunsList: bars behind numbers, lines over whole rows, and only the keys that move, select
// and copy; every other is the window's, whose keys play and step.
QTableView* make_runs_view(QWidget* parent);

}  // namespace shardscope::inline window
