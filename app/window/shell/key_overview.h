// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QDialog>
#include <QList>

namespace shardscope {

// All keys: those of the actions and those of the canvases.
class KeyOverview : public QDialog {
  Q_OBJECT
 public:
  KeyOverview(const QList<QAction*>& actions, QWidget* parent);
};

}  // namespace shardscope
