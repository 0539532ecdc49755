// SPDX-License-Identifier: Apache-2.0
// What the engine says to everybody is said in the window by the names of its controls.
#include "app/window/document/in_window.h"

#include <QAbstractButton>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "engine/request/fields.h"
#include "engine/session/mesh_limit.h"
#include "tests/app/window_fixture.h"

namespace shardscope::in_window_test {
namespace {

namespace fs = std::filesystem;

// The help speaks of the command line; these write commands, code or styles.
bool writes_other_words(const std::string& path) {
  const auto in = [&](const char* part) { return path.find(part) != std::string::npos; };
  return in("/help/") || in("command_line") || in("_report.cpp") || in("_source.cpp") || in("html_page") ||
         in("/study/");
}

// Options that texts of the engine name: "--check" of "say --check off".
std::set<std::string> named_by_the_engine() {
  static const std::regex kText(R"re("((?:[^"\\]|\\.)*)")re"), kOption("(^|[^A-Za-z0-9_-])--([a-z][a-z-]*)");
  std::set<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SHARDSCOPE_SOURCE_DIR) / "engine")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".cpp" || writes_other_words(path)) continue;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      if (line.find("//") < line.find('"')) continue;
      for (std::sregex_iterator text(line.begin(), line.end(), kText), end; text != end; ++text) {
        const std::string words = (*text)[1];
        for (std::sregex_iterator at(words.begin(), words.end(), kOption); at != end; ++at)
          out.insert((*at)[2]);
      }
    }
  }
  return out;
}

class InWindow : public WindowTest {
 protected:
  // What labels, buttons and fields are called.
  std::set<QString> names() {
    window->makeAllDocks();
    std::set<QString> out;
    for (const QWidget* each : window->findChildren<QWidget*>()) {
      out.insert(each->accessibleName().toLower());
      if (const auto* label = qobject_cast<const QLabel*>(each)) out.insert(label->text().toLower());
      if (const auto* button = qobject_cast<const QAbstractButton*>(each))
        out.insert(button->text().remove('&').toLower());
    }
    for (const QAction* each : window->findChildren<QAction*>())
      out.insert(each->text().remove('&').toLower());
    return out;
  }
};

TEST_F(InWindow, EveryOptionThatTheEngineNamesIsAControlOrSaidToBeTheCommandLines) {
  const std::set<std::string> options = named_by_the_engine();
  ASSERT_GT(options.size(), 20U);
  const std::set<QString> there = names();
  for (const std::string& option : options) {
    const QString said = in_window("--" + option);
    if (said.startsWith("the command line's --")) continue;
    EXPECT_FALSE(said.contains("--")) << said.toStdString();
    const bool named =
        std::ranges::any_of(named_controls(), [&](const auto& c) { return c.option == option; });
    if (named) continue;
    const QString name = QString::fromStdString(option), words = QString(name).replace('-', ' ');
    const Field* field = find_field(option);
    const bool shown =
        (field != nullptr && (field->has(kRow) || field->has(kModule))) ||
        std::ranges::any_of(there, [&](const QString& each) { return each == name || each.contains(words); });
    EXPECT_TRUE(shown) << "no control is called " << option;
  }
}

TEST_F(InWindow, AnErrorSaysWhatToDoWithTheControl) {
  EXPECT_EQ(in_window("too long; say --kernels dots, or leave out --slow-device"),
            "too long; set kernels to dots, or leave out slow chip");
  EXPECT_EQ(in_window("say --numerics off for the cost alone"),
            "set Check numerics to off for the cost alone");
  EXPECT_EQ(in_window("say --check off"), "on the command line say --check off");
  EXPECT_EQ(in_window("a -- b, x--y, row=2"), "a -- b, x--y, row=2");
}

TEST_F(InWindow, TooLargeAMeshSaysWhichAxisToMakeSmaller) {
  const Mesh mesh = *Mesh::make({{"row", 400, true}, {"col", 1000, true}});
  const Result<void> fits = check_size_of(mesh, 1e9);
  ASSERT_FALSE(fits.ok());
  const QString said = in_window(fits.error());
  EXPECT_TRUE(said.contains("make col ") && said.endsWith("or smaller")) << said.toStdString();
}

}  // namespace
}  // namespace shardscope::in_window_test
