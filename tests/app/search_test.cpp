// SPDX-License-Identifier: Apache-2.0
// What is called so is found first, wherever one searches; Ctrl+F searches where one looks, and going
// somewhere takes the keyboard along.
#include <QApplication>
#include <QTest>

#include "app/window/chip/kernel_panel.h"
#include "app/window/dialogs/help_entries.h"
#include "app/window/dialogs/preset_browser.h"
#include "app/window/lesson/lesson_panel.h"
#include "app/window/runs/events_table.h"
#include "app/window/runs/program_panel.h"
#include "app/window/shell/command_palette.h"
#include "app/window/sql/sql_box.h"
#include "app/window/studies/tuner_panel.h"
#include "tests/app/window_fixture.h"

namespace shardscope::app_search_test {
namespace {

class SearchTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    window->activateWindow();
    settle();
  }
  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QWidget* to = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : window.get();
    QTest::keyClick(to, static_cast<Qt::Key>(key), modifiers);
    settle();
  }
  QString firstInPalette(const QString& words) {
    window->action("help.commands")->trigger();
    auto* palette = window->findChild<CommandPalette*>();
    QTest::keyClicks(palette->input(), words);
    const QListWidgetItem* first = palette->list()->item(0);
    const QString out = first == nullptr ? QString() : first->text();
    delete palette;
    return out;
  }
  QString firstPreset(const QString& words) {
    PresetBrowser browser(preferences.theme());
    browser.search()->setText(words);
    return browser.list()->count() == 0 ? QString() : browser.list()->item(0)->toolTip();
  }
};

TEST_F(SearchTest, PaletteFindsWhatIsCalledSo) {
  EXPECT_TRUE(firstInPalette("megatron mlp").contains("megatron", Qt::CaseInsensitive));
  EXPECT_TRUE(firstInPalette("megatron mlp: one").contains("preset megatron_mlp_8"));
  EXPECT_TRUE(firstInPalette("one all-reduce").contains("one all-reduce"));
  EXPECT_TRUE(firstInPalette("default").contains("preset default"));
  EXPECT_TRUE(firstInPalette("compare").startsWith("Compare") ||
              firstInPalette("compare").contains("ompare"));
}

TEST_F(SearchTest, PresetsFindWhatIsCalledSo) {
  EXPECT_EQ(firstPreset("megatron mlp"), "megatron_mlp_8");
  EXPECT_EQ(firstPreset("one all-reduce"), "megatron_mlp_8");
  EXPECT_EQ(firstPreset("default"), "default");
  for (const CataloguedPreset& preset : preset_catalogue()) {
    EXPECT_EQ(firstPreset(QString::fromStdString(preset.name)).toStdString(), preset.name);
    const QString title = QString::fromStdString(preset.experiment.title);
    const auto found = found_presets({preset.experiment.title, "", "", false});
    ASSERT_FALSE(found.empty()) << preset.experiment.title;
    EXPECT_EQ(preset_catalogue()[found.front()].experiment.title, preset.experiment.title);
  }
}

TEST_F(SearchTest, HelpFindsWhatIsCalledSo) {
  const std::vector<HelpEntry> entries = help_entries(preferences.keys());
  for (const HelpEntry& entry : entries) {
    const std::vector<size_t> found = matching(entries, entry.title);
    ASSERT_FALSE(found.empty()) << entry.title.toStdString();
    EXPECT_EQ(entries[found.front()].title.toLower(), entry.title.toLower());
  }
}

TEST_F(SearchTest, CtrlFSearchesInTheViewThatHasTheFocus) {
  runAll();
  const auto find_in = [&](const QString& dock) {
    look_at(window->docks(), dock);
    settle();
    press(Qt::Key_F, Qt::ControlModifier);
    return QApplication::focusWidget();
  };
  EXPECT_EQ(find_in("timeline"), window->timeline()->marks().search().field());
  press(Qt::Key_Escape);
  EXPECT_EQ(find_in("grid"), window->timeline()->marks().search().field()) << "a picture of the same run";
  press(Qt::Key_Escape);
  EXPECT_EQ(find_in("runs"), window->runsTable()->bar()->filter());
  EXPECT_EQ(find_in("events"), window->docks().widget<EventsTable>("events")->filter());
  EXPECT_EQ(find_in("experiment"), window->form()->strategyPanel()->filter());
  auto* program = window->docks().widget<ProgramPanel>("program");
  EXPECT_EQ(find_in("program"), program->findBar()->field());
  QTest::keyClicks(program->findBar()->field(), "parameter");
  ASSERT_TRUE(wait_for([&] { return !program->findBar()->busy(); }));
  EXPECT_EQ(program->text()->textCursor().selectedText(), "parameter");
  window->hlo()->openPreset("mlp");
  ASSERT_TRUE(wait_for([&] { return !window->hlo()->busy(); }));
  EXPECT_EQ(find_in("hlo"), window->hlo()->findChild<FindBar*>()->field());
}

TEST_F(SearchTest, CtrlFFindsInTablesQueriesAndKernels) {
  const auto find = [&](const QWidget* panel, QWidget* in, const QString& words) {
    auto* bar = panel->findChild<FindBar*>();
    in->setFocus();
    press(Qt::Key_F, Qt::ControlModifier);
    ASSERT_EQ(QApplication::focusWidget(), bar->field());
    QTest::keyClicks(bar->field(), words);
    ASSERT_TRUE(wait_for([&] { return !bar->busy(); }));
    EXPECT_TRUE(bar->said().startsWith("1 of")) << words.toStdString() << ": " << bar->said().toStdString();
    press(Qt::Key_Escape);
    EXPECT_EQ(QApplication::focusWidget(), in);
  };
  window->docks().go("sql");
  SqlBox* sql = window->sqlBox();
  sql->editor()->setPlainText("SELECT strategy\nFROM run_summary");
  find(sql, sql->editor(), "run_summary");
  EXPECT_EQ(sql->editor()->textCursor().selectedText(), "run_summary");
  find(sql, sql->schema(), "device_timeline");
  const QTreeWidgetItem* found = sql->schema()->currentItem();
  EXPECT_TRUE((found->text(0) + found->text(1)).contains("device_timeline"));

  window->docks().go("tuner");
  TunerPanel* tuner = window->tuner();
  tuner->chips()->setText("8");
  tuner->run();
  ASSERT_TRUE(wait_for([&] { return !tuner->job()->busy() && tuner->table()->topLevelItemCount() > 0; }));
  const QTreeWidgetItem* last = tuner->table()->topLevelItem(tuner->table()->topLevelItemCount() - 1);
  find(tuner, tuner->table(), last->text(0));
  EXPECT_TRUE(tuner->table()->currentItem()->text(0).contains(last->text(0)));

  window->docks().go("kernel");
  KernelPanel* kernel = window->kernel();
  ASSERT_TRUE(wait_for([&] { return !kernel->busy() && kernel->player().shown(); }));
  const KernelListing& listing = kernel->player().shown()->layout.listing;
  find(kernel, kernel->canvas(), QString::fromStdString(listing.lines.back()).trimmed());
  EXPECT_GT(kernel->canvas()->viewport().selected.index, 0);
}

TEST_F(SearchTest, TheFilterOfStrategiesHasAKeyOfItsOwnThatItsTooltipTells) {
  press(Qt::Key_L, Qt::ControlModifier);
  QLineEdit* filter = window->form()->strategyPanel()->filter();
  EXPECT_EQ(QApplication::focusWidget(), filter);
  EXPECT_TRUE(filter->toolTip().contains("Ctrl+L")) << filter->toolTip().toStdString();
}

TEST_F(SearchTest, GoingToAPageTakesTheKeyboardToItsMainView) {
  runAll();
  const std::map<QString, QString> main{
      {"explore", "timeline"}, {"compare", "compare"}, {"what_if", "what_if"}, {"study", "tuner"},
      {"module", "hlo"},       {"chip", "kernel"},     {"lesson", "lesson"}};
  const QComboBox* chip = window->findChild<QComboBox*>("hardware");
  ASSERT_NE(chip, nullptr);
  for (int number = 1; number <= static_cast<int>(pages().size()); ++number) {
    // Not there where the page is about no experiment.
    if (auto* box = window->findChild<QComboBox*>("hardware")) box->setFocus(Qt::TabFocusReason);
    const QString before = chip->currentText();
    press(Qt::Key_0 + number, Qt::AltModifier);
    const DockArea::Made* at = window->docks().at(QApplication::focusWidget());
    ASSERT_NE(at, nullptr) << number;
    const QString& page = pages()[static_cast<size_t>(number) - 1].id;
    EXPECT_EQ(window->docks().page(), page);
    EXPECT_EQ(at->row->id, main.at(page)) << page.toStdString();
    EXPECT_EQ(qobject_cast<QComboBox*>(QApplication::focusWidget()), nullptr);
    for (const int key : {Qt::Key_Home, Qt::Key_PageUp, Qt::Key_PageDown}) press(key);
    EXPECT_EQ(chip->currentText(), before) << page.toStdString();
  }
}

TEST_F(SearchTest, AListThatNobodyWentToLeavesKeysToTheWindow) {
  auto* chip = window->findChild<QComboBox*>("hardware");
  const QString before = chip->currentText();
  chip->setFocus(Qt::OtherFocusReason);
  for (const int key : {Qt::Key_Home, Qt::Key_PageUp, Qt::Key_End, Qt::Key_A}) press(key);
  EXPECT_EQ(chip->currentText(), before);
  chip->setFocus(Qt::TabFocusReason);
  chip->clearFocus();
  chip->setFocus(Qt::TabFocusReason);
  QTest::keyClick(chip, Qt::Key_End);
  EXPECT_NE(chip->currentText(), before) << "who went there by Tab chooses by keys";
}

}  // namespace
}  // namespace shardscope::app_search_test
