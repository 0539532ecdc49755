// SPDX-License-Identifier: Apache-2.0
// The Events dock: rows by filter, one selection with the timeline. And a run of a workspace that is shown by
// its record first, while its events are read.
#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <optional>

#include "app/window/runs/events_table.h"
#include "tests/app/window_fixture.h"
#include "tests/engine/run/unalike_run.h"
#include "views/scene/story/now.h"

namespace shardscope::events_test {
namespace {

class EventsTest : public WindowTest {
 protected:
  EventsTable& table() { return *window->docks().widget<EventsTable>("events"); }
};

TEST_F(EventsTest, EveryEventIsARowAndWordsNarrowThem) {
  QAbstractItemModelTester promises(table().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  runAll();
  showRunOf("wang.os");
  window->showPanel("events");
  settle();
  const auto& events = clock().shown()->run->timeline.events;
  ASSERT_EQ(table().model()->rowCount(), std::ssize(events));
  table().filter()->setText("(0,0) compute");
  const auto there = std::count_if(events.begin(), events.end(), [](const Event& e) {
    return e.device == 0 && e.kind == EventKind::compute;
  });
  EXPECT_EQ(table().model()->rowCount(), there);
  EXPECT_TRUE(table().summary().startsWith(QString("%L1 of ").arg(static_cast<qint64>(there))));
  table().filter()->setText("no such thing");
  EXPECT_EQ(table().model()->rowCount(), 0);
}

TEST_F(EventsTest, ARowSelectsItsEventAndASelectedEventItsRow) {
  runAll();
  showRunOf("wang.os");
  window->showPanel("events");
  settle();
  table().view()->selectRow(3);
  EXPECT_EQ(clock().selection().selected.event, table().model()->number(3));
  ItemId item = clock().selection().selected;
  item.event = table().model()->number(1);
  clock().select(item);
  EXPECT_EQ(table().view()->currentIndex().row(), 1);
}

}  // namespace
}  // namespace shardscope::events_test

namespace shardscope::stored_run_test {
namespace {

constexpr int64_t kMany = 1'000'000;

// What the clock showed, one state after the other.
struct Seen {
  int64_t run = 0;
  bool unread = false, telling = false, told = false;
  bool operator==(const Seen&) const = default;
};

class StoredRunTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    const QString path = folder.filePath("runs.shardscope");
    {
      const auto workspace = Workspace::open(path.toStdString()).value();
      ASSERT_TRUE(workspace->record(make_unalike_run(1'000)).ok());
      ASSERT_TRUE(workspace->record(make_unalike_run(kMany)).ok());
      ASSERT_TRUE(workspace->wait().ok());
    }
    ASSERT_TRUE(window->bench().openFile(path).ok());
    ASSERT_TRUE(wait_for([&] { return clock().shown() && !presenter().preparing(); }));
    // Of an earlier experiment, and not in memory.
    window->bench().openExperiment(window->bench().document().experiment());
    window->bench().state().setLimits({0, window->bench().state().limits().events});
    show(1);
    QObject::connect(&clock(), &Clock::runChanged, window.get(), [this] {
      const ShownRunPtr& now = clock().shown();
      if (now) seen.push_back({*now->run->id, now->unread(), now->telling, now->story != nullptr});
    });
  }
  RunPresenter& presenter() { return window->bench().presenter(); }
  void show(int64_t id) {
    presenter().show(id);
    ASSERT_TRUE(wait_for([&] { return clock().shown() && !presenter().preparing(); }));
    ASSERT_EQ(clock().shown()->run->id, id);
  }
  bool canCancel() { return window->action("run.cancel")->isEnabled(); }

  QTemporaryDir folder;
  std::vector<Seen> seen;
};

TEST_F(StoredRunTest, IsSeenBeforeItsEventsAreRead) {
  std::vector<double> told;
  QObject::connect(&presenter(), &RunPresenter::progress, window.get(),
                   [&](const QString&, double fraction) { told.push_back(fraction); });
  Scene first;
  QObject::connect(&presenter(), &RunPresenter::readingChanged, window.get(), [&](bool on) {
    EXPECT_EQ(canCancel(), on);
    if (on) first = window->timeline()->scene();
  });
  show(2);
  EXPECT_EQ(seen,
            (std::vector<Seen>{{2, true, true, false}, {2, false, true, false}, {2, false, false, true}}));
  EXPECT_FALSE(told.empty());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_FALSE(canCancel());
  // What was seen first is what is seen when all is known, but for what is told.
  const Scene last = window->timeline()->scene();
  EXPECT_GT(first.rects().size(), 1'000U);
  const auto bars = [](const Scene& scene) {
    std::vector<RectItem> out;
    for (const RectItem& rect : scene.rects())
      if (rect.id >= 0 && scene.ids()[static_cast<size_t>(rect.id)].kind == ItemId::Kind::event_group)
        out.push_back(rect);
    for (RectItem& rect : out) rect.id = 0;
    return out;
  };
  EXPECT_EQ(bars(first).size(), bars(last).size());
  EXPECT_TRUE(std::ranges::equal(bars(first), bars(last), {}, &RectItem::fill, &RectItem::fill));
}

// Whether a widget, or one in it, has been painted.
class Painted : public QObject {
 public:
  explicit Painted(const QWidget& widget) : widget_(widget) { qApp->installEventFilter(this); }
  bool eventFilter(QObject* watched, QEvent* event) override {
    const auto* widget = qobject_cast<QWidget*>(watched);
    is = is || (event->type() == QEvent::Paint && widget != nullptr && widget_.isAncestorOf(widget));
    return false;
  }
  bool is = false;

 private:
  const QWidget& widget_;
};

TEST_F(StoredRunTest, ItsEventsAreReadWhenItHasBeenPainted) {
  std::optional<Painted> painted;
  int before = 0, after = 0;
  QObject::connect(&clock(), &Clock::runChanged, window.get(), [&] {
    if (clock().shown()->unread()) painted.emplace(*window->timeline());
  });
  QObject::connect(&presenter(), &RunPresenter::progress, window.get(),
                   [&](const QString&, double) { ++(painted && painted->is ? after : before); });
  show(2);
  EXPECT_EQ(before, 0);
  EXPECT_GT(after, 0);
}

// A program of many instructions is outlined once, whether its events are there or not.
TEST(ShownRuns, WhoseEventsAreReadKeepWhatTheirRecordToldAlready) {
  auto run = std::make_shared<shardscope::Run>(*make_unalike_run(1'000));
  Computation& entry = run->program.computations[static_cast<size_t>(run->program.entry.value)];
  while (entry.instructions.size() < 300) entry.instructions.push_back(entry.instructions.front());
  const ShownRunPtr unread = show_unread(run, memory_trace(run));
  ASSERT_NE(unread->outline, nullptr);
  const ShownRunPtr whole = read_whole(unread, run);
  EXPECT_EQ(whole->outline, unread->outline);
  EXPECT_EQ(whole->showing, unread->showing);
  const ShownRunPtr again = show(run);
  EXPECT_NE(again->outline, unread->outline);
  EXPECT_NE(again->showing, unread->showing);
}

TEST_F(StoredRunTest, OfFewEventsIsReadAtOnce) {
  show(2);
  seen.clear();
  show(1);
  EXPECT_EQ(seen, (std::vector<Seen>{{1, false, true, false}, {1, false, false, true}}));
}

TEST_F(StoredRunTest, KeepsWhereOneLooksWhileItIsRead) {
  const qint64 from = 1'000'000, to = 5'000'000;
  const auto once = QObject::connect(&presenter(), &RunPresenter::readingChanged, window.get(), [&](bool on) {
    if (!on) return;
    QJsonObject view = window->timeline()->state();
    QJsonObject part = view["view"].toObject();
    part["start"] = from, part["end"] = to;
    view["view"] = part;
    window->timeline()->restore(view);
    ItemId event;
    event.kind = ItemId::Kind::event;
    event.event = 17;
    clock().select(event);
  });
  show(2);
  const QJsonObject view = window->timeline()->state()["view"].toObject();
  EXPECT_EQ(view["start"].toInteger(), from);
  EXPECT_EQ(view["end"].toInteger(), to);
  EXPECT_EQ(clock().selection().selected.event, 17);
  QObject::disconnect(once);
  show(1);
  EXPECT_EQ(window->timeline()->state()["view"].toObject()["end"].toInteger(), 0)
      << "another run is seen whole";
}

TEST_F(StoredRunTest, StaysAsItsRecordShowsItWhenReadingIsCancelled) {
  const auto once = QObject::connect(&presenter(), &RunPresenter::readingChanged, window.get(), [&](bool on) {
    if (on) window->action("run.cancel")->trigger();
  });
  show(2);
  const ShownRunPtr left = clock().shown();
  EXPECT_TRUE(left->unread());
  EXPECT_FALSE(left->telling);
  EXPECT_TRUE(left->stopped);
  EXPECT_NE(why_untold(left->input()).find("were not read"), std::string::npos);
  EXPECT_GT(window->timeline()->scene().rects().size(), 1'000U);
  // Everything that reads events does without, and nothing ends.
  window->makeAllDocks();
  for (RunCanvas* canvas : window->canvases()) EXPECT_FALSE(canvas->scene().order().empty());
  ItemId event;
  event.kind = ItemId::Kind::event;
  event.event = 17;
  clock().select(event);
  EXPECT_EQ(clock().selection().time, [&] {
    const Event of = left->trace->event(17).value();
    return of.start + (of.end - of.start) / 2;
  }());
  settle();
  QObject::disconnect(once);
  show(2);
  EXPECT_FALSE(clock().shown()->unread());
  EXPECT_FALSE(clock().shown()->stopped);
}

TEST_F(StoredRunTest, IsReadByAJobForAReport) {
  Workbench& bench = window->bench();
  ASSERT_TRUE(bench.openFile(folder.filePath("runs.shardscope")).ok());
  ASSERT_TRUE(wait_for([&] { return bench.runs().currentRuns().size() == 2 && !presenter().preparing(); }));
  int told = 0;
  QObject::connect(&bench.jobs(), &JobRunner::progress, window.get(), [&] { ++told; });
  std::vector<int64_t> events;
  const auto count = [&](const Comparison& all) -> Result<void> {
    for (const RunPtr& run : all.runs) events.push_back(std::ssize(run->timeline.events));
    return {};
  };
  const std::vector<int64_t> ids{1, 2};
  ASSERT_TRUE(with_whole_runs(bench, ids, count).ok());
  EXPECT_TRUE(events.empty()) << "the window's thread does not read";
  EXPECT_TRUE(canCancel());
  EXPECT_FALSE(with_whole_runs(bench, ids, count).ok()) << "the job is not given up for another";
  ASSERT_TRUE(wait_for([&] { return !bench.jobs().running(); }));
  EXPECT_EQ(events, (std::vector{bench.runs().row(1)->events, bench.runs().row(2)->events}));
  EXPECT_GT(events.back(), kMany / 2);
  EXPECT_GT(told, 0);
  events.clear();
  ASSERT_TRUE(with_whole_runs(bench, ids, count).ok());
  window->action("run.cancel")->trigger();
  ASSERT_TRUE(wait_for([&] { return !bench.jobs().running(); }));
  EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace shardscope::stored_run_test
