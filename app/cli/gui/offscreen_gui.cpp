// SPDX-License-Identifier: Apache-2.0
#include <QGuiApplication>
#include <QLoggingCategory>

#include "app/cli/output/pictures.h"

namespace shardscope::inline cli {

void start_offscreen_gui() {
  if (QGuiApplication::instance() != nullptr) return;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  // Without a session Qt warns about its runtime folder; stderr belongs to our own errors.
  QLoggingCategory::setFilterRules("*.warning=false");
  static int argc = 1;
  static char name[] = "shardscope";
  static char* argv[] = {name, nullptr};
  static QGuiApplication application(argc, argv);
}

}  // namespace shardscope::inline cli
