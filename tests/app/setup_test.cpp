// SPDX-License-Identifier: Apache-2.0
// What an experiment is set up with: strategies, the chip, slow chips and links, options of a run.
#include <QDir>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "app/window/widgets/chip_speeds.h"
#include "app/window/widgets/speed_popup.h"
#include "engine/base/toml.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_run.h"
#include "tests/app/window_fixture.h"

namespace shardscope::setup_test {
namespace {

class SetupTest : public WindowTest {
 protected:
  const Experiment& experiment() { return window->bench().document().experiment(); }
  StrategyList* list() { return window->form()->strategies(); }
  void undo() { window->bench().document().undoStack().undo(); }
  void type(QLineEdit* edit, const QString& text) {
    edit->setText(text);
    edit->setModified(true);
    Q_EMIT edit->editingFinished();
  }
  // The simulated time of one strategy as the experiment stands.
  double total(const std::string& strategy) {
    window->bench().state().setNumerics(false);
    RunRequest request;
    request.strategy = strategy;
    window->bench().run(request);
    EXPECT_TRUE(wait_for(
        [&] { return !window->bench().jobs().running() && !window->bench().presenter().preparing(); }));
    const ShownRunPtr& shown = clock().shown();
    EXPECT_TRUE(shown && shown->run->strategy == strategy);
    return shown ? to_seconds(shown->run->timeline.total) : 0;
  }
  QTreeWidgetItem* itemOf(const QString& text) {
    const auto found = list()->findItems(text, Qt::MatchExactly | Qt::MatchRecursive, 0);
    return found.isEmpty() ? nullptr : found.front();
  }
};

TEST_F(SetupTest, EveryStrategyIsListedOnceUnderItsFamily) {
  for (const Strategy& strategy : strategies()) {
    const QString id = QString::fromUtf8(strategy.id.data(), static_cast<int>(strategy.id.size()));
    const auto found = list()->findItems(id, Qt::MatchExactly | Qt::MatchRecursive, 0);
    ASSERT_FALSE(found.isEmpty()) << strategy.id;
    const QTreeWidgetItem* heading = found.front()->parent();
    if (heading != nullptr) {
      EXPECT_EQ(heading->text(0), family_of(strategy)) << strategy.id;
    }
    if (strategy.kind == StrategyKind::broken) {
      EXPECT_EQ(found.front()->checkState(0), Qt::Unchecked) << "wrong on purpose runs only when asked for";
    }
  }
}

TEST_F(SetupTest, BoxOfAFamilyTicksAllOfItAndUndoTakesThatBack) {
  QTreeWidgetItem* wang = itemOf("wang");
  ASSERT_NE(wang, nullptr);
  ASSERT_EQ(wang->checkState(0), Qt::Checked);
  const int before = list()->wantedCount();
  const int members = wang->childCount();
  wang->setCheckState(0, Qt::Unchecked);
  settle();
  EXPECT_EQ(list()->wantedCount(), before - members);
  for (const RunRequest& request : experiment().runs) EXPECT_FALSE(request.strategy.starts_with("wang."));
  undo();
  settle();
  EXPECT_EQ(list()->wantedCount(), before);
}

TEST_F(SetupTest, FilterLetsThroughWhatHoldsAllItsWords) {
  QLineEdit* filter = window->form()->strategyPanel()->filter();
  window->action("strategies.filter")->trigger();
  QTest::keyClicks(filter, "wang gather");
  const QStringList shown = list()->shownStrategies();
  ASSERT_FALSE(shown.isEmpty());
  EXPECT_TRUE(std::ranges::all_of(shown, [](const QString& id) { return id.startsWith("wang."); }));
  EXPECT_LT(shown.size(), list()->rowCount());
  QTest::keyClick(filter, Qt::Key_Escape);
  EXPECT_EQ(list()->shownStrategies().size(), list()->rowCount());
}

TEST_F(SetupTest, SpaceInTheListTicksAStrategyFromTheKeyboard) {
  QLineEdit* filter = window->form()->strategyPanel()->filter();
  filter->setFocus();
  QTest::keyClicks(filter, "wang.os");
  QTest::keyClick(filter, Qt::Key_Down);
  ASSERT_NE(list()->currentItem(), nullptr);
  QTest::keyClick(list(), Qt::Key_Down);
  ASSERT_EQ(list()->currentItem()->text(0), "wang.os");
  QTest::keyClick(list(), Qt::Key_Space);
  settle();
  const auto is_wang = [](const RunRequest& request) { return request.strategy == "wang.os"; };
  EXPECT_TRUE(std::ranges::none_of(experiment().runs, is_wang));
  EXPECT_FALSE(experiment().runs.empty());
}

TEST_F(SetupTest, ThoseThatCanRunAreTickedInOneGo) {
  Experiment e = experiment();
  e.mesh = Mesh::parse("row=1,col=8").value();
  window->bench().document().change(e, "one ring");
  ASSERT_TRUE(wait_for([&] { return list()->reasonsKnown(); }));
  list()->tickRunnable();
  settle();
  ASSERT_FALSE(experiment().runs.empty());
  for (const RunRequest& request : experiment().runs)
    EXPECT_FALSE(reason_against(experiment(), request)) << request.strategy;
}

TEST_F(SetupTest, EveryNumberOfAHardwareFileIsAFieldOfTheChipForm) {
  for (const std::string& name : hardware_preset_names()) {
    const Hardware chip = find_hardware(name).value();
    std::vector<std::string> keys;
    for (const ChipField& field : chip_fields(chip)) {
      keys.push_back(field.key);
      const auto same = field.with(chip, field.text(chip));
      ASSERT_TRUE(same.ok()) << name << ' ' << field.key;
      EXPECT_EQ(field.text(*same), field.text(chip)) << name << ' ' << field.key;
    }
    for (const auto& [key, source] : chip.sources) {
      if (key == "topology" || key == "nccl") continue;  // words
      // Or of a row whose numbers are fields.
      EXPECT_TRUE(std::ranges::any_of(
          keys, [&](const std::string& field) { return field == key || field.starts_with(key + "."); }))
          << name << ' ' << key;
    }
  }
}

TEST_F(SetupTest, AChipWithMeasuredCollectivesHasFieldsForThemAndAnotherChipHasNone) {
  Hardware chip = find_hardware("h100").value();
  chip.name = "measured";
  LinkOp op;
  op.kind = "all-reduce";
  op.group = 8;
  op.step_s = 1.5e-6;
  chip.link.ops = {op};
  ChipForm* form = window->editChip();
  ASSERT_EQ(form->value("link.op.all-reduce.8.step_s"), nullptr);
  Experiment e = experiment();
  e.hardware = write_chip(chip, QString::fromStdString(testing::TempDir())).value().toStdString();
  window->bench().document().change(e, "a measured chip");
  settle();
  QLineEdit* step = form->value("link.op.all-reduce.8.step_s");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->text(), "1.5");
  EXPECT_TRUE(step->accessibleName().contains("all-reduce of 8")) << step->accessibleName().toStdString();
  type(step, "2.5");
  EXPECT_DOUBLE_EQ(form->chip().link.ops.at(0).step_s.value(), 2.5e-6);
  EXPECT_EQ(form->source("link.op.all-reduce.8.step_s")->text(), "set by hand");
  undo();
  settle();
  EXPECT_EQ(form->value("link.op.all-reduce.8.step_s"), nullptr);
  EXPECT_NE(form->value("link.latency_s"), nullptr);
}

TEST_F(SetupTest, EditedChipIsUsedAtOnceAndUndoRestoresThePublishedOne) {
  const double before = total("wang.os");
  const std::string published = experiment().hardware;
  ChipForm* form = window->editChip();
  type(form->value("link.bytes_per_s"), "4.5");
  EXPECT_EQ(form->chip().link.bytes_per_s, 4.5e9);
  EXPECT_EQ(form->source("link.bytes_per_s")->text(), "set by hand");
  EXPECT_EQ(form->chip().name, published + "-edited");
  ASSERT_TRUE(form->useIt().ok());
  ASSERT_NE(experiment().hardware, published);
  EXPECT_EQ(find_hardware(experiment().hardware).value(), form->chip());
  EXPECT_GT(total("wang.os"), 2 * before);
  undo();
  EXPECT_EQ(experiment().hardware, published);
  EXPECT_EQ(total("wang.os"), before);
  EXPECT_EQ(form->chip(), find_hardware(published).value());
  form->close();
}

TEST_F(SetupTest, ImpossibleNumberOfAChipIsRefusedBelowItsField) {
  ChipForm* form = window->editChip();
  const Hardware before = form->chip();
  type(form->value("compute.efficiency"), "1.5");
  EXPECT_TRUE(form->reason("compute.efficiency").contains("at most 1"));
  EXPECT_EQ(form->chip(), before);
  type(form->value("link.links_per_axis"), "two");
  EXPECT_TRUE(form->reason("link.links_per_axis").contains("whole number"));
  type(form->value("compute.efficiency"), "0.5");
  EXPECT_TRUE(form->reason("compute.efficiency").isEmpty());
  form->close();
}

TEST_F(SetupTest, EmptiedNumberMeansThatNobodyPublishedIt) {
  ChipForm* form = window->editChip();
  QLineEdit* bandwidth = form->value("memory.hbm_bytes_per_s");
  type(bandwidth, "");
  EXPECT_FALSE(form->chip().memory.hbm_bytes_per_s);
  EXPECT_EQ(bandwidth->placeholderText(), "not published");
  form->close();
}

TEST_F(SetupTest, ChipSavedWhereTheUserWantsItIsReadBackEqual) {
  QTemporaryDir folder;
  ChipForm* form = window->editChip();
  type(form->value("memory.hbm_bytes"), "32");
  ASSERT_TRUE(form->saveAs(folder.filePath("mine")).ok());
  EXPECT_EQ(experiment().hardware, folder.filePath("mine.toml").toStdString());
  EXPECT_EQ(find_hardware(experiment().hardware).value(), form->chip());
  form->close();
}

TEST_F(SetupTest, TwoChipsOfOneNameAreTwoFiles) {
  QTemporaryDir folder;
  Hardware chip = find_hardware("tpu-v4").value();
  const QString first = write_chip(chip, folder.path()).value();
  EXPECT_EQ(write_chip(chip, folder.path()).value(), first) << "the same chip again is the same file";
  chip.link.bytes_per_s = 1e9;
  EXPECT_NE(write_chip(chip, folder.path()).value(), first);
}

TEST_F(SetupTest, SlowChipSetByAClickMakesRunsSlowerUntilUndone) {
  const double before = total("wang.os");
  MeshPicture* picture = window->form()->mesh()->picture();
  QTest::mouseClick(picture, Qt::LeftButton, Qt::NoModifier, picture->placeOf(3).toPoint());
  auto* popup = window->findChild<SpeedPopup*>();
  ASSERT_NE(popup, nullptr);
  popup->slider()->setValue(50);
  popup->slider()->setValue(25);
  popup->close();
  ASSERT_EQ(experiment().overrides.devices.size(), 1U);
  EXPECT_EQ(experiment().overrides.devices[0], (DeviceOverride{3, 0.25}));
  EXPECT_TRUE(picture->accessibleDescription().contains("chip 3 runs at ¼×"));
  EXPECT_GT(total("wang.os"), before);
  undo();  // one slide is one step
  EXPECT_TRUE(experiment().overrides.empty());
  EXPECT_EQ(total("wang.os"), before);
}

TEST_F(SetupTest, LinkIsBrokenByAClickAndSaidInWords) {
  MeshPicture* picture = window->form()->mesh()->picture();
  QTest::mouseClick(picture, Qt::LeftButton, Qt::NoModifier, picture->placeOfLink(0, 1).toPoint());
  auto* popup = window->findChild<SpeedPopup*>();
  ASSERT_NE(popup, nullptr);
  popup->slider()->setValue(0);
  popup->close();
  ASSERT_EQ(experiment().overrides.links.size(), 1U);
  EXPECT_EQ(experiment().overrides.links[0], (LinkOverride{0, 1, 0}));
  EXPECT_TRUE(picture->accessibleDescription().contains("link 0–1 is broken"));
}

TEST_F(SetupTest, SpeedsAreSetFromTheKeyboardToo) {
  MeshPicture* picture = window->form()->mesh()->picture();
  picture->setFocus();
  QTest::keyClick(picture, Qt::Key_Right);
  QTest::keyClick(picture, Qt::Key_Return);
  auto* popup = window->findChild<SpeedPopup*>();
  ASSERT_NE(popup, nullptr);
  QTest::keyClick(popup->slider(), Qt::Key_Left);
  QTest::keyClick(popup, Qt::Key_Escape);
  ASSERT_EQ(experiment().overrides.devices.size(), 1U);
  EXPECT_EQ(experiment().overrides.devices[0], (DeviceOverride{1, 0.95}));
}

TEST_F(SetupTest, MeshThatThisMachineCannotCarryIsRefusedWhileItIsTyped) {
  const Mesh before = experiment().mesh;
  QTableWidget* table = window->form()->mesh()->table();
  table->editItem(table->item(0, 1));
  auto* field = table->findChild<QLineEdit*>();
  ASSERT_NE(field, nullptr);
  QTest::keyClicks(field, "100000");
  const QString refused = window->form()->mesh()->error();
  EXPECT_TRUE(refused.contains("too many for this machine")) << refused.toStdString();
  EXPECT_TRUE(refused.contains("make row ")) << refused.toStdString();
  QTest::keyClick(field, Qt::Key_Return);
  settle();
  EXPECT_EQ(experiment().mesh, before);
}

TEST_F(SetupTest, DraggingADeviceOntoAnotherStillSwapsThem) {
  MeshPicture* picture = window->form()->mesh()->picture();
  const QPoint from = picture->placeOf(0).toPoint(), to = picture->placeOf(2).toPoint();
  QTest::mousePress(picture, Qt::LeftButton, Qt::NoModifier, from);
  QMouseEvent move(QEvent::MouseMove, to, picture->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                   Qt::NoModifier);
  QCoreApplication::sendEvent(picture, &move);
  QTest::mouseRelease(picture, Qt::LeftButton, Qt::NoModifier, to);
  EXPECT_EQ(experiment().mesh.chip_of(DeviceId(0)), 2);
  EXPECT_EQ(experiment().mesh.chip_of(DeviceId(2)), 0);
  EXPECT_TRUE(experiment().overrides.empty());
}

TEST_F(SetupTest, MeshOfAnotherSizeForgetsItsSlowChips) {
  Experiment e = experiment();
  e.overrides = with_chip_speed({}, 7, 0.5);
  window->bench().document().change(e, "slow");
  window->form()->mesh()->table()->item(1, 1)->setText("2");
  settle();
  EXPECT_TRUE(experiment().overrides.empty());
}

TEST_F(SetupTest, WrapsFollowTheChipUntilSomebodyTicksABox) {
  Experiment e = experiment();
  e.chip_wraps = true;
  e.hardware = "tpu-v4";
  window->bench().document().change(e, "chip's wraps");
  MeshEditor* editor = window->form()->mesh();
  EXPECT_TRUE(editor->chipWraps()->isChecked());
  const Mesh resolved = with_chip_wraps(e.mesh, find_hardware("tpu-v4").value());
  for (int axis = 0; axis < resolved.rank(); ++axis) {
    const QTableWidgetItem* cell = editor->table()->item(axis, 2);
    EXPECT_EQ(cell->checkState() == Qt::Checked, resolved.axes()[static_cast<size_t>(axis)].wrap);
    EXPECT_TRUE(cell->text().startsWith("as the chip"));
  }
  QTableWidgetItem* cell = editor->table()->item(0, 2);
  const bool wrapped = cell->checkState() == Qt::Checked;
  cell->setCheckState(wrapped ? Qt::Unchecked : Qt::Checked);
  settle();
  EXPECT_FALSE(experiment().chip_wraps);
  EXPECT_EQ(experiment().mesh.axes()[0].wrap, !wrapped);
  EXPECT_FALSE(editor->chipWraps()->isChecked());
  undo();
  EXPECT_TRUE(experiment().chip_wraps);
}

TEST_F(SetupTest, AResultOfAnotherRankIsNoShardingOfY) {
  const auto presets = hlo_presets();
  const auto batch = std::ranges::find(presets, "batch_matmul", &HloPreset::name);
  ASSERT_NE(batch, presets.end());
  const auto made = execute_module(read_hlo(batch->text, "batch.hlo")->program, {}, {});
  ASSERT_TRUE(made.ok() && made->run->program.output);
  ASSERT_EQ(made->run->program.output->spec.dims.size(), 3U);
  clock().showRun(show(made->run));
  EXPECT_EQ(window->form()->sharding()->spec(2)->placeholderText(), "P()");
}

TEST_F(SetupTest, OptionsReachTheStrategiesThatReadThem) {
  OptionsForm* options = window->form()->options();
  type(options->option("slices"), "2");
  int read = 0;
  for (const RunRequest& request : experiment().runs) {
    const auto strategy = find_strategy(request.strategy);
    ASSERT_TRUE(strategy.ok());
    const bool reads = std::ranges::count((*strategy)->options, "slices") > 0;
    EXPECT_EQ(request.options.slices.has_value(), reads) << request.strategy;
    read += reads ? 1 : 0;
  }
  EXPECT_GT(read, 0);
  EXPECT_EQ(options->option("slices")->text(), "2");
  type(options->option("slices"), "1.5");
  EXPECT_TRUE(options->error().contains("whole number"));
  type(options->option("rtol"), "0.01");
  EXPECT_EQ(experiment().check.rtol, 0.01);
}

TEST_F(SetupTest, RolesOfTheAxesReachTheStrategiesThatHaveThem) {
  QLineEdit* roles = window->form()->options()->roles();
  type(roles, "row=col,col=row");
  for (const RunRequest& request : experiment().runs) {
    const auto strategy = find_strategy(request.strategy);
    ASSERT_TRUE(strategy.ok());
    const bool has = std::ranges::count((*strategy)->roles, "row") > 0;
    EXPECT_EQ(request.options.axes.count("row") > 0, has) << request.strategy;
  }
  type(roles, "row");
  EXPECT_TRUE(window->form()->options()->error().contains("a role and an axis"));
}

TEST_F(SetupTest, AskedForAlgorithmIsUsedAndAutoSaysWhy) {
  OptionsForm* options = window->form()->options();
  options->collective()->setCurrentText("ring");
  Q_EMIT options->collective()->activated(options->collective()->currentIndex());
  EXPECT_EQ(experiment().collective, CollectiveAlgorithm::ring);
  total("collective.os");
  EXPECT_TRUE(options->chosen().contains(": ring"));
  undo();
  total("collective.os");
  EXPECT_TRUE(options->chosen().contains(" – ")) << options->chosen().toStdString();
}

}  // namespace
}  // namespace shardscope::setup_test
