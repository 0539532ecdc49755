// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/drop_target.h"

#include <QDropEvent>
#include <QMimeData>
#include <utility>

namespace shardscope::inline window {

DropTarget::DropTarget(QWidget* onto, Take text) : QObject(onto), text_(std::move(text)) {
  onto->setAcceptDrops(true);
  onto->installEventFilter(this);
}

bool DropTarget::eventFilter(QObject* watched, QEvent* event) {
  const bool enters = event->type() == QEvent::DragEnter, drops = event->type() == QEvent::Drop;
  if (!enters && !drops) return QObject::eventFilter(watched, event);
  auto* drop = static_cast<QDropEvent*>(event);  // an entering drag is one, too
  const QMimeData* data = drop->mimeData();
  if (!data->hasText()) return true;
  drop->acceptProposedAction();
  if (enters) return true;
  text_(data->text());
  return true;
}

}  // namespace shardscope::inline window
