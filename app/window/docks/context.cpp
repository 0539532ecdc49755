// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/context.h"

#include <QStatusBar>

#include "app/window/document/in_window.h"
#include "app/window/widgets/export.h"

namespace shardscope::inline window {

void Context::say(const QString& text, int ms) const {
  window.statusBar()->showMessage(text, ms);
}

void Context::report(const Result<void>& result) const {
  if (!result.ok()) say(in_window(result.error()));
}

void Context::saveText(const QString& title, const QString& name, const QString& filter,
                       const QString& text) const {
  write({title, name, filter, [text](const QString& path) { return export_text(text, path); }});
}

}  // namespace shardscope::inline window
