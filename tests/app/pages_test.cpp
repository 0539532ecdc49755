// SPDX-License-Identifier: Apache-2.0
// The pages of the window: their table, their arrangements, what has room where.
#include <QAccessible>
#include <QHoverEvent>
#include <QScrollArea>
#include <QSet>
#include <QTabBar>
#include <QTest>

#include "app/window/runs/events_table.h"
#include "tests/app/window_fixture.h"

namespace shardscope::window_pages_test {
namespace {

class PagesTest : public WindowTest {
 protected:
  DockArea& docks() { return window->docks(); }
  QTabBar* tabs() { return window->findChild<QTabBar*>("pageTabs"); }
  // Where every dock that is to be seen stands.
  std::map<QString, QRect> places() {
    std::map<QString, QRect> out;
    for (const DockArea::Made& made : docks().all()) {
      if (inFront(made)) out[made.row->id] = made.dock->geometry();
    }
    return out;
  }
  // Tabs behind another stand outside of the area.
  static bool inFront(const DockArea::Made& made) {
    return made.dock->isVisible() && made.dock->parentWidget()->rect().intersects(made.dock->geometry());
  }
  bool inFront(const QString& id) { return inFront(*docks().find(id)); }
  void look(double width, double height, double scale, bool dark = false) {
    preferences.overrideLook(dark, scale);
    Q_EMIT preferences.lookChanged();
    window->resize(static_cast<int>(width), static_cast<int>(height));
    settle();
  }
};

TEST_F(PagesTest, EveryDockStandsOnAPageAndEveryNameOfAPageIsADock) {
  QSet<QString> known, used;
  for (const Dock& dock : shardscope::docks()) known << dock.id;
  QSet<QString> ids;
  for (const Page& page : pages()) {
    EXPECT_FALSE(ids.contains(page.id)) << page.id.toStdString();
    ids << page.id;
    EXPECT_FALSE(page.title.isEmpty() || page.about.isEmpty()) << page.id.toStdString();
    QSet<QString> here;
    for (const Page::Group& group : page.groups) {
      ASSERT_FALSE(group.docks.isEmpty()) << page.id.toStdString();
      for (const QString& id : group.docks) {
        EXPECT_TRUE(known.contains(id)) << id.toStdString();
        EXPECT_FALSE(here.contains(id)) << id.toStdString() << " twice on " << page.id.toStdString();
        here << id;
      }
    }
    used |= here;
  }
  for (const QString& id : known) {
    EXPECT_TRUE(used.contains(id)) << id.toStdString();
    EXPECT_NE(home_of(id), nullptr) << id.toStdString();
  }
}

TEST_F(PagesTest, NoFormOfAPageLosesADock) {
  for (const Page& page : pages()) {
    qsizetype count = 0;
    for (const Page::Group& group : page.groups) count += group.docks.size();
    for (const Form form : kEveryForm) {
      qsizetype there = 0;
      for (const QStringList& tabs : docks_by_place(page, form)) there += tabs.size();
      EXPECT_EQ(there, count) << page.id.toStdString() << " " << name(form);
    }
  }
}

TEST_F(PagesTest, AltAndADigitGoToEachPage) {
  window->activateWindow();
  for (size_t i = pages().size(); i-- > 0;) {
    QTest::keyClick(window.get(), static_cast<Qt::Key>(Qt::Key_1 + i), Qt::AltModifier);
    EXPECT_EQ(docks().page(), pages()[i].id);
    EXPECT_EQ(tabs()->currentIndex(), static_cast<int>(i));
    settle(5);
    for (const Page::Group& group : pages()[i].groups)
      EXPECT_TRUE(inFront(group.docks.front())) << group.docks.front().toStdString();
  }
}

// Qt looked for the line under the pointer in the arrangement that had come meanwhile, and crashed.
TEST_F(PagesTest, APageMayBeLeftWhileThePointerIsOnTheLineBetweenTwoDocks) {
  QWidget* area = docks().all().front().dock->parentWidget();
  const auto hover = [area](QEvent::Type type, QPoint at) {
    QHoverEvent event(type, at, area->mapToGlobal(at), QPoint());
    QCoreApplication::sendEvent(area, &event);
  };
  int lines = 0;
  for (size_t i = 0; i < pages().size(); ++i) {
    docks().setPage(pages()[i].id);
    settle(5);
    for (const auto& [id, place] : places()) {
      for (const QPoint at :
           {QPoint(place.right() + 2, place.center().y()), QPoint(place.center().x(), place.bottom() + 2)}) {
        docks().setPage(pages()[i].id);
        hover(QEvent::HoverMove, at);
        const Qt::CursorShape shape = area->cursor().shape();
        if (shape != Qt::SplitHCursor && shape != Qt::SplitVCursor) continue;
        ++lines;
        docks().setPage(pages()[(i + 1) % pages().size()].id);
        hover(QEvent::HoverLeave, QPoint());
        EXPECT_EQ(area->cursor().shape(), Qt::ArrowCursor) << id.toStdString();
      }
    }
  }
  EXPECT_GE(lines, static_cast<int>(pages().size()));
}

TEST_F(PagesTest, AClickOnATabGoesToItsPage) {
  QTest::mouseClick(tabs(), Qt::LeftButton, Qt::NoModifier, tabs()->tabRect(1).center());
  EXPECT_EQ(docks().page(), pages()[1].id);
}

TEST_F(PagesTest, TabsHaveNamesForAScreenReader) {
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(tabs());
  ASSERT_NE(list, nullptr);
  for (size_t i = 0; i < pages().size(); ++i) {
    EXPECT_EQ(tabs()->accessibleTabName(static_cast<int>(i)), pages()[i].title + ": " + pages()[i].about);
    EXPECT_EQ(list->child(static_cast<int>(i))->role(), QAccessible::PageTab);
  }
}

TEST_F(PagesTest, NoPageChangesAnother) {
  window->findChild<QMainWindow*>("pages")->resizeDocks({docks().find("experiment")->dock}, {420},
                                                        Qt::Horizontal);
  docks().find("memory")->dock->raise();
  settle();
  const auto before = places();
  ASSERT_TRUE(before.contains("memory") && !before.contains("timeline"));
  for (const Page& page : pages()) {
    docks().setPage(page.id);
    settle(10);
    if (page.id == "compare") docks().find("sql")->dock->raise();
    if (page.id == "chip") docks().find("details")->dock->hide();
  }
  docks().setPage(pages().front().id);
  settle();
  EXPECT_EQ(places(), before);
  docks().setPage("compare");
  settle();
  EXPECT_TRUE(inFront("sql") && !inFront("runs"));
  docks().setPage("chip");
  settle();
  EXPECT_FALSE(inFront("details"));
}

TEST_F(PagesTest, RestoringAPageBringsBackWhatTheTableSays) {
  docks().setPage("compare");
  settle();
  const auto before = places();
  docks().find("runs")->dock->hide();
  docks().find("timeline")->dock->setFloating(true);
  settle();
  ASSERT_NE(places(), before);
  window->action("view.restore_page")->trigger();
  settle();
  EXPECT_EQ(places(), before);
}

TEST_F(PagesTest, GoingToADockFindsItsPageAndNeverPutsItAway) {
  for (const Dock& dock : shardscope::docks()) {
    QAction* go = window->action("go." + dock.id);
    ASSERT_NE(go, nullptr) << dock.id.toStdString();
    go->trigger();
    go->trigger();
    settle(5);
    EXPECT_TRUE(inFront(dock.id)) << dock.id.toStdString();
  }
  docks().setPage("compare");
  window->action("go.runs")->trigger();
  EXPECT_EQ(docks().page(), "compare") << "it is here";
  docks().find("runs")->dock->hide();
  window->action("go.runs")->trigger();
  settle();
  EXPECT_TRUE(inFront("runs")) << "hidden here, shown here";
}

TEST_F(PagesTest, AnyDockCanBeOpenedOnAnyPageAndStaysThere) {
  docks().setPage("chip");
  settle();
  docks().put(*docks().find("ring"));
  settle();
  EXPECT_TRUE(inFront("ring"));
  docks().setPage("explore");
  settle();
  EXPECT_TRUE(inFront("ring"));
  docks().setPage("chip");
  settle();
  EXPECT_TRUE(inFront("ring"));
}

// What a start shows is made at once, and what it needs; the rest when somebody looks.
TEST_F(PagesTest, ADocksWidgetIsMadeWhenItIsFirstSeen) {
  const auto is_made = [&](const QString& id) { return docks().find(id)->widget != nullptr; };
  for (const DockArea::Made& made : docks().all()) {
    if (inFront(made)) {
      EXPECT_NE(made.widget, nullptr) << made.row->id.toStdString();
    }
  }
  for (const char* id : {"memory", "program", "events", "hlo", "lesson", "kernel", "tuner", "sql"})
    EXPECT_FALSE(is_made(id)) << id;
  docks().find("memory")->dock->raise();
  settle();
  EXPECT_TRUE(is_made("memory"));
  EXPECT_FALSE(is_made("links")) << "its neighbour is still behind";
  docks().setPage("chip");
  EXPECT_TRUE(is_made("kernel")) << "before it is painted";
  EXPECT_FALSE(is_made("grouped"));
  QWidget* kernel = docks().find("kernel")->widget;
  docks().setPage("explore");
  docks().go("kernel");
  EXPECT_EQ(docks().find("kernel")->widget, kernel) << "once";
  for (const char* id : {"hlo", "lesson", "tuner", "sql"}) EXPECT_FALSE(is_made(id)) << id;
}

// As if it had been there from the start.
TEST_F(PagesTest, AWidgetThatIsMadeLateShowsWhatIsThere) {
  window->bench().runAll();
  EXPECT_TRUE(window->bench().running().now);
  RunCanvas* links = window->canvas("links");
  EXPECT_FALSE(links->findChild<QPushButton*>()->isVisibleTo(links)) << "it runs";
  ASSERT_TRUE(wait_for(
      [&] { return !window->bench().jobs().running() && !window->bench().presenter().preparing(); }));
  showRunOf("wang.os");
  EXPECT_FALSE(window->bench().running().now);
  select(0);
  EXPECT_FALSE(window->programView()->toPlainText().isEmpty());
  EXPECT_GT(window->docks().widget<EventsTable>("events")->model()->rowCount(), 0);
  EXPECT_FALSE(window->canvas("memory")->scene().texts().empty());
  preferences.overrideLook(true, 1.25);
  Q_EMIT preferences.lookChanged();
  EXPECT_TRUE(window->canvas("roofline")->canvas().theme.dark);
  EXPECT_EQ(window->canvas("roofline")->canvas().theme.scale, 1.25F);
  EXPECT_EQ(docks().find("roofline")->dock->widget()->minimumSize(),
            docks().find("timeline")->dock->widget()->minimumSize());
  preferences.overrideLook(false, 1);
  Q_EMIT preferences.lookChanged();
}

TEST_F(PagesTest, AWidgetThatIsMadeLateSaysWhyNothingRan) {
  Experiment e = window->bench().document().experiment();
  e.hardware = "/no/such/chip.toml";
  window->bench().openExperiment(e);
  window->bench().runAll();
  ASSERT_TRUE(wait_for([&] { return !window->bench().jobs().running(); }));
  const QString reason = window->bench().running().failure;
  ASSERT_TRUE(reason.contains("chip.toml")) << reason.toStdString();
  const Scene late = window->canvas("links")->scene(), early = window->canvas("timeline")->scene();
  ASSERT_FALSE(late.texts().empty());
  EXPECT_EQ(late.texts().front().text, early.texts().front().text);
}

TEST_F(PagesTest, AFileGoesToItsPage) {
  window->action("hlo.preset.mlp")->trigger();
  EXPECT_EQ(docks().page(), "module");
}

TEST_F(PagesTest, ArrangementsAndPageOutliveTheWindow) {
  docks().find("links")->dock->raise();
  docks().setPage("compare");
  settle();
  docks().find("sql")->dock->raise();
  docks().find("details")->dock->hide();
  settle();
  const auto before = places();
  window->close();
  TestedWindow again(preferences);
  again.show();
  settle();
  EXPECT_EQ(again.docks().page(), "compare");
  std::map<QString, QRect> after;
  for (const DockArea::Made& made : again.docks().all()) {
    if (inFront(made)) after[made.row->id] = made.dock->geometry();
  }
  EXPECT_EQ(after, before);
  again.docks().setPage("explore");
  settle();
  EXPECT_TRUE(inFront(*again.docks().find("links")));
}

TEST_F(PagesTest, AStateOfOtherDocksIsLeftAlone) {
  const auto before = places();
  docks().restore({{"page", "nothing"}, {"arrangements", QJsonObject{{"explore/wide", "AAAA"}}}});
  settle();
  EXPECT_EQ(docks().page(), "explore");
  EXPECT_EQ(places(), before);
}

// What a dock needs to be read: a form scrolls but shows its fields whole, a text more than 25 characters.
TEST_F(PagesTest, EveryDockHasRoomOnItsPageInASmallWindowAndALargeScale) {
  struct Size {
    double width, height, scale;
  };
  for (const Size size : {Size{1280, 800, 1}, Size{1600, 1000, 1}, Size{1920, 1080, 2}}) {
    look(size.width, size.height, size.scale);
    EXPECT_EQ(window->width(), static_cast<int>(size.width)) << "no dock makes the window larger";
    EXPECT_EQ(window->height(), static_cast<int>(size.height));
    for (const Dock& dock : shardscope::docks()) {
      docks().setPage(home_of(dock.id)->id);
      const DockArea::Made* made = docks().go(dock.id);
      settle(10);
      const QSize room = made->dock->widget()->size() / size.scale;
      const std::string where = dock.id.toStdString() + " at " + std::to_string(room.width()) + "x" +
                                std::to_string(room.height()) + " of " + std::to_string(size.width);
      EXPECT_GE(room.width(), 270) << where;
      EXPECT_GE(room.height(), 110) << where;
      EXPECT_TRUE(
          window->rect().contains(QRect(made->dock->mapTo(window.get(), QPoint()), made->dock->size())))
          << where;
    }
  }
  look(1600, 1000, 1);
}

TEST_F(PagesTest, EveryPageIsDrawn) {
  const QString folder = qEnvironmentVariable("SHARDSCOPE_PICTURES");
  runAll();
  clock().setBeat(clock().beatCount() / 2);
  struct Size {
    double width, height, scale;
    bool dark;
  };
  for (const Size size : {Size{1280, 800, 1, false}, Size{1600, 1000, 1, true}, Size{1920, 1080, 2, false}}) {
    look(size.width, size.height, size.scale, size.dark);
    for (const Page& page : pages()) {
      docks().setPage(page.id);
      settle(80);
      const QImage image = window->grab().toImage();
      QSet<QRgb> colors;
      for (int y = 0; y < image.height(); y += 5) {
        for (int x = 0; x < image.width(); x += 5) colors.insert(image.pixel(x, y));
      }
      EXPECT_GT(colors.size(), 12) << page.id.toStdString();
      if (!folder.isEmpty()) image.save(QString("%1/page_%2_%3.png").arg(folder, page.id).arg(image.width()));
    }
  }
  look(1600, 1000, 1);
}

}  // namespace
}  // namespace shardscope::window_pages_test
