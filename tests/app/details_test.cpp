// SPDX-License-Identifier: Apache-2.0
// The panel that says what is selected, the palette, and which strategy Run runs.
#include <QApplication>
#include <QClipboard>
#include <QPushButton>
#include <QTest>

#include "app/window/runs/details_panel.h"
#include "app/window/shell/command_palette.h"
#include "tests/app/window_fixture.h"

namespace shardscope::details_test {
namespace {

class DetailsTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    open("teaching");
    runAll();
    showRunOf("wang.os");
  }
  DetailsPanel& panel() { return *window->docks().widget<DetailsPanel>("details"); }
  const Timeline& timeline() { return clock().shown()->run->timeline; }
  const DetailSection* section(const std::string& heading) {
    for (const DetailSection& each : panel().details().sections) {
      if (each.heading == heading) return &each;
    }
    return nullptr;
  }
  template <class Wanted>
  int32_t first(Wanted wanted) {
    for (size_t i = 0; i < timeline().events.size(); ++i) {
      if (wanted(timeline().events[i])) return static_cast<int32_t>(i);
    }
    return -1;
  }
};

TEST_F(DetailsTest, WithoutASelectionTheRunIsTold) {
  EXPECT_EQ(panel().details().title, "wang.os");
  ASSERT_NE(section("Critical path"), nullptr);
  ASSERT_NE(section("Operations"), nullptr);
  EXPECT_TRUE(panel().text()->toPlainText().contains("end of the last event"));
}

TEST_F(DetailsTest, ATransferSaysItsFormulaAndWhereTheConstantsComeFrom) {
  const int32_t number =
      first([](const Event& event) { return event.kind == EventKind::transfer && !event.relayed; });
  ASSERT_GE(number, 0);
  select(number);
  const DetailSection* why = section("Why it takes that long");
  ASSERT_NE(why, nullptr);
  EXPECT_NE(why->facts[0].formula.find("α + bytes / β"), std::string::npos);
  const auto& sources = clock().shown()->run->hardware.sources;
  EXPECT_NE(why->facts[1].source.find(sources.at("link.latency_s")), std::string::npos);
  EXPECT_EQ(why->facts[0].value, format_picoseconds(timeline().events[static_cast<size_t>(number)].end -
                                                    timeline().events[static_cast<size_t>(number)].start));
}

TEST_F(DetailsTest, LinksGoToCauseAndEffectAndBack) {
  const int32_t number = first([](const Event& event) { return event.cause >= 0; });
  ASSERT_GE(number, 0);
  select(number);
  panel().follow(0);
  EXPECT_EQ(clock().selection().selected.event, timeline().events[static_cast<size_t>(number)].cause);
  const DetailSection* ways = section("Causes and effects");
  ASSERT_NE(ways, nullptr);
  EXPECT_TRUE(std::ranges::any_of(ways->links, [&](const DetailLink& l) { return l.to.event == number; }));
}

TEST_F(DetailsTest, ARangeIsSummedByOperation) {
  clock().setRange(TimeRange{0, timeline().total});
  settle();
  const DetailSection* sums = section("Operations of all devices in it");
  ASSERT_NE(sums, nullptr);
  int64_t count = 0;
  for (const auto& row : sums->table.rows) count += std::stoll(row[1]);
  const int64_t events = std::ranges::count_if(timeline().events, [](const Event& e) { return !e.relayed; });
  EXPECT_EQ(count, events);
  clock().setRange(TimeRange{0, 1});
  settle();
  ASSERT_NE(section("Operations of all devices in it"), nullptr);
  int64_t begun = 0;
  for (const auto& row : section("Operations of all devices in it")->table.rows) begun += std::stoll(row[1]);
  EXPECT_LT(begun, count);
  EXPECT_GT(begun, 0);
}

TEST_F(DetailsTest, ACellOfTheOperationsMarksItsTimeAndSelectsItsOperation) {
  auto* canvas = window->docks().widget<RunCanvas>("operations");
  window->docks().go("operations");
  settle();
  const Scene& scene = canvas->scene();
  const auto cell = std::ranges::find_if(scene.rects(), [&](const RectItem& r) {
    return r.id >= 0 && scene.ids()[static_cast<size_t>(r.id)].index >= 2;
  });
  ASSERT_NE(cell, scene.rects().end());
  const ItemId item = scene.ids()[static_cast<size_t>(cell->id)];
  QTest::mouseClick(canvas, Qt::LeftButton, Qt::NoModifier,
                    QPoint(static_cast<int>(cell->rect.x + cell->rect.w / 2),
                           static_cast<int>(cell->rect.y + cell->rect.h / 2)));
  settle();
  ASSERT_TRUE(clock().selection().range.has_value());
  EXPECT_GT(clock().selection().range->start, 0);
  EXPECT_EQ(clock().selection().selected.instruction, item.instruction);
  EXPECT_NE(section("Operations of all devices in it"), nullptr);
  const TimeRange first = *clock().selection().range;
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_Period);
  EXPECT_EQ(clock().selection().range->start, first.end) << "the next part";
  QTest::keyClick(canvas, Qt::Key_Down);
  EXPECT_NE(clock().selection().selected.instruction, item.instruction);
  QTest::keyClick(canvas, Qt::Key_Escape);
  EXPECT_FALSE(clock().selection().range.has_value());
}

TEST_F(DetailsTest, AnEventSaysWhyItStartsAndWhatItsCollectiveTakes) {
  select(first([](const Event& event) { return event.kind == EventKind::transfer && event.cause >= 0; }));
  ASSERT_NE(section("Why it starts then"), nullptr);
  EXPECT_FALSE(section("Why it starts then")->facts[0].formula.empty());
}

TEST_F(DetailsTest, EverythingThatCanBeSelectedIsTold) {
  for (RunCanvas* canvas : window->canvases()) {
    for (const ItemId& id : canvas->scene().ids()) {
      if (id.kind == ItemId::Kind::none || id.kind == ItemId::Kind::handle) continue;
      clock().select(id);
      EXPECT_FALSE(panel().details().title.empty()) << canvas->view().id;
    }
  }
}

TEST_F(DetailsTest, CopiesAreTheSameFactsAsCsvAndMarkdown) {
  select(first([](const Event& event) { return event.kind == EventKind::transfer; }));
  for (QPushButton* button : panel().findChildren<QPushButton*>()) {
    button->click();
    const QString copied = QApplication::clipboard()->text();
    for (const DetailSection& each : panel().details().sections) {
      for (const Fact& fact : each.facts) {
        EXPECT_TRUE(QString(copied).remove('"').contains(QString::fromStdString(fact.value))) << fact.value;
      }
      for (const auto& row : each.table.rows)
        EXPECT_TRUE(copied.contains(QString::fromStdString(row[0]))) << row[0];
    }
  }
  EXPECT_TRUE(panel().csv().startsWith("section,fact,value,formula,source\n"));
  EXPECT_TRUE(panel().markdown().contains("| --- |"));
}

TEST_F(DetailsTest, RunSaysWhichStrategyItRuns) {
  EXPECT_EQ(window->action("run.one")->text(), "Run wang.os") << "the one that is shown";
  window->form()->strategies()->select("psum");
  EXPECT_EQ(window->action("run.one")->text(), "Run psum");
  window->action("run.one")->trigger();
  ASSERT_TRUE(wait_for([&] { return clock().shown()->run->strategy == "psum"; }));
  TestedWindow fresh(preferences);
  ASSERT_TRUE(fresh.bench().openPreset("teaching").ok());
  EXPECT_EQ(fresh.action("run.one")->text(), "Run collective.os") << "the experiment's first";
}

TEST_F(DetailsTest, ThePaletteFindsAbbreviationsAndPutsRecentCommandsFirst) {
  const auto palette = [&] {
    window->action("help.commands")->trigger();
    settle();
    return window->findChild<CommandPalette*>();
  };
  CommandPalette* first = palette();
  first->input()->setText("prstvw");
  ASSERT_GT(first->list()->count(), 0);
  EXPECT_TRUE(first->list()->item(0)->text().startsWith("Present this view"))
      << first->list()->item(0)->text().toStdString();
  EXPECT_TRUE(first->list()->item(0)->text().contains("F11"));
  first->input()->setText("zzzq");
  EXPECT_EQ(first->list()->count(), 0);
  first->input()->setText("go to memory");
  first->list()->setCurrentRow(0);
  QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
  QCoreApplication::sendEvent(first->input(), &enter);
  settle();
  EXPECT_TRUE(window->canvas("memory")->isVisible());
  EXPECT_EQ(palette()->list()->item(0)->text(), "Go to Memory");
}

}  // namespace
}  // namespace shardscope::details_test
