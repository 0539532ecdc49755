// SPDX-License-Identifier: Apache-2.0
// The strip of the module's stages through the real window, modules side by side, and the atlas.
#include <QApplication>
#include <QFileDialog>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>

#include "app/window/module/hlo_diff.h"
#include "engine/program/text/hlo_text.h"
#include "engine/report/modules_report.h"
#include "tests/app/window_fixture.h"

namespace shardscope::stages_test {
namespace {

class StagesTest : public WindowTest {
 protected:
  HloPanel* panel() { return window->hlo(); }
  HloStages* stages() { return panel()->findChild<HloStages*>(); }
  void open(const QString& preset) {
    window->showPanel("hlo");
    panel()->openPreset(preset);
    settle(20);
    wait();
  }
  void wait() {
    ASSERT_TRUE(wait_for([&] { return !panel()->busy() && !stages()->busy(); }));
    settle();
  }
  std::vector<std::string> titles() {
    std::vector<std::string> out;
    for (const StripStage& stage : *stages()->stages()) out.push_back(stage.title);
    return out;
  }
  // Gives the next dialog that asks for a file this one.
  void answer(const QString& path) {
    auto* timer = new QTimer(window.get());
    QObject::connect(timer, &QTimer::timeout, timer, [timer, path] {
      if (auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
        dialog->findChild<QLineEdit*>("fileNameEdit")->setText(path);
        static_cast<QDialog*>(dialog)->accept();
        timer->deleteLater();
      }
    });
    timer->start(10);
  }
  QTemporaryDir folder;
  // Clicks on the stage in the strip.
  void click(int stage, Qt::KeyboardModifiers keys = Qt::NoModifier) {
    const auto& items = stages()->strip()->scene().accessible();
    ASSERT_LT(static_cast<size_t>(stage), items.size());
    const Rect& box = items[static_cast<size_t>(stage)].rect;
    QTest::mouseClick(stages()->strip(), Qt::LeftButton, keys,
                      QPoint(static_cast<int>(box.x + box.w / 2), static_cast<int>(box.y + box.h / 2)));
    wait();
  }
};

TEST_F(StagesTest, TheStripIsTheStagesThatTheModuleWentThrough) {
  open("mlp");
  ASSERT_NE(stages()->stages(), nullptr);
  EXPECT_TRUE(stages()->strip()->isVisible());
  const auto names = titles();
  ASSERT_GE(names.size(), 3U);
  EXPECT_EQ(names.front(), "module");
  EXPECT_NE(std::ranges::find(names, "propagated"), names.end());
  EXPECT_NE(std::ranges::find(names, "partitioned"), names.end());
  EXPECT_EQ(stages()->shown(), (std::pair<int, int>{0, 0}));
  EXPECT_TRUE(panel()->findChild<HloTexts*>()->source()->isVisible());
}

TEST_F(StagesTest, AStageStandsBesideTheOneThatItWasMadeFrom) {
  open("mlp");
  const auto names = titles();
  const auto place = static_cast<int>(std::ranges::find(names, "partitioned") - names.begin());
  click(place);
  EXPECT_EQ(stages()->shown(), (std::pair<int, int>{place - 1, place}));
  EXPECT_FALSE(panel()->findChild<HloTexts*>()->source()->isVisible());
  const StripStage& made = (*stages()->stages())[static_cast<size_t>(place)];
  EXPECT_EQ(stages()->right()->text()->text(), print_program(*made.stage->program));
  // What differs is marked until a line is chosen, which marks what belongs with it.
  EXPECT_TRUE(stages()->right()->marked().contains("all-reduce"));
  Q_EMIT stages()->right()->instructionChosen("all-reduce");
  EXPECT_TRUE(stages()->right()->marked().contains("all-reduce"));
  EXPECT_FALSE(stages()->left()->marked().isEmpty());
  EXPECT_FALSE(stages()->differences()->isChecked());
  EXPECT_TRUE(std::ranges::any_of(stages()->links()->links(),
                                  [](const LineLink& l) { return l.chosen && l.right == "all-reduce"; }));
  // The rest of the page follows.
  EXPECT_EQ(panel()->findChild<HloTables*>()->currentCollective(), 0);
  stages()->differences()->click();
  EXPECT_GT(stages()->right()->marked().size(), 1);
  click(0, Qt::ControlModifier);
  EXPECT_EQ(stages()->shown(), (std::pair<int, int>{0, place}));
  click(0);
  EXPECT_EQ(stages()->shown(), (std::pair<int, int>{0, 0}));
  EXPECT_TRUE(panel()->findChild<HloTexts*>()->source()->isVisible());
}

TEST_F(StagesTest, AnEditKeepsTheStageThatIsLookedAt) {
  open("mlp");
  click(1);
  panel()->openPreset("mlp");
  settle(20);
  wait();
  EXPECT_EQ(stages()->shown().second, 0) << "another module begins at its text";
  click(1);
  Q_EMIT panel()->findChild<HloOptionsForm*>()->changed();
  settle(20);
  ASSERT_TRUE(wait_for([&] { return !panel()->busy() && !stages()->busy(); }));
  EXPECT_EQ(stages()->shown(), (std::pair<int, int>{0, 1}));
}

TEST_F(StagesTest, SeveralModulesStandSideBySideAndAreOnePage) {
  open("mlp");
  window->action("hlo.diff")->trigger();
  auto* diff = window->findChild<HloDiff*>();
  ASSERT_NE(diff, nullptr);
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  EXPECT_EQ(diff->shown(), 2U);
  diff->addAnother();
  diff->compare({"itself", panel()->file().text()});
  ASSERT_TRUE(wait_for([&] { return !diff->busy(); }));
  ASSERT_EQ(diff->shown(), 3U);
  EXPECT_TRUE(diff->view(2)->isVisible());
  EXPECT_EQ(diff->counts()->columnCount(), 5);
  EXPECT_EQ(diff->view(0)->text()->text(), diff->view(2)->text()->text());
  // A line of the first finds its equal in the last, past the one between.
  Q_EMIT diff->view(0)->instructionChosen("y");
  EXPECT_TRUE(diff->view(2)->selectedText().contains("%y = ")) << diff->view(2)->selectedText().toStdString();
  QString page;
  QObject::connect(diff, &HloDiff::pageMade, diff, [&](const QString& html) { page = html; });
  const QString path = folder.filePath("modules.html");
  answer(path);
  for (QToolButton* each : diff->findChildren<QToolButton*>())
    if (each->text().contains("HTML")) each->click();
  ASSERT_TRUE(wait_for([&] { return !page.isEmpty(); }));
  EXPECT_TRUE(page.contains("all-reduce"));
  EXPECT_LE(page.toUtf8().size(), static_cast<qsizetype>(kMostModulesPage));
  diff->close();
}

TEST_F(StagesTest, SlidersTimeTheAtlasAgainAndPinsNarrowIt) {
  auto* atlas = qobject_cast<AtlasPanel*>(window->showPanel("atlas").widget);
  ASSERT_NE(atlas, nullptr);
  atlas->mesh()->setText("x=2,y=2");
  atlas->sizes()->setText("1024,1024,1024");
  atlas->run();
  ASSERT_TRUE(wait_for([&] { return !atlas->busy(); }));
  ASSERT_NE(atlas->result(), nullptr);
  EXPECT_EQ(atlas->result(), atlas->first());
  EXPECT_EQ(atlas->slider(0)->size(), 1024);
  const size_t places = atlas->chart()->scene().accessible().size();
  EXPECT_EQ(places, atlas->result()->splits.size() * atlas->result()->splits.size());
  // A newer place of the slider takes the older one's, whose work is dropped.
  atlas->slider(0)->slider()->setValue(7);
  settle(200);
  atlas->slider(0)->slider()->setValue(16);
  ASSERT_TRUE(wait_for([&] { return atlas->sizes()->text() == "65536,1024,1024" && !atlas->busy(); }));
  EXPECT_NE(atlas->result(), atlas->first());
  EXPECT_GT(crossed_cells(*atlas->result(), *atlas->first(), {}), 0U);
  atlas->pin(0)->setCurrentIndex(1);
  atlas->pin(2)->setCurrentIndex(1);
  settle();
  EXPECT_EQ(atlas->chart()->scene().accessible().size(), atlas->result()->splits.size());
  ItemId place;
  place.kind = ItemId::Kind::candidate;
  place.index = 0;
  Q_EMIT atlas->chart()->chosen(place);
  auto* curves = atlas->findChild<PictureCanvas*>("Atlas crossovers");
  ASSERT_NE(curves, nullptr);
  EXPECT_TRUE(curves->isVisible());
  ASSERT_TRUE(wait_for([&] { return !atlas->busy(); }));
  settle();
  EXPECT_GT(curves->scene().lines().size(), 3U);
}

}  // namespace
}  // namespace shardscope::stages_test
