// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/csv.h"

#include <string>
#include <vector>

#include "engine/base/csv.h"

namespace shardscope::inline window {

QString csv_line(const QStringList& cells) {
  std::vector<std::string> out;
  for (const QString& cell : cells) out.push_back(cell.toStdString());
  return QString::fromStdString(shardscope::csv_line(out));
}

}  // namespace shardscope::inline window
