// SPDX-License-Identifier: Apache-2.0
// Tests of widgets need the application object before any of them runs.
#include <QApplication>
#include <QStandardPaths>
#include <cstring>
#include <gtest/gtest.h>

#include "app/window/shell/screenshot.h"
#include "tests/app/journal_steps.h"

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (argc == 3 && std::strcmp(argv[1], "--work-until-killed") == 0) {
    const QCoreApplication app(argc, argv);
    return shardscope::work_until_killed(argv[2]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  QStandardPaths::setTestModeEnabled(true);  // settings of the person who runs the tests stay as they are
  QApplication::setOrganizationName("shardscope");
  QApplication::setApplicationName("shardscope-test");
  QApplication app(argc, argv);
  shardscope::load_window_resources();
  return RUN_ALL_TESTS();
}
