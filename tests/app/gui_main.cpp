// SPDX-License-Identifier: Apache-2.0
// Tests of widgets need the application object before any of them runs.
#include <QApplication>
#include <QStandardPaths>
#include <gtest/gtest.h>

#include "app/window/shell/screenshot.h"

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  ::testing::InitGoogleTest(&argc, argv);
  QStandardPaths::setTestModeEnabled(true);  // settings of the person who runs the tests stay as they are
  QApplication::setOrganizationName("shardscope");
  QApplication::setApplicationName("shardscope-test");
  QApplication app(argc, argv);
  shardscope::load_window_resources();
  return RUN_ALL_TESTS();
}
