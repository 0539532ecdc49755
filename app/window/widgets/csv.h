// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

namespace shardscope::inline window {

// One line of a CSV file with its end; cells are quoted where they need it.
QString csv_line(const QStringList& cells);

}  // namespace shardscope::inline window
