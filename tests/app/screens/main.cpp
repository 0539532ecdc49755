// SPDX-License-Identifier: Apache-2.0
// Tests of the window on screens; with --screen WIDTH HEIGHT light|dark ZOOM the window that they start,
// which says what is cut short; with --theme dark|light one that changes to that theme, which says what did
// not.
#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "app/window/shell/screenshot.h"
#include "tests/app/screens/cut.h"
#include "tests/app/screens/every_page.h"

namespace shardscope {
namespace {

constexpr double kMostDifferent = 0.002;  // of a picture: what was measured, a caret

void keep_picture(QWidget& window, const QString& name) {
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  if (!folder.isEmpty()) window.grab().toImage().save(folder + "/" + name + ".png");
}

int look_at_screen(int width, int height, bool dark, double zoom) {
  Preferences preferences;
  preferences.overrideLook(dark, zoom);
  TestedWindow window(preferences);
  window.resize(width, height);
  window.show();
  fill(window);
  if (::testing::Test::HasFailure()) return 1;
  std::set<std::string> said;
  visit(window, [&](const QString& page, const QString& dock) {
    std::vector<std::string> found = cut_short(window);
    if (window.size() != QSize(width, height))
      found.push_back(fmt::format("the window grew to {}x{}", window.width(), window.height()));
    for (const std::string& each : found) {
      if (said.insert(each).second) std::printf("%s: %s\n", page.toUtf8().constData(), each.c_str());
    }
    keep_picture(window, QString("%1x%2_%3_%4_%5")
                             .arg(qRound(width * window.devicePixelRatioF()))
                             .arg(qRound(height * window.devicePixelRatioF()))
                             .arg(qRound(100 * zoom * window.devicePixelRatioF()))
                             .arg(dark ? "dark" : "light", page + "_" + dock));
  });
  return 0;
}

using Pictures = std::map<QString, QImage>;

Pictures pictures_of(TestedWindow& window) {
  Pictures out;
  visit(window, [&](const QString& page, const QString& dock) {
    if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
    settle(30);
    out[page + "_" + dock] = window.grab().toImage();
  });
  return out;
}

double different(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return 1;
  qint64 count = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
  }
  return static_cast<double>(count) / static_cast<double>(a.width() * a.height());
}

// A window that was opened in one theme and is in the other now, beside one that was opened in it.
int change_theme(bool to_dark) {
  Pictures changed, fresh;
  {
    Preferences preferences;
    preferences.overrideLook(!to_dark, 1.0);
    TestedWindow window(preferences);
    window.show();
    fill(window);
    pictures_of(window);  // everything is made and was painted
    preferences.overrideLook(to_dark, 1.0);
    Q_EMIT preferences.lookChanged();
    changed = pictures_of(window);
  }
  {
    Preferences preferences;
    preferences.overrideLook(to_dark, 1.0);
    TestedWindow window(preferences);
    window.show();
    fill(window);
    pictures_of(window);
    fresh = pictures_of(window);
  }
  if (::testing::Test::HasFailure()) return 1;
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  for (const auto& [name, picture] : fresh) {
    const double part = different(picture, changed[name]);
    if (part < kMostDifferent) continue;
    std::printf("%s: %.2f %% of it is another colour than in a window that opened so\n",
                name.toUtf8().constData(), 100 * part);
    if (folder.isEmpty()) continue;
    picture.save(folder + "/fresh_" + name + ".png");
    changed[name].save(folder + "/changed_" + name + ".png");
  }
  return 0;
}

}  // namespace
}  // namespace shardscope

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  ::testing::InitGoogleTest(&argc, argv);
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName("shardscope");
  QApplication::setApplicationName("shardscope-test");
  const QTemporaryDir settings;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
  const QApplication app(argc, argv);
  shardscope::load_window_resources();
  if (argc == 6 && std::strcmp(argv[1], "--screen") == 0)
    return shardscope::look_at_screen(std::atoi(argv[2]), std::atoi(argv[3]), argv[4] == std::string("dark"),
                                      std::atof(argv[5]));
  if (argc == 3 && std::strcmp(argv[1], "--theme") == 0)
    return shardscope::change_theme(argv[2] == std::string("dark"));
  return RUN_ALL_TESTS();
}
