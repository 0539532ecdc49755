// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/open_rows.h"

#include <QKeyEvent>

namespace shardscope::inline window {
namespace {

class EnterOpens : public QObject {
 public:
  EnterOpens(QTreeWidget* table, std::function<void(QTreeWidgetItem*)> open)
      : QObject(table), table_(table), open_(std::move(open)) {}

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::KeyPress) {
      const int key = static_cast<QKeyEvent*>(event)->key();
      if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        open_(table_->currentItem());
        return true;
      }
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  QTreeWidget* table_;
  std::function<void(QTreeWidgetItem*)> open_;
};

}  // namespace

void open_rows(QTreeWidget* table, std::function<void(QTreeWidgetItem*)> open) {
  table->installEventFilter(new EnterOpens(table, open));
  QObject::connect(table, &QTreeWidget::itemDoubleClicked, table,
                   [open = std::move(open)](QTreeWidgetItem* item) { open(item); });
}

}  // namespace shardscope::inline window
