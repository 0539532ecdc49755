// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/module/hlo_alternative.h"
#include "app/window/widgets/outline_tree.h"

namespace shardscope::inline window {

// The outline of the page's module. A click goes to the text.
class HloOutline : public OutlineTree {
  Q_OBJECT
 public:
  explicit HloOutline(QWidget* parent = nullptr);
  void setReading(const HloReadingPtr& reading);  // null: none
  void show(const QString& instruction);          // where that one is; does not tell

 Q_SIGNALS:
  void instructionChosen(const QString& instruction);

 private:
  HloReadingPtr reading_;
};

}  // namespace shardscope::inline window
