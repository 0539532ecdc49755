// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_presenter.h"

#include <QTimer>
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

// Its record may not have been told yet.
RunPtr labelled(RunPtr run, const std::map<int64_t, RunLabel>& given) {
  const auto label = given.find(*run->id);
  if (label == given.end() || label->second == run->given) return run;
  auto out = std::make_shared<Run>(*run);
  out->given = label->second;
  return out;
}

// With the run as it is in memory now, which may have got its numbers while it was prepared.
ShownRunPtr newest(const RunStore& runs, const ShownRunPtr& shown) {
  const auto known = runs.known().find(*shown->run->id);
  if (known == runs.known().end() || known->second == shown->run) return shown;
  return with_run(shown, known->second);
}

bool presents(const Display& now, const std::vector<int64_t>& ids) {
  const ShownRunPtr& shown = now.run;
  const ShownComparisonPtr& comparison = now.comparison;
  if (!shown || shown->telling || shown->stopped) return false;
  if (!comparison) return ids.size() == 1 && shown->run->id == ids.front();
  return std::ranges::equal(ids, comparison->runs,
                            [](int64_t id, const ShownRunPtr& run) { return run->run->id == id; });
}

// What is to be prepared, and from where.
struct Wanted {
  std::vector<int64_t> ids;
  std::map<int64_t, RunPtr> known;
  std::shared_ptr<Workspace> workspace;
  std::map<int64_t, RunLabel> given;  // what is said of them now
  bool first_by_levels = false;
};
// Closed until the window has painted what it was shown: reading much takes the memory's bandwidth, and on
// few cores the processor, away from that.
class PaintedGate {
 public:
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  void wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, stop, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any opened_;
  bool open_ = false;
};

// Who is told meanwhile, on the thread that prepares.
struct Listeners {
  std::function<void(const ShownRunPtr&)> untold;
  std::function<void(int64_t id, double fraction)> read;
  std::shared_ptr<PaintedGate> painted;
};

Result<RunPtr> whole_run(const Wanted& wanted, int64_t id, const Listeners& tell,
                         const std::stop_token& stop) {
  if (const auto found = wanted.known.find(id); found != wanted.known.end()) return found->second;
  TRY(RunPtr run, wanted.workspace->load(id, {stop, [&](double fraction) { tell.read(id, fraction); }}));
  return labelled(std::move(run), wanted.given);
}

Result<PreparedRuns> prepare(const Wanted& wanted, const Listeners& tell, const std::stop_token& stop) {
  if (stop.stop_requested()) return cancelled();
  ShownRunPtr unread;
  if (wanted.first_by_levels) {
    TRY(RunPtr outline, wanted.workspace->outline(wanted.ids.front()));
    TRY(std::shared_ptr<const TraceSource> trace, wanted.workspace->trace(wanted.ids.front()));
    unread = show_unread(labelled(std::move(outline), wanted.given), std::move(trace));
    tell.untold(unread);
    tell.painted->wait(stop);
  }
  PreparedRuns out;
  for (const int64_t id : wanted.ids) {
    TRY(RunPtr run, whole_run(wanted, id, tell, stop));
    out.runs.push_back(unread ? read_whole(unread, std::move(run)) : show(std::move(run)));
  }
  if (out.runs.size() == 1) tell.untold(out.runs.front());
  for (ShownRunPtr& run : out.runs) run = with_story(run, stop);
  if (stop.stop_requested()) return cancelled();
  if (out.runs.size() > 1) {
    TRY(out.comparison, compare(out.runs));
  }
  return out;
}

}  // namespace

RunPresenter::RunPresenter(Clock& clock, RunStore& runs, Subject subject, QObject* parent)
    : QObject(parent), clock_(clock), runs_(runs), subject_(subject) {}

void RunPresenter::show(int64_t id) {
  follow_ = Follow::nothing;
  present({{id}, {}});
}

void RunPresenter::compare(const std::vector<int64_t>& ids) {
  follow_ = Follow::nothing;
  present({ids, {}});
}

void RunPresenter::follow(Follow what) {
  first_ = true;
  follow_ = what;
}

void RunPresenter::arrived(int64_t id) {
  if (first_ || follow_ == Follow::newest) present({{id}, {}});
  first_ = false;
}

void RunPresenter::ended() {
  if (follow_ == Follow::best) showBest();
}

void RunPresenter::renew(int64_t id) {
  const ShownRunPtr& shown = clock_.of(subject_).run;
  if (shown && shown->run->id == id && !clock_.of(subject_).comparison)
    clock_.tell(newest(runs_, shown), subject_);
}

void RunPresenter::showBest() {
  const auto ranked = rank(runs_.currentRuns());
  if (!ranked.empty() && ranked.front().run->id) present({{*ranked.front().run->id}, {}});
}

void RunPresenter::restore(const ShownState& state) {
  follow_ = Follow::nothing;
  if (state.runs.empty()) return Q_EMIT restored();
  present({state.runs, state.selection});
}

void RunPresenter::forget() {
  preparing_.cancel();
  setReading(false);
  wanted_.reset();
  clock_.showRun(nullptr, subject_);
}

void RunPresenter::again() {
  if (!clock_.of(subject_).run) return;
  Wish wish{{}, clock_.of(subject_).selection, false};
  const auto there = [&](const ShownRunPtr& shown) {
    if (shown->run->id && runs_.row(*shown->run->id) != nullptr) wish.ids.push_back(*shown->run->id);
  };
  if (const ShownComparisonPtr& comparison = clock_.of(subject_).comparison) {
    std::ranges::for_each(comparison->runs, there);
  } else {
    there(clock_.of(subject_).run);
  }
  forget();
  if (wish.ids.empty()) return showBest();
  present(wish);
}

void RunPresenter::present(const Wish& wish) {
  if (wanted_ == wish) return;
  preparing_.cancel();
  setReading(false);
  wanted_.reset();
  if (presents(clock_.of(subject_), wish.ids)) return;
  wanted_ = wish;
  // One run of many events, that is: a comparison needs them all.
  const int64_t first = wish.ids.front();
  const bool by_levels = wish.ids.size() == 1 && !runs_.known().contains(first) && is_much(runs_, first);
  Wanted wanted{wish.ids, runs_.known(), runs_.workspace(), {}, by_levels};
  for (const int64_t id : wish.ids)
    if (const RunSummary* row = runs_.row(id)) wanted.given[id] = row->given;
  preparing_.startReporting(
      [this, wanted = std::move(wanted)](std::stop_token stop, const auto& post) {
        const auto painted = std::make_shared<PaintedGate>();
        const auto untold = [&](const ShownRunPtr& shown) {
          post([this, shown, painted] {
            showUntold(shown);
            // Comes after what is waiting to be painted.
            QTimer::singleShot(0, this, [painted] { painted->open(); });
          });
        };
        const auto read = [&](int64_t id, double fraction) {
          post([this, id, fraction] {
            setReading(true);
            Q_EMIT progress("reading run %1"_tr.arg(id), fraction);
          });
        };
        return prepare(wanted, {untold, read, painted}, stop);
      },
      [this](const Result<PreparedRuns>& told) { take(told); });
}

void RunPresenter::stop() {
  if (reading_) preparing_.stop();
}

void RunPresenter::setReading(bool on) {
  if (on != std::exchange(reading_, on)) Q_EMIT readingChanged(on);
}

void RunPresenter::goBack(Wish& wish) {
  if (!wish.at) return;
  clock_.restore(*std::exchange(wish.at, std::nullopt), subject_);
  if (wish.restoring) Q_EMIT restored();
}

void RunPresenter::showUntold(const ShownRunPtr& untold) {
  const ShownRunPtr now = newest(runs_, untold);
  runs_.remember(now->run);
  const ShownRunPtr& before = clock_.of(subject_).run;
  if (before && before->unread() && before->run->id == now->run->id) {
    clock_.tell(now, subject_);
  } else {
    clock_.showRun(now, subject_);
    if (now->unread() && wanted_) goBack(*wanted_);
    Q_EMIT shown(*now->run->id);
  }
  if (now->unread()) setReading(true);
}

// What is shown instead of it may have been left before its story was told.
void RunPresenter::refuse(const Wish& wish, const Error& error) {
  Q_EMIT refused(error.kind == ErrorKind::cancelled ? "Cancelled; the run shows what was known by then."_tr
                                                    : QString::fromStdString(error.text()));
  if (wish.at && wish.restoring) Q_EMIT restored();
  const ShownRunPtr& left = clock_.of(subject_).run;
  if (!left || !left->telling) return;
  if (wish.ids == std::vector<int64_t>{*left->run->id}) return clock_.tell(left_as_it_is(left), subject_);
  present({{*left->run->id}, {}});
}

void RunPresenter::take(const Result<PreparedRuns>& told) {
  setReading(false);
  Wish wish = std::exchange(wanted_, std::nullopt).value_or(Wish{});
  if (!told.ok()) return refuse(wish, told.error());
  if (told->comparison) {
    for (const ShownRunPtr& each : told->runs) runs_.remember(newest(runs_, each)->run);
    clock_.showComparison(told->comparison);
  } else {
    clock_.tell(newest(runs_, told->runs.front()), subject_);
  }
  goBack(wish);
}

}  // namespace shardscope::inline window
