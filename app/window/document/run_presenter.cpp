// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_presenter.h"

#include <algorithm>
#include <utility>

namespace shardscope {

RunPresenter::RunPresenter(Clock& clock, RunStore& runs, QObject* parent)
    : QObject(parent), clock_(clock), runs_(runs) {}

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
  const ShownRunPtr& shown = clock_.shown();
  if (shown && shown->run->id == id && !clock_.comparison()) clock_.tell(newest(shown));
}

// With the run as it is in memory now, which may have got its numbers while it was prepared.
ShownRunPtr RunPresenter::newest(const ShownRunPtr& shown) const {
  const auto known = runs_.known().find(*shown->run->id);
  if (known == runs_.known().end() || known->second == shown->run) return shown;
  auto out = std::make_shared<ShownRun>(*shown);
  out->run = known->second;
  return out;
}

void RunPresenter::showFirst(int64_t id) {
  present({{id}, {}});
}

void RunPresenter::showBest() {
  const auto ranked = rank(runs_.currentRuns());
  if (!ranked.empty() && ranked.front().run->id) present({{*ranked.front().run->id}, {}});
}

void RunPresenter::restore(const WindowState& state) {
  follow_ = Follow::nothing;
  if (!state.shown) return Q_EMIT restored();
  std::vector<int64_t> ids{*state.shown};
  ids.insert(ids.end(), state.others.begin(), state.others.end());
  present({ids, state.selection});
}

void RunPresenter::forget() {
  preparing_.cancel();
  wanted_.reset();
  clock_.showRun(nullptr);
}

void RunPresenter::again() {
  if (!clock_.shown()) return;
  Wish wish{{}, clock_.selection(), false};
  const auto there = [&](const ShownRunPtr& shown) {
    if (shown->run->id && runs_.row(*shown->run->id) != nullptr) wish.ids.push_back(*shown->run->id);
  };
  if (const ShownComparisonPtr& comparison = clock_.comparison()) {
    std::ranges::for_each(comparison->runs, there);
  } else {
    there(clock_.shown());
  }
  forget();
  if (wish.ids.empty()) return showBest();
  present(wish);
}

bool RunPresenter::presents(const Wish& wish) const {
  const ShownRunPtr& shown = clock_.shown();
  const ShownComparisonPtr& comparison = clock_.comparison();
  if (!shown || shown->telling) return false;
  if (!comparison) return wish.ids.size() == 1 && shown->run->id == wish.ids.front();
  return std::ranges::equal(wish.ids, comparison->runs,
                            [](int64_t id, const ShownRunPtr& run) { return run->run->id == id; });
}

void RunPresenter::present(const Wish& wish) {
  if (wanted_ == wish) return;
  preparing_.cancel();
  wanted_.reset();
  if (presents(wish)) return;
  wanted_ = wish;
  const auto prepare = [this, known = runs_.known(), workspace = runs_.workspace(), wish](
                           std::stop_token stop, const auto& post) -> Result<Prepared> {
    const auto shown_of = [&](int64_t id) -> Result<ShownRunPtr> {
      if (const auto found = known.find(id); found != known.end()) return shardscope::show(found->second);
      TRY(RunPtr run, workspace->load(id));
      return shardscope::show(std::move(run));
    };
    if (stop.stop_requested()) return cancelled();
    Prepared out;
    for (const int64_t id : wish.ids) {
      TRY(ShownRunPtr run, shown_of(id));
      out.runs.push_back(std::move(run));
    }
    if (out.runs.size() == 1) post([this, untold = out.runs.front()] { showUntold(untold); });
    for (ShownRunPtr& run : out.runs) run = with_story(run, stop);
    if (out.runs.size() > 1) {
      TRY(out.comparison, shardscope::compare(out.runs));
    }
    return out;
  };
  preparing_.startReporting(prepare, [this](const Result<Prepared>& told) { take(told); });
}

void RunPresenter::showUntold(const ShownRunPtr& untold) {
  const ShownRunPtr now = newest(untold);
  runs_.remember(now->run);
  clock_.showRun(now);
  Q_EMIT shown(*untold->run->id);
}

void RunPresenter::take(const Result<Prepared>& told) {
  const std::optional<Wish> wish = std::exchange(wanted_, std::nullopt);
  const std::optional<Selection> at = wish ? wish->at : std::nullopt;
  const bool restoring = at && wish->restoring;
  if (!told.ok()) {
    Q_EMIT refused(QString::fromStdString(told.error().text()));
    if (restoring) Q_EMIT restored();
    // What is shown instead may have been left before its story was told.
    const ShownRunPtr& left = clock_.shown();
    if (left && left->telling) present({{*left->run->id}, {}});
    return;
  }
  if (told->comparison) {
    for (const ShownRunPtr& each : told->runs) runs_.remember(newest(each)->run);
    clock_.showComparison(told->comparison);
  } else {
    clock_.tell(newest(told->runs.front()));
  }
  if (!at) return;
  clock_.restore(*at);
  if (restoring) Q_EMIT restored();
}

}  // namespace shardscope
