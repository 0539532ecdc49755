// SPDX-License-Identifier: Apache-2.0
// One table of settings: each is changed where it stands, counts at once, is kept and can be reset.
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSettings>
#include <QTest>

#include "app/window/dialogs/preferences_dialog.h"
#include "app/window/settings/new_experiment.h"
#include "tests/app/window_fixture.h"

namespace shardscope::settings_test {
namespace {

class SettingsTest : public WindowTest {
 protected:
  void SetUp() override {
    forget();
    WindowTest::SetUp();
  }
  void TearDown() override {
    window.reset();
    forget();
  }
  void forget() {
    for (const Setting& row : settings_table()) preferences.settings().reset(row.id);
  }
  Settings& settings() { return preferences.settings(); }
};

// Another value than the setting has, put in through its field.
void change(QWidget* field) {
  if (auto* box = qobject_cast<QCheckBox*>(field)) return box->click();
  if (auto* number = qobject_cast<QDoubleSpinBox*>(field)) return number->stepUp();
  if (auto* combo = qobject_cast<QComboBox*>(field))
    return combo->setCurrentIndex(combo->currentIndex() == 0 ? 1 : 0);
  if (auto* text = qobject_cast<QLineEdit*>(field)) {
    text->clear();
    QTest::keyClicks(text, text->objectName() == "new.mesh" ? "row=4,col=2" : "64");
  }
}

TEST_F(SettingsTest, EverySettingIsChangedInThePreferencesAndResetThere) {
  PreferencesDialog* dialog = show_preferences(preferences, window.get());
  int changed = 0;
  for (const Setting& row : settings_table()) {
    if (row.title.isEmpty() || row.remembered) continue;
    auto* field = dialog->findChild<QWidget*>(row.id);
    ASSERT_NE(field, nullptr) << row.id.toStdString();
    EXPECT_FALSE(field->accessibleName().isEmpty()) << row.id.toStdString();
    EXPECT_FALSE(field->toolTip().isEmpty()) << row.id.toStdString();
    change(field);
    EXPECT_NE(settings().value(row.id), row.first) << row.id.toStdString();
    EXPECT_EQ(Preferences().settings().value(row.id), settings().value(row.id)) << "kept";
    ++changed;
  }
  EXPECT_GT(changed, 12);
  for (const SettingSection& section : setting_sections()) {
    dialog->showSection(section.id);
    dialog->resetButton()->click();
  }
  for (const Setting& row : settings_table()) EXPECT_TRUE(settings().isFirst(row.id)) << row.id.toStdString();
}

TEST_F(SettingsTest, EverythingThatTheWindowKeepsIsInTheTable) {
  runAll();
  window->action("look.dark")->trigger();
  window->action("step.in_time")->trigger();
  window->close();
  for (const QString& key : QSettings().allKeys())
    EXPECT_NE(find_setting(key), nullptr) << key.toStdString() << " is kept, but no setting";
}

TEST_F(SettingsTest, ALookCountsAtOnceAndFollowsTheMenu) {
  PreferencesDialog* dialog = show_preferences(preferences, window.get(), "look");
  auto* dark = dialog->findChild<QCheckBox*>("dark");
  dark->click();
  EXPECT_TRUE(window->action("look.dark")->isChecked());
  EXPECT_EQ(window->timeline()->theme().dark, true);
  window->action("look.dark")->trigger();
  EXPECT_FALSE(dark->isChecked());
}

TEST_F(SettingsTest, AWrongValueIsRefusedInPlace) {
  PreferencesDialog* dialog = show_preferences(preferences, window.get(), "new");
  auto* mesh = dialog->findChild<QLineEdit*>("new.mesh");
  mesh->setText("");
  QTest::keyClicks(mesh, "row=0");
  EXPECT_TRUE(mesh->property("invalid").toBool());
  EXPECT_TRUE(find_setting("new.mesh")->refusal(settings().value("new.mesh").toString()).isEmpty());
  settings().reset("scale");  // the test's own
  QSettings().setValue("scale", 99);
  QSettings().setValue("new.mesh", "nonsense");
  EXPECT_EQ(settings().value("scale").toDouble(), 3) << "a file that somebody edited";
  EXPECT_EQ(settings().value("new.mesh").toString(), find_setting("new.mesh")->first.toString());
}

TEST_F(SettingsTest, ANewExperimentBeginsAsThePreferencesSay) {
  settings().set("new.mesh", "row=4,col=4");
  settings().set("new.dtype", "f32");
  settings().set("new.overlap", "off");
  settings().set("new.m", "128");
  settings().set("new.numerics", false);
  window->action("file.new")->trigger();
  const Experiment& e = window->bench().document().experiment();
  EXPECT_EQ(e.mesh.text(), "row=4,col=4");
  EXPECT_EQ(e.problem.m, 128);
  EXPECT_EQ(e.problem.dtype, ElementType::f32);
  EXPECT_FALSE(e.overlap);
  EXPECT_FALSE(window->bench().state().numerics());
  EXPECT_TRUE(window->bench().document().file().isEmpty());
}

TEST_F(SettingsTest, LimitsOfMemoryCountAtOnce) {
  settings().set("memory.events", 1);
  runAll();
  const auto earlier = window->bench().runs().known().size();
  ASSERT_GT(earlier, 1U);
  settings().set("memory.earlier_mib", 0);
  EXPECT_EQ(window->bench().runs().known().size(), earlier) << "those of the experiment stay";
  window->action("file.new")->trigger();
  EXPECT_TRUE(window->bench().runs().known().empty());
}

}  // namespace
}  // namespace shardscope::settings_test
