// SPDX-License-Identifier: Apache-2.0
// Tests of widgets need the application object before any of them runs.
#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cstring>
#include <gtest/gtest.h>

#include "app/window/shell/screenshot.h"
#include "tests/app/first_start.h"
#include "tests/app/journal_steps.h"

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (argc == 3 && std::strcmp(argv[1], "--work-until-killed") == 0) {
    const QCoreApplication app(argc, argv);
    return shardscope::work_until_killed(argv[2]);
  }
  if (argc == 2 && std::strcmp(argv[1], "--first-start") == 0) return shardscope::first_start();
  ::testing::InitGoogleTest(&argc, argv);
  QStandardPaths::setTestModeEnabled(true);  // settings of the person who runs the tests stay as they are
  QApplication::setOrganizationName("shardscope");
  QApplication::setApplicationName("shardscope-test");
  // Processes that run beside each other share no settings.
  const QTemporaryDir settings;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
  QApplication app(argc, argv);
  shardscope::load_window_resources();
  return RUN_ALL_TESTS();
}
