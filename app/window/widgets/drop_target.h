// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

namespace shardscope {

// Takes files and texts that are dropped onto a widget.
class DropTarget : public QObject {
 public:
  using Take = std::function<void(const QString&)>;
  DropTarget(QWidget* onto, Take file, Take text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Take file_, text_;
};

}  // namespace shardscope
