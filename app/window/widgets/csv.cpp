// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/csv.h"

namespace shardscope {

QString csv_line(const QStringList& cells) {
  QStringList out;
  for (QString cell : cells) {
    if (cell.contains(',') || cell.contains('"') || cell.contains('\n'))
      cell = '"' + cell.replace("\"", "\"\"") + '"';
    out << cell;
  }
  return out.join(',') + '\n';
}

}  // namespace shardscope
