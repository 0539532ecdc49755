// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include "app/window/dialogs/help_window.h"
#include "app/window/docks/context.h"

namespace shardscope::inline window {

// What explains a widget: its own topic, its dock's, else the page's.
QString help_topic_of(const Context& context, const QWidget* focus);
// The help on that topic, in front: of the dialog that is open, or of the window.
HelpWindow* show_help(const Context& context, const QString& topic);

// F1 in dialogs and other windows, which the window's commands do not reach.
class HelpKey : public QObject {
 public:
  explicit HelpKey(const Context& context, QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const Context context_;
};

}  // namespace shardscope::inline window
