// SPDX-License-Identifier: Apache-2.0
// The window on the screens that people have: each in a process of its own, as Qt learns the scale when it
// starts. With SHARDSCOPE_PICTURES=folder every page and dock is kept to be looked at.
#include <QProcess>
#include <gtest/gtest.h>

namespace shardscope::screens_test {
namespace {

struct Screen {
  int width, height, percent;
};

std::string complaints_of(const QStringList& options, double scale = 1) {
  QProcess window;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_SCALE_FACTOR", QString::number(scale));
  window.setProcessEnvironment(environment);
  window.start("/proc/self/exe", options);
  if (!window.waitForFinished(600'000)) return "it did not end";
  const QByteArray said = window.readAllStandardOutput();
  if (window.exitCode() != 0)
    return ("it ended with an error\n" + said + window.readAllStandardError()).toStdString();
  return said.toStdString();
}

// Scaled by the display, or by the window itself (Ctrl +).
std::string complaints_on(const Screen& screen, bool by_display) {
  const double scale = screen.percent / 100.0;
  const auto side = [&](int pixels) {
    return QString::number(static_cast<int>(by_display ? pixels / scale : pixels));
  };
  const QString zoom = QString::number(by_display ? 1 : scale);
  return complaints_of({"--screen", side(screen.width), side(screen.height), "light", zoom},
                       by_display ? scale : 1);
}

TEST(Screens, NothingIsCutOnTheScreensThatPeopleHave) {
  for (const Screen& screen : {Screen{1280, 720, 100},
                               {1280, 720, 125},
                               {1280, 720, 150},
                               {1920, 1080, 100},
                               {1920, 1080, 150},
                               {1920, 1080, 225},
                               {2560, 1440, 100},
                               {2560, 1440, 150},
                               {2560, 1440, 225}})
    EXPECT_EQ(complaints_on(screen, true), "")
        << screen.width << "x" << screen.height << " at " << screen.percent << " %";
}

TEST(Screens, NothingIsCutWhereTheWindowScalesItself) {
  for (const Screen& screen : {Screen{1280, 720, 125}, {1920, 1080, 150}})
    EXPECT_EQ(complaints_on(screen, false), "")
        << screen.width << "x" << screen.height << " at " << screen.percent << " %";
}

TEST(Screens, ChangingTheThemeRecoloursEverythingAtOnce) {
  for (const char* theme : {"dark", "light"}) EXPECT_EQ(complaints_of({"--theme", theme}), "") << theme;
}

}  // namespace
}  // namespace shardscope::screens_test
