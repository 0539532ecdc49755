// SPDX-License-Identifier: Apache-2.0
// The window in its states, drawn for real. With SHARDSCOPE_PICTURES=folder the pictures are kept to be
// looked at.
#include <QDialog>
#include <QDockWidget>
#include <QImage>
#include <QSet>

#include "app/window/chip/kernel_panel.h"
#include "app/window/dialogs/key_overview.h"
#include "app/window/dialogs/preferences_dialog.h"
#include "app/window/dialogs/preset_browser.h"
#include "app/window/shell/command_palette.h"
#include "tests/app/window_fixture.h"

namespace shardscope::looks_test {
namespace {

// More than a flat area: something was drawn.
void expect_drawn(QWidget& widget, const QString& name) {
  settle(60);
  const QImage image = widget.grab().toImage();
  QSet<QRgb> colors;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) colors.insert(image.pixel(x, y));
  }
  EXPECT_GT(colors.size(), 12) << name.toStdString();
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  if (!folder.isEmpty()) image.save(folder + "/" + name + ".png");
}

class LooksTest : public WindowTest {
 protected:
  void raise(const char* id) { window->docks().find(id)->dock->raise(); }
};

TEST_F(LooksTest, BeforeTheFirstRun) {
  expect_drawn(*window, "empty");
}

TEST_F(LooksTest, EveryStateIsDrawn) {
  runAll();
  clock().setBeat(clock().beatCount() / 3);
  expect_drawn(*window, "light");
  raise("memory");
  raise("sql");
  window->sqlBox()->run("SELECT run, strategy, mesh, total_s, overlap FROM run_summary");
  settle(300);
  expect_drawn(*window, "memory_sql");
  raise("roofline");
  expect_drawn(*window, "roofline");
  raise("compare");
  raise("runs");
  const auto& rows = window->runsTable()->model()->rows();
  ASSERT_GT(rows.size(), 4U);
  window->bench().presenter().compare({rows[3].id, rows[0].id});
  ASSERT_TRUE(wait_for([&] { return !window->bench().presenter().preparing(); }));
  expect_drawn(*window, "compare");
  clock().showComparison(nullptr);
}

TEST_F(LooksTest, DarkAndLargeAreDrawnToo) {
  runAll();
  clock().setBeat(clock().beatCount() / 3);
  preferences.overrideLook(true, 1.0);
  Q_EMIT preferences.lookChanged();
  expect_drawn(*window, "dark");
  preferences.overrideLook(true, 2.0);
  Q_EMIT preferences.lookChanged();
  expect_drawn(*window, "dark200");
  preferences.overrideLook(false, 2.0);
  Q_EMIT preferences.lookChanged();
  expect_drawn(*window, "light200");
  preferences.overrideLook(false, 1.0);
  Q_EMIT preferences.lookChanged();
}

TEST_F(LooksTest, AModuleAndItsRunAreDrawn) {
  window->showPanel("hlo");
  window->hlo()->openPreset("mlp");
  window->hlo()->run();
  ASSERT_TRUE(wait_for(
      [&] { return !window->hlo()->busy() && !window->bench().presenter().preparing() && clock().shown(); }));
  clock().setBeat(clock().beatCount());
  expect_drawn(*window, "hlo");
  for (const bool dark : {true, false}) {
    preferences.overrideLook(dark, 2.0);
    Q_EMIT preferences.lookChanged();
    window->showPanel("hlo");
    expect_drawn(*window, dark ? "hlo_dark200" : "hlo_light200");
  }
  preferences.overrideLook(false, 1.0);
  Q_EMIT preferences.lookChanged();
}

TEST_F(LooksTest, APresentationSaysASentencePerStep) {
  runAll();
  showRunOf("wang.os");
  Presentation* shown = presentation();
  shown->resize(1600, 1000);
  shown->show();
  clock().setBeat(1);
  const QString first = shown->talk().said();
  EXPECT_FALSE(first.isEmpty());
  expect_drawn(*shown, "presentation");
  clock().setBeat(clock().beatCount());
  EXPECT_NE(shown->talk().said(), first);
  shown->close();
}

TEST_F(LooksTest, KernelDockIsDrawnInEveryState) {
  window->showPanel("kernel");
  KernelPanel& panel = *window->kernel();
  KernelChoice choice = *parse_choice("kernel=ag.ring.one_semaphore;mesh=4;dtype=f32;seed=0");
  const auto loaded = [&] { ASSERT_TRUE(wait_for([&] { return !panel.busy(); })); };
  panel.open(choice);
  loaded();
  panel.tabs()->findings()->search();
  ASSERT_TRUE(wait_for([&] { return !panel.tabs()->findings()->job()->busy(); }));
  loaded();
  expect_drawn(*window, "kernel");
  Q_EMIT panel.enlargeRequested();
  QWidget* own = panel.window();
  ASSERT_NE(own, window.get());
  panel.tabs()->fixIt();
  ASSERT_TRUE(wait_for([&] { return panel.tabs()->twin()->player().canStep(); }));
  expect_drawn(*own, "kernel_fix");
  panel.tabs()->fixIt();
  choice = *parse_choice("kernel=matmul.tiled;m=2048;k=2048;n=2048;bm=256;bk=256;bn=256;dtype=bf16");
  panel.open(choice);
  loaded();
  panel.form()->more()->setChecked(true);
  panel.tabs()->setCurrentWidget(panel.tabs()->timeCanvas());
  panel.player().setStep(panel.player().steps() / 3);
  expect_drawn(*own, "kernel_time");
  panel.tabs()->setCurrentWidget(panel.tabs()->tiles());
  panel.tabs()->tiles()->run();
  ASSERT_TRUE(wait_for([&] { return !panel.tabs()->tiles()->job()->busy(); }));
  expect_drawn(*own, "kernel_tiles");
  preferences.overrideLook(true, 2.0);
  Q_EMIT preferences.lookChanged();
  panel.open(*parse_choice("kernel=ar.two_slot.no_capacity;mesh=4;seed=1"));
  loaded();
  panel.tabs()->setCurrentWidget(panel.tabs()->findings());
  panel.player().lookAt(0);
  expect_drawn(*own, "kernel_dark200");
  Q_EMIT panel.enlargeRequested();
  expect_drawn(*window, "kernel_docked200");
  preferences.overrideLook(false, 1.0);
  Q_EMIT preferences.lookChanged();
}

TEST_F(LooksTest, DialogsAreDrawnSmallAndLarge) {
  for (const bool large : {false, true}) {
    const QString end = large ? "_200_dark" : "";
    preferences.overrideLook(large, large ? 2.0 : 1.0);
    Q_EMIT preferences.lookChanged();
    window->resize(1280, large ? 720 : 800);
    PreferencesDialog dialog(preferences, window.get());
    dialog.show();
    for (const SettingSection& section : setting_sections()) {
      dialog.showSection(section.id);
      expect_drawn(dialog, "preferences_" + section.id + end);
    }
    KeyOverview keys(preferences.keys(), window.get());
    keys.setAttribute(Qt::WA_DeleteOnClose, false);
    keys.show();
    expect_drawn(keys, "keys_1280" + end);
    PresetBrowser presets(preferences.theme(), window.get());
    presets.show();
    presets.search()->setText("wang");
    ASSERT_TRUE(wait_for([&] { return presets.pictures().has("wang_os_8192"); }));
    settle(1500);
    expect_drawn(presets, "presets" + end);
    window->writtenBar().tell("/tmp/a folder/report.html");
    expect_drawn(*window, "written" + end);
  }
  preferences.overrideLook(false, 1.0);
  Q_EMIT preferences.lookChanged();
}

TEST_F(LooksTest, PaletteAndKeysOpen) {
  window->action("help.commands")->trigger();
  settle();
  auto* palette = window->findChild<CommandPalette*>();
  ASSERT_NE(palette, nullptr);
  palette->input()->setText("Present this");
  EXPECT_EQ(palette->list()->count(), 1);
  expect_drawn(*palette, "palette");
  palette->close();
  window->action("help.keys")->trigger();
  settle();
  auto* keys = window->findChild<KeyOverview*>();
  ASSERT_NE(keys, nullptr);
  expect_drawn(*keys, "keys");
}

}  // namespace
}  // namespace shardscope::looks_test
