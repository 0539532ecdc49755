// SPDX-License-Identifier: Apache-2.0
// The window in the pseudo-language: what stays plain did not come through the door to translation. With
// SHARDSCOPE_PICTURES=folder the pages are kept to be looked at.
#include "app/window/document/language.h"

#include <QFile>

#include "engine/hardware/hardware.h"
#include "engine/program/ir/opcode.h"
#include "engine/strategies/strategy.h"
#include "tests/app/window_fixture.h"
#include "tests/language/shown_texts.h"

namespace shardscope::language_test {
namespace {

// Of the texts with words, by kind, at least. They may only rise: what is missing is listed in plain_*.txt
// beside the pictures.
constexpr double kCommands = 0.85, kWidgets = 0.55, kScenes = 0.7;
constexpr int kMostClipped = 12;

class LanguageTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    runAll();
    clock().setBeat(clock().beatCount() / 2);
    for (const ExperimentPreset& preset : experiment_presets()) {
      add(preset.name);
      add(preset.title);
    }
    for (const Strategy& strategy : strategies()) {
      add(std::string(strategy.id));
      for (const QString& part : QString::fromStdString(std::string(strategy.id)).split('.'))
        names.insert(part);
    }
    for (const std::string& name : hardware_preset_names()) add(name);
    for (const Operation& each : operations()) add(std::string(each.text));
    for (const MeshAxis& axis : window->bench().document().experiment().mesh.axes()) add(axis.name);
    names.insert("Shardscope");
  }
  void add(const std::string& name) { names.insert(QString::fromStdString(name)); }

  // Every page, every dock of it, with a run shown.
  ShownTexts shown() {
    ShownTexts all;
    for (const Page& page : pages()) {
      window->docks().setPage(page.id);
      for (const Page::Group& group : page.groups) {
        for (const QString& id : group.docks) {
          window->docks().go(id);
          settle(10);
          collect(*window, all);
        }
      }
    }
    return all;
  }

  // The share of the texts that came through the door whole; those that did not are written to the log.
  double share(const std::set<QString>& texts, const char* what) {
    int with_words = 0, plain = 0;
    const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
    QFile file(folder + "/plain_" + what + ".txt");
    const bool kept = !folder.isEmpty() && file.open(QIODevice::WriteOnly);
    for (const QString& text : texts) {
      const bool said_it = text.contains("~]");
      const QStringList words = plain_words(text, names);
      if (!said_it && words.isEmpty()) continue;
      ++with_words;
      if (words.isEmpty()) continue;
      ++plain;
      if (kept) file.write((words.join(' ') + "  <-  " + QString(text).replace('\n', ' ') + "\n").toUtf8());
    }
    std::printf("%s: %d of %d texts with words are said whole\n", what, with_words - plain, with_words);
    return with_words == 0 ? 0 : 1 - static_cast<double>(plain) / with_words;
  }

  std::set<QString> names;
};

TEST_F(LanguageTest, WhatIsShownCameThroughTheDoor) {
  ShownTexts all = shown();
  EXPECT_GE(share(all[TextKind::command], "commands"), kCommands);
  EXPECT_GE(share(all[TextKind::widget], "widgets"), kWidgets);
  EXPECT_GE(share(all[TextKind::scene], "scenes"), kScenes);
}

TEST_F(LanguageTest, IdsAndNamesStayAsTheyAre) {
  for (const RunSummary& row : window->bench().runs().rows())
    EXPECT_TRUE(find_strategy(row.strategy).ok()) << row.strategy;
  EXPECT_NE(window->action("run.all"), nullptr);
  EXPECT_EQ(window->docks().page(), "explore");
  EXPECT_EQ(plain_words(QString::fromStdString(said("Run all")), {}), QStringList());
  EXPECT_EQ(plain_words("forgotten, (0,1) 46.6 µs, P('row') --db [áļļ ~]", {}), QStringList({"forgotten"}));
}

TEST_F(LanguageTest, NoButtonAndNoLabelIsClipped) {
  struct Size {
    double width, height, scale;
  };
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  for (const Size size : {Size{1280, 800, 1}, Size{1920, 1080, 2}}) {
    preferences.overrideLook(false, size.scale);
    Q_EMIT preferences.lookChanged();
    window->resize(static_cast<int>(size.width), static_cast<int>(size.height));
    for (const Page& page : pages()) {
      window->docks().setPage(page.id);
      settle(80);
      const QStringList there = clipped(*window);
      EXPECT_LE(there.size(), kMostClipped) << page.id.toStdString() << " at " << size.scale << ":\n"
                                            << there.join('\n').toStdString();
      if (!folder.isEmpty())
        window->grab().save(QString("%1/pseudo_%2_%3.png").arg(folder, page.id).arg(size.width));
    }
  }
}

}  // namespace
}  // namespace shardscope::language_test
