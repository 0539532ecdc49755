// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QWidget>
#include <functional>

namespace shardscope::inline window {

// Takes texts that are dropped onto a widget; files are the window's (FileDrop).
class DropTarget : public QObject {
 public:
  using Take = std::function<void(const QString&)>;
  DropTarget(QWidget* onto, Take text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Take text_;
};

}  // namespace shardscope::inline window
