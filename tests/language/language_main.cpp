// SPDX-License-Identifier: Apache-2.0
// A process speaks one language: this one the pseudo-language.
#include <QApplication>
#include <QStandardPaths>
#include <gtest/gtest.h>

#include "app/window/document/language.h"
#include "app/window/shell/screenshot.h"

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  ::testing::InitGoogleTest(&argc, argv);
  QStandardPaths::setTestModeEnabled(true);  // settings of the person who runs the tests stay as they are
  QApplication::setOrganizationName("shardscope");
  QApplication::setApplicationName("shardscope-language-test");
  QApplication app(argc, argv);
  shardscope::load_window_resources();
  shardscope::speak(shardscope::pseudo_language());
  return RUN_ALL_TESTS();
}
