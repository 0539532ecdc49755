// SPDX-License-Identifier: Apache-2.0
// The window on the screens that people have, by display scale and by the window's own (Ctrl +). Qt learns
// the display's scale when it starts: each is a process of its own, and all of them work at once. With
// SHARDSCOPE_PICTURES=folder every page and dock is kept to be looked at.
#include <QProcess>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace shardscope::screens_test {
namespace {

constexpr int kScreens[][2] = {{1280, 720}, {1920, 1080}, {2560, 1440}};
constexpr double kScales[] = {1, 1.25, 1.5, 2.25};

bool is_used(const int* screen, double scale) {
  return screen[0] > 1280 || scale <= 1.5;
}

// A window in a process of its own; what it complains of.
class Looking {
 public:
  explicit Looking(const QStringList& options, double scale = 1) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_SCALE_FACTOR", QString::number(scale));
    window_.setProcessEnvironment(environment);
    window_.start("/proc/self/exe", options);
  }
  std::string complaints() {
    if (window_.state() != QProcess::NotRunning && !window_.waitForFinished(600'000)) return "it did not end";
    const QByteArray said = window_.readAllStandardOutput();
    if (window_.exitCode() == 0) return said.toStdString();
    return ("it ended with an error\n" + said + window_.readAllStandardError()).toStdString();
  }

 private:
  QProcess window_;
};

QStringList screen(double width, double height, double zoom) {
  return {QString::number(static_cast<int>(width)), QString::number(static_cast<int>(height)),
          QString::number(zoom)};
}

TEST(Screens, NothingIsCutOnTheScreensThatPeopleHaveHoweverTheyAreScaled) {
  std::vector<std::unique_ptr<Looking>> all;
  QStringList by_window{"--screens", "light"};
  for (const double scale : kScales) {
    QStringList by_display{"--screens", "light"};
    for (const auto& each : kScreens) {
      if (!is_used(each, scale)) continue;
      by_window += screen(each[0], each[1], scale);
      by_display += screen(each[0] / scale, each[1] / scale, 1);
    }
    if (scale > 1) all.push_back(std::make_unique<Looking>(by_display, scale));
  }
  all.push_back(std::make_unique<Looking>(by_window));
  for (const auto& each : all) EXPECT_EQ(each->complaints(), "");
}

TEST(Screens, ChangingTheThemeRecoloursEverythingAtOnce) {
  EXPECT_EQ(Looking({"--theme"}).complaints(), "");
}

}  // namespace
}  // namespace shardscope::screens_test
