// SPDX-License-Identifier: Apache-2.0
// What docks say of themselves, to be kept.
#include "app/window/docks/dock_area.h"

namespace shardscope::inline window {

QJsonObject views_of(const DockArea& area) {
  QJsonObject out;
  for (const DockArea::Made& made : area.all())
    if (made.widget != nullptr && made.row->state) out[made.row->id] = made.row->state(made.widget);
  return out;
}

void restore_views(DockArea& area, const QJsonObject& state) {
  for (const DockArea::Made& made : area.all()) {
    if (made.row->restore && state.contains(made.row->id))
      made.row->restore(area.make(made.row->id)->widget, state[made.row->id].toObject());
  }
}

}  // namespace shardscope::inline window
