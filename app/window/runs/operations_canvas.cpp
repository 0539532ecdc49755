// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/operations_canvas.h"

#include <QKeyEvent>
#include <algorithm>

namespace shardscope::inline window {
namespace {

ItemId instruction_alone(ItemId item) {
  item.index = -1;
  return item;
}

}  // namespace

QStringList OperationsCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (shown() == nullptr) return lines;
  for (const std::string& line : operation_cell_words(shown()->input(), clock().selection(), item, canvas()))
    lines << QString::fromStdString(line);
  return lines;
}

void OperationsCanvas::itemClicked(const ItemId& item) {
  if (shown() == nullptr || item.kind != ItemId::Kind::instruction) return RunCanvas::itemClicked(item);
  const auto range = operation_cell(shown()->input(), clock().selection(), item, canvas());
  clock().setRange(range);
  clock().select(instruction_alone(item));
}

std::vector<ItemId> OperationsCanvas::cells() const {
  std::vector<ItemId> out;
  for (const ItemId& id : scene().ids())
    if (id.kind == ItemId::Kind::instruction && id.index >= 0) out.push_back(id);
  return out;
}

void OperationsCanvas::walk(int rows, int parts) {
  const std::vector<ItemId> all = cells();
  if (shown() == nullptr || all.empty()) return;
  const int count = 1 + std::ranges::max_element(all, {}, &ItemId::index)->index;
  const auto here = std::ranges::find_if(
      all, [&](const ItemId& id) { return id.instruction == clock().selection().selected.instruction; });
  int row = here == all.end() ? 0 : static_cast<int>(here - all.begin()) / count;
  int part = 0;
  if (const auto range = clock().selection().range; range && here != all.end()) {
    const Picoseconds middle = range->start + range->length() / 2;
    part = static_cast<int>(static_cast<double>(middle) /
                            static_cast<double>(std::max<Picoseconds>(1, shown()->trace->total())) * count);
    row += rows;
    part += parts;
  }
  row = std::clamp(row, 0, static_cast<int>(all.size()) / count - 1);
  part = std::clamp(part, 0, count - 1);
  itemClicked(all[static_cast<size_t>(row) * static_cast<size_t>(count) + static_cast<size_t>(part)]);
}

void OperationsCanvas::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
      return walk(-1, 0);
    case Qt::Key_Down:
      return walk(1, 0);
    case Qt::Key_Comma:
      return walk(0, -1);
    case Qt::Key_Period:
      return walk(0, 1);
    default:
      RunCanvas::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
