// SPDX-License-Identifier: Apache-2.0
// What was saved comes back: the file alone, copied and opened elsewhere, is the window that it was saved
// from, whatever was done last.
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <algorithm>
#include <functional>

#include "app/window/runs/plane_canvas.h"
#include "app/window/studies/what_if_panel.h"
#include "app/window/widgets/step_bar.h"
#include "tests/app/kept_window.h"
#include "tests/app/transport_bar.h"

namespace shardscope::comes_back_test {
namespace {

class ComesBack : public KeptWindowTest {
 public:
  using WindowTest::clock;
  using WindowTest::runAll;
  using WindowTest::select;
  using WindowTest::showRunOf;
  using WindowTest::window;

  void idle() {
    ASSERT_TRUE(wait_for([&] {
      return !window->bench().jobs().running() && !window->bench().presenter().preparing() &&
             Background::underWay() == 0;
    }));
    settle();
  }
  Workbench& bench() { return window->bench(); }
  void change(const std::function<void(Experiment&)>& how) {
    Experiment e = bench().document().experiment();
    how(e);
    bench().document().change(e, "change");
  }
  void runOne(const std::string& strategy) {
    RunRequest request;
    request.strategy = strategy;
    bench().run(request);
    idle();
  }
  std::vector<int64_t> ids() { return {bench().runs().current().begin(), bench().runs().current().end()}; }

  void saveAs(const QString& path) {
    bool saved = false;
    const auto listening = QObject::connect(&bench(), &Workbench::saved, window.get(), [&] { saved = true; });
    bench().saveWorkspace(path);
    ASSERT_TRUE(wait_for([&] { return saved; }));
    QObject::disconnect(listening);
  }
  void save(const QString& path) {
    bool saved = false;
    bench().state().saveBeside(path, true, [&](const Result<void>& outcome) {
      EXPECT_TRUE(outcome.ok());
      saved = true;
    });
    ASSERT_TRUE(wait_for([&] { return saved; }));
  }
  // All that a window is, but for the file's name; arrangements by the docks that are to be seen and where.
  static QString seen(TestedWindow& of) {
    QJsonObject state = QJsonDocument::fromJson(text(of.bench().state().now())).object();
    state.remove("file");
    QJsonObject parts = state["parts"].toObject();
    parts.remove("arrangements");
    QStringList docks;
    for (const DockArea::Made& made : of.docks().all()) {
      const QRect at = made.dock->geometry();
      if (!made.dock->isHidden())
        docks << QString("%1 %2 %3")
                     .arg(made.row->id)
                     .arg(made.dock->isFloating())
                     .arg(std::max(-1, at.x() / 64));
    }
    docks.sort();
    parts["seen"] = docks.join(", ");
    QStringList selected;
    for (const int64_t id : of.runsTable()->selectedRuns()) selected << QString::number(id);
    selected.sort();
    parts["selected"] = selected.join(",");
    parts["who"] = transport_bar(of).who();
    state["parts"] = parts;
    return QJsonDocument(state).toJson();
  }
};

struct LastAction {
  const char* name;
  std::function<void(ComesBack&)> act;
};

void click(QWidget* at, Qt::Key key) {
  QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
  QCoreApplication::sendEvent(at, &press);
}

const std::vector<LastAction>& last_actions() {
  static const std::vector<LastAction> kActions = {
      {"run one", [](ComesBack& t) { t.runOne("collective.os"); }},
      {"run one that is not ticked", [](ComesBack& t) { t.runOne("psum"); }},
      {"run all", [](ComesBack& t) { t.runAll(); }},
      {"untick what is shown",
       [](ComesBack& t) {
         t.showRunOf("wang.os");
         t.change([](Experiment& e) { e.runs = {e.runs[1]}; });
       }},
      {"compare", [](ComesBack& t) { t.bench().presenter().compare(t.ids()); }},
      {"run a module",
       [](ComesBack& t) {
         t.window->docks().go("hlo");
         t.window->hlo()->openPreset("mlp");
         t.window->hlo()->run();
         ASSERT_TRUE(wait_for([&] { return t.clock().of(Subject::module).run != nullptr; }));
       }},
      {"open a module", [](ComesBack& t) { t.window->hlo()->openPreset("mlp"); }},
      {"zoom",
       [](ComesBack& t) {
         t.window->timeline()->setFocus();
         click(t.window->timeline(), Qt::Key_W);
       }},
      {"zoom the ring",
       [](ComesBack& t) {
         t.window->canvas("ring")->setFocus();
         click(t.window->canvas("ring"), Qt::Key_W);
       }},
      {"step", [](ComesBack& t) { t.clock().setBeat(2); }},
      {"a moment between two steps",
       [](ComesBack& t) { t.clock().player().setTime(t.clock().shown()->trace->total() / 3); }},
      {"select a device",
       [](ComesBack& t) { t.clock().select({.kind = ItemId::Kind::device, .device = 1}); }},
      {"select an event", [](ComesBack& t) { t.select(3); }},
      {"mark a range",
       [](ComesBack& t) {
         t.clock().setRange(TimeRange{1000, 2'000'000});
       }},
      {"another page", [](ComesBack& t) { t.window->docks().setPage("study"); }},
      {"another mesh",
       [](ComesBack& t) { t.change([](Experiment& e) { e.mesh = *Mesh::parse("row=4,col=4"); }); }},
      {"undo",
       [](ComesBack& t) {
         t.change([](Experiment& e) { e.problem.m *= 2; });
         t.bench().document().undoStack().undo();
       }},
      {"overlap", [](ComesBack& t) { t.window->action("run.overlap")->trigger(); }},
      {"delete a run", [](ComesBack& t) { t.bench().edits().remove({t.ids().front()}); }},
      {"name a run",
       [](ComesBack& t) {
         RunLabel label;
         label.name = "mine";
         t.bench().edits().label(t.ids().front(), label);
       }},
      {"note",
       [](ComesBack& t) { t.bench().state().notes().add({.time = 1000, .device = 1, .text = "here"}); }},
      {"theme", [](ComesBack& t) { t.window->action("look.dark")->trigger(); }},
      {"a dock moved",
       [](ComesBack& t) {
         QDockWidget* ring = t.window->docks().find("ring")->dock;
         static_cast<QMainWindow*>(ring->parentWidget())
             ->tabifyDockWidget(t.window->docks().find("grid")->dock, ring);
       }},
      {"a dock hidden", [](ComesBack& t) { t.window->docks().find("details")->dock->hide(); }},
      {"filter", [](ComesBack& t) { t.window->runsTable()->bar()->filter()->setText("wang"); }},
      {"sort",
       [](ComesBack& t) {
         t.window->runsTable()->view()->sortByColumn(RunsModel::peak, Qt::DescendingOrder);
       }},
      {"what if",
       [](ComesBack& t) {
         auto* panel = t.window->docks().widget<WhatIfPanel>("what_if");
         t.window->docks().go("what_if");
         ASSERT_TRUE(wait_for([&] { return panel->knob("peak") != nullptr; }));
         panel->knob("peak")->setText("x2");
         Q_EMIT panel->knob("peak")->changed();
       }},
      {"a kernel",
       [](ComesBack& t) {
         t.window->docks().go("kernel");
         t.window->kernel()->randomSchedule();
       }},
      {"tuner",
       [](ComesBack& t) {
         t.window->docks().go("tuner");
         t.window->tuner()->chips()->setText("4");
       }},
  };
  return kActions;
}

class ComesBackAfter : public ComesBack, public ::testing::WithParamInterface<LastAction> {};

TEST_P(ComesBackAfter, TheFileAloneIsTheWindow) {
  window = newWindow();
  openSmall();
  runAll();
  const QTemporaryDir files, elsewhere;
  const QString file = files.filePath("w.shardscope"), copy = elsewhere.filePath("c.shardscope");
  saveAs(file);
  GetParam().act(*this);
  idle();
  save(file);
  const std::string before = seen(*window).toStdString();
  ASSERT_TRUE(QFile::copy(file, copy)) << "the file alone, while the window is open";
  preferences.overrideLook(false, 1.0);
  auto first = std::move(window);
  window = newWindow();
  const auto opened = bench().openFile(copy);
  ASSERT_TRUE(opened.ok()) << opened.error().text();
  idle();
  wait_for([&] { return seen(*window).toStdString() == before; }, 3000);
  EXPECT_EQ(seen(*window).toStdString(), before);
  EXPECT_EQ(bench().runs().rows().size(), first->bench().runs().rows().size());
}

INSTANTIATE_TEST_SUITE_P(LastActions, ComesBackAfter, ::testing::ValuesIn(last_actions()),
                         [](const auto& action) {
                           std::string name = action.param.name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST_F(ComesBack, SavingGoesOnWhereOneStood) {
  window = newWindow();
  openSmall();
  runAll();
  bench().presenter().compare(ids());
  idle();
  clock().setBeat(2);
  const Picoseconds time = clock().selection().time;
  const std::string first = clock().shown()->run->strategy;
  const QTemporaryDir files;
  saveAs(files.filePath("w.shardscope"));
  ASSERT_TRUE(clock().comparison()) << "it was no question which run to show";
  EXPECT_EQ(clock().shown()->run->strategy, first);
  EXPECT_EQ(clock().selection().time, time);
}

// Nobody says Save again: a workspace that rests becomes whole by itself.
TEST_F(ComesBack, ACopyHasAllRunsThatTheListHas) {
  window = newWindow();
  openSmall();
  const QTemporaryDir files;
  const QString file = files.filePath("w.shardscope"), copy = files.filePath("c.shardscope");
  runAll();
  saveAs(file);
  for (int more = 0; more < 3; ++more) runAll();
  const size_t runs = bench().runs().rows().size();
  EXPECT_EQ(runs, 8U);
  const auto in_a_copy = [&] {
    QFile::remove(copy);
    EXPECT_TRUE(QFile::copy(file, copy));
    const auto workspace = Workspace::open(copy.toStdString(), true);
    return workspace.ok() ? (*workspace)->runs()->size() : 0;
  };
  EXPECT_TRUE(wait_for([&] { return in_a_copy() == runs; }, 10'000)) << in_a_copy() << " of " << runs;
}

}  // namespace
}  // namespace shardscope::comes_back_test
