// SPDX-License-Identifier: Apache-2.0
// The help: whatever is in the window has a topic, F1 finds it from what has the focus, a search finds it by
// its words; the tour points at what is really there.
#include "app/window/shell/help.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>

#include "app/window/dialogs/key_overview.h"
#include "app/window/dialogs/preferences_dialog.h"
#include "app/window/dialogs/preset_browser.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/settings/view_keys.h"
#include "app/window/shell/command_palette.h"
#include "app/window/shell/tour.h"
#include "app/window/widgets/table_columns.h"
#include "engine/help/topics.h"
#include "engine/session/lessons/lesson_presets.h"
#include "tests/app/window_fixture.h"

namespace shardscope::help_test {
namespace {

class HelpTest : public WindowTest {
 protected:
  HelpWindow* help() {
    for (HelpWindow* each : window->findChildren<HelpWindow*>("help")) {
      if (each->isVisible()) return each;
    }
    return nullptr;
  }
  QString explained(QWidget* focus) {
    focus->setFocus();
    window->action("help.this")->trigger();
    return help() == nullptr ? QString() : help()->topic();
  }
  // Something of it is really drawn; a canvas hides all that is behind it.
  static bool seen(const QWidget& widget) {
    const auto all = widget.findChildren<QWidget*>();
    return !widget.visibleRegion().isEmpty() || std::any_of(all.begin(), all.end(), [](QWidget* each) {
      return !each->visibleRegion().isEmpty();
    });
  }
  Tour* tour() {
    for (Tour* each : window->findChildren<Tour*>("tour", Qt::FindDirectChildrenOnly)) {
      if (each->isVisible()) return each;
    }
    return nullptr;
  }
  // To its end; pictures of the steps go into $SHARDSCOPE_PICTURES.
  void walkTheTour(const char* name, QSize size) {
    QSet<QWidget*> targets;
    QSet<QString> texts;
    for (int step = 0; step < Tour::kSteps; ++step) {
      EXPECT_EQ(tour()->step(), step);
      settle(20);
      ASSERT_NE(tour()->shown(), nullptr) << step;
      EXPECT_TRUE(tour()->shown()->isVisible()) << step;
      EXPECT_TRUE(seen(*tour()->shown())) << step;
      QWidget* words = tour()->nextButton()->parentWidget();
      EXPECT_TRUE(tour()->rect().contains(words->geometry())) << step;
      for (const auto* button : words->findChildren<QPushButton*>())
        EXPECT_TRUE(!button->isVisible() || button->width() >= button->sizeHint().width())
            << step << ": " << button->text().toStdString();
      for (const auto* label : words->findChildren<QLabel*>())
        EXPECT_GE(label->height(), label->heightForWidth(label->width())) << label->text().toStdString();
      targets << tour()->shown();
      texts << tour()->text();
      const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
      if (!folder.isEmpty())
        window->grab().save(QString("%1/%2_%3_%4.png").arg(folder).arg(name).arg(size.width()).arg(step));
      QTest::keyClick(tour()->nextButton(), Qt::Key_Right);
    }
    EXPECT_EQ(targets.size(), Tour::kSteps);
    EXPECT_EQ(texts.size(), Tour::kSteps);
    EXPECT_EQ(tour(), nullptr) << "after the last";
    settle(5);
  }
};

TEST_F(HelpTest, EveryDockPageAndViewHasATopicOfItsName) {
  for (const Dock& dock : docks()) {
    const HelpTopic* topic = find_topic(dock.id.toStdString());
    ASSERT_NE(topic, nullptr) << dock.id.toStdString();
    EXPECT_EQ(dock.title, topic->title);
  }
  for (const Page& page : pages()) {
    const HelpTopic* topic = find_topic("page." + page.id.toStdString());
    ASSERT_NE(topic, nullptr) << page.id.toStdString();
    EXPECT_EQ(page.title, topic->title);
    EXPECT_EQ(page.about, topic->shows);
  }
  for (const RunView& view : run_views()) EXPECT_STREQ(view.shows, help_topic(view.id).shows);
}

TEST_F(HelpTest, EveryTopicSaysEnoughAndNamesKeysThatThereAre) {
  for (const HelpGroup& group : help_groups()) {
    for (const HelpTopic& topic : group.topics) {
      EXPECT_GT(std::string_view(topic.reading).size(), 60U) << topic.id;
      EXPECT_EQ(std::string_view(topic.shows).find_first_of("*`"), std::string_view::npos)
          << topic.id << ": an empty view shows it as it stands";
      EXPECT_GT(std::string_view(topic.shows).size(), 10U) << topic.id;
      const auto& all = focuses();
      EXPECT_TRUE(*topic.keys == '\0' || std::any_of(all.begin(), all.end(), [&](const Focus& focus) {
        return focus.id == topic.keys;
      })) << topic.id;
    }
  }
}

TEST_F(HelpTest, F1InEachDockOpensItsTopic) {
  runAll();
  for (const DockArea::Made& made : window->docks().all()) {
    window->docks().go(made.row->id);
    settle(5);
    QWidget* focus = made.widget;
    for (QWidget* each : made.widget->findChildren<QWidget*>()) {
      if (each->focusPolicy() == Qt::NoFocus || !each->isVisible() || !each->isEnabled()) continue;
      const QString topic = help_topic_of(window->context(), each);
      // A field of a form has a topic of its own.
      EXPECT_TRUE(topic == made.row->id || topic.startsWith("field.")) << topic.toStdString();
      if (topic == made.row->id) focus = each;
    }
    focus->setFocusPolicy(Qt::StrongFocus);
    window->activateWindow();
    EXPECT_EQ(explained(focus).toStdString(), made.row->id.toStdString()) << focus->metaObject()->className();
    help()->close();
    settle(5);
  }
}

TEST_F(HelpTest, F1OnATableListsItsColumnsWithWhatTheyMean) {
  runAll();
  compare_best(window->context());
  settle();
  window->makeAllDocks();
  int tables = 0;
  for (const DockArea::Made& made : window->docks().all()) {
    const QString text = show_help(window->context(), made.row->id)->text()->toPlainText();
    for (const QAbstractItemView* table : made.widget->findChildren<QAbstractItemView*>()) {
      if (table->model() == nullptr || table->inherits("QComboBoxListView")) continue;
      const QList<TableColumn> columns = columns_of(*table);
      tables += columns.isEmpty() ? 0 : 1;
      for (const TableColumn& column : columns) {
        EXPECT_FALSE(column.meaning.isEmpty())
            << made.row->id.toStdString() << ", " << column.title.toStdString();
        EXPECT_TRUE(text.contains(column.title) && text.contains(column.meaning))
            << made.row->id.toStdString() << ", " << column.title.toStdString();
      }
    }
  }
  EXPECT_GT(tables, 12);
  const QString runs = show_help(window->context(), "runs")->text()->toPlainText();
  for (const RunColumn& column : run_columns())
    EXPECT_TRUE(runs.contains(column.header) && runs.contains(spoken(column.about))) << column.id;
  help()->close();
}

TEST_F(HelpTest, LessonsStateTheLengthThatIsCounted) {
  const std::vector<LessonPreset> all = lesson_presets();
  const auto [least, most] = std::ranges::minmax(all, {}, &LessonPreset::steps);
  const std::string length = fmt::format("{} to {} steps", least.steps, most.steps);
  const auto told = [&](const HelpPage& page) { return page.text.find(length) != std::string_view::npos; };
  EXPECT_TRUE(std::ranges::any_of(help_guides(), told)) << length;
  for (const LessonPreset& lesson : all) {
    const auto found = find_lesson(lesson.name);
    ASSERT_TRUE(found.ok()) << lesson.name;
    EXPECT_EQ(lesson.steps, std::ssize(found->lesson.steps)) << lesson.name;
    EXPECT_EQ(lesson.minutes, lesson.steps) << lesson.name << ": a minute for a step";
  }
}

TEST_F(HelpTest, F1InAFieldSaysWhatTheFieldIs) {
  window->docks().go("experiment");
  const auto all = window->form()->findChildren<QLineEdit*>();
  QSet<QString> topics;
  for (QLineEdit* line : all) {
    const QString topic = help_topic_of(window->context(), line);
    if (topic.startsWith("field.")) topics << topic;
  }
  for (const char* field : {"field.m", "field.k", "field.n", "field.in-lhs", "field.device-order"})
    EXPECT_TRUE(topics.contains(field)) << field;
  HelpWindow* shown = show_help(window->context(), "field.dtype");
  EXPECT_EQ(shown->topic(), "field.dtype");
  EXPECT_TRUE(shown->text()->toPlainText().contains("bf16"));
  EXPECT_TRUE(shown->text()->toPlainText().contains("--dtype"));
}

TEST_F(HelpTest, F1InADialogOpensItsTopic) {
  const auto pressed_in = [&](QWidget* dialog) {
    QTest::keyClick(dialog, Qt::Key_F1);
    const QString topic = help() != nullptr ? help()->topic() : QString();
    if (help() != nullptr) help()->close();
    settle(5);
    return topic;
  };
  PreferencesDialog preferences_dialog(preferences, window.get());
  preferences_dialog.show();
  EXPECT_EQ(pressed_in(preferences_dialog.resetButton()), "preferences");
  preferences_dialog.close();
  window->action("help.keys")->trigger();
  EXPECT_EQ(pressed_in(window->findChild<KeyOverview*>()->search()), "keys");
  PresetBrowser presets(preferences.theme(), window.get());
  presets.show();
  EXPECT_EQ(pressed_in(presets.search()), "presets");
  presets.close();
  window->action("help.commands")->trigger();
  EXPECT_EQ(pressed_in(window->findChild<CommandPalette*>()->input()), "palette");
  EXPECT_EQ(pressed_in(window->editChip()), "chip");
}

TEST_F(HelpTest, WordsFindTopicsAndNothingSaysSo) {
  window->action("help.topics")->trigger();
  ASSERT_NE(help(), nullptr);
  EXPECT_EQ(help()->topic(), "window");
  const int all = help()->list()->count();
  help()->search()->setText("hatched exposed");
  EXPECT_LT(help()->list()->count(), all / 4);
  EXPECT_FALSE(help()->topic().isEmpty());
  help()->search()->setText("roofline");
  EXPECT_EQ(help()->topic(), "roofline") << "by its title first";
  EXPECT_TRUE(help()->goButton()->isVisible());
  help()->goButton()->click();
  EXPECT_TRUE(window->canvas("roofline")->isVisible());
  if (const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES"); !folder.isEmpty()) {
    help()->search()->clear();
    help()->open("timeline");
    settle(20);
    help()->grab().save(folder + "/help.png");
  }
  help()->search()->setText("notebook python");
  EXPECT_EQ(help()->topic(), "guide.notebook");
  EXPECT_TRUE(help()->goButton()->isHidden());
  help()->search()->setText("zzzq");
  EXPECT_EQ(help()->topic(), "");
  EXPECT_TRUE(help()->text()->toPlainText().startsWith("Nothing"));
  help()->search()->clear();
  EXPECT_EQ(help()->list()->count(), all);
  QTest::keyClick(help()->search(), Qt::Key_Down);
  EXPECT_EQ(help()->topic(), help_groups()[0].topics[1].id);
}

TEST_F(HelpTest, ThePaletteGoesToATopic) {
  window->action("help.commands")->trigger();
  auto* palette = window->findChild<CommandPalette*>();
  palette->input()->setText("help: timeline");
  ASSERT_GT(palette->list()->count(), 0);
  palette->list()->setCurrentRow(0);
  QTest::keyClick(palette->input(), Qt::Key_Return);
  ASSERT_TRUE(wait_for([&] { return help() != nullptr; }));
  EXPECT_EQ(help()->topic(), "timeline");
  EXPECT_TRUE(help()->text()->toPlainText().contains("Zoom to an event")) << "with its keys";
}

TEST_F(HelpTest, TheToursStepsPointAtWhatIsSeen) {
  for (const QSize size : {QSize(1600, 1000), QSize(1280, 720)}) {
    window->resize(size);
    settle();
    window->docks().setPage("study");
    window->action("help.tour")->trigger();
    ASSERT_NE(tour(), nullptr);
    EXPECT_EQ(window->docks().page(), "explore");
    EXPECT_TRUE(tour()->moduleButton()->isVisible());
    walkTheTour("tour", size);
  }
}

TEST_F(HelpTest, WithAModuleOpenTheTourIsOfIt) {
  window->docks().go("hlo");
  HloPanel& panel = hlo_of(window->context());
  panel.openPreset("mlp");
  ASSERT_TRUE(wait_for([&] { return !panel.busy() && panel.explained() != nullptr; }));
  for (const QSize size : {QSize(1600, 1000), QSize(1280, 800)}) {
    window->resize(size);
    settle();
    window->docks().go("hlo");
    window->action("help.tour")->trigger();
    ASSERT_NE(tour(), nullptr);
    EXPECT_EQ(window->docks().page(), "module");
    EXPECT_FALSE(tour()->moduleButton()->isVisible());
    walkTheTour("module_tour", size);
    EXPECT_EQ(window->docks().page(), "module");
  }
}

TEST_F(HelpTest, EscLeavesTheTourAndItIsRemembered) {
  preferences.settings().reset("tour");
  window->action("help.tour")->trigger();
  ASSERT_NE(tour(), nullptr);
  EXPECT_TRUE(Preferences().settings().value("tour").toBool());
  QTest::keyClick(tour()->nextButton(), Qt::Key_Right);
  EXPECT_EQ(tour()->step(), 1);
  QTest::keyClick(tour()->nextButton(), Qt::Key_Left);
  EXPECT_EQ(tour()->step(), 0);
  QTest::keyClick(window->timeline(), Qt::Key_Escape);
  EXPECT_EQ(tour(), nullptr);
  window->action("help.tour")->trigger();
  ASSERT_NE(tour(), nullptr);
  tour()->leaveButton()->click();
  EXPECT_EQ(tour(), nullptr);
}

}  // namespace
}  // namespace shardscope::help_test
