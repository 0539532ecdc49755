// SPDX-License-Identifier: Apache-2.0
// Tests of the window on screens; with --screens light|dark WIDTH HEIGHT ZOOM … the window that they start,
// which takes each of these sizes and says what is cut short; with --theme one that changes its theme, which
// says what did not.
#include <QApplication>
#include <QDir>
#include <QSettings>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTemporaryDir>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

#include "app/window/shell/screenshot.h"
#include "tests/app/screens/cut.h"
#include "tests/app/screens/every_page.h"

namespace shardscope {
namespace {

constexpr int kPatienceMs = 2000;  // with what is laid out or found out beside the looking

struct Screen {
  int width, height;
  double zoom;
};

void keep_picture(QWidget& window, const QString& name) {
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  if (!folder.isEmpty()) window.grab().toImage().save(folder + "/" + name + ".png");
}

void set_look(TestedWindow& window, Preferences& preferences, bool dark, double zoom) {
  preferences.overrideLook(dark, zoom);
  Q_EMIT preferences.lookChanged();
  if (QWidget* focus = window.focusWidget()) focus->clearFocus();
  settle();
}

// What is cut short, once the window has come to rest.
std::vector<std::string> cut_at_rest(const MainWindow& window, const Screen& screen) {
  std::vector<std::string> found;
  wait_for(
      [&] {
        found = cut_short(window);
        if (window.size() != QSize(screen.width, screen.height))
          found.push_back(fmt::format("the window grew to {}x{}", window.width(), window.height()));
        return found.empty();
      },
      kPatienceMs);
  return found;
}

int look_at_screens(bool dark, const std::vector<Screen>& screens) {
  Preferences preferences;
  preferences.overrideLook(dark, screens.front().zoom);
  TestedWindow window(preferences);
  window.resize(screens.front().width, screens.front().height);
  window.show();
  fill(window);
  if (::testing::Test::HasFailure()) return 1;
  for (const Screen& screen : screens) {
    set_look(window, preferences, dark, screen.zoom);
    window.resize(screen.width, screen.height);
    std::set<std::string> said;
    const double pixels = window.devicePixelRatioF();
    const QString name = QString("%1x%2_%3")
                             .arg(qRound(screen.width * pixels))
                             .arg(qRound(screen.height * pixels))
                             .arg(qRound(100 * screen.zoom * pixels));
    visit(window, [&](const QString& page, const QString& dock) {
      for (const std::string& each : cut_at_rest(window, screen))
        if (said.insert(each).second)
          std::printf("%s %%, %s: %s\n", name.toUtf8().constData(), page.toUtf8().constData(), each.c_str());
      keep_picture(window, QString("%1_%2_%3_%4").arg(name, dark ? "dark" : "light", page, dock));
    });
  }
  return 0;
}

using Pictures = std::map<QString, QImage>;

// At rest: a message that goes by itself, as "Done.", is none of a look.
Pictures pictures_of(TestedWindow& window) {
  Pictures out;
  window.statusBar()->clearMessage();
  visit(window, [&](const QString& page, const QString& dock) {
    if (QWidget* focus = QApplication::focusWidget()) focus->clearFocus();
    settle(10);
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

struct BothThemes {
  Pictures first, then;  // as it opened, and when it had changed to the other theme
};

BothThemes pictures_in_both(bool dark) {
  Preferences preferences;
  preferences.overrideLook(dark, 1.0);
  TestedWindow window(preferences);
  window.show();
  fill(window);
  visit(window, [](const QString&, const QString&) {});  // everything is made
  BothThemes out;
  out.first = pictures_of(window);
  set_look(window, preferences, !dark, 1.0);
  out.then = pictures_of(window);
  return out;
}

void compare_pictures(const QString& theme, const Pictures& fresh, const Pictures& changed) {
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  for (const auto& [name, picture] : fresh) {
    const double part = different(picture, changed.at(name));
    if (part == 0) continue;
    std::printf("%s, %s: %.4f %% of it is another colour than in a window that opened so\n",
                theme.toUtf8().constData(), name.toUtf8().constData(), 100 * part);
    if (folder.isEmpty()) continue;
    picture.save(folder + "/fresh_" + theme + "_" + name + ".png");
    changed.at(name).save(folder + "/changed_" + theme + "_" + name + ".png");
  }
}

// A window that was opened in one theme and is in the other now, beside one that was opened in it.
int change_theme() {
  const BothThemes light = pictures_in_both(false), dark = pictures_in_both(true);
  if (::testing::Test::HasFailure()) return 1;
  compare_pictures("light", light.first, dark.then);
  compare_pictures("dark", dark.first, light.then);
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
  if (argc > 5 && std::strcmp(argv[1], "--screens") == 0) {
    std::vector<shardscope::Screen> screens;
    for (int at = 3; at + 2 < argc; at += 3)
      screens.push_back({std::atoi(argv[at]), std::atoi(argv[at + 1]), std::atof(argv[at + 2])});
    return shardscope::look_at_screens(argv[2] == std::string("dark"), screens);
  }
  if (argc == 2 && std::strcmp(argv[1], "--theme") == 0) return shardscope::change_theme();
  return RUN_ALL_TESTS();
}
