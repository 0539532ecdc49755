// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_presenter.h"

#include <utility>

namespace shardscope {

RunPresenter::RunPresenter(Clock& clock, RunStore& runs, QObject* parent)
    : QObject(parent), clock_(clock), runs_(runs) {}

void RunPresenter::show(int64_t id) {
  follow_ = Follow::nothing;
  present({id, {}, {}});
}

void RunPresenter::compare(int64_t a, int64_t b) {
  follow_ = Follow::nothing;
  present({a, b, {}});
}

void RunPresenter::follow(Follow what) {
  first_ = true;
  follow_ = what;
}

void RunPresenter::arrived(int64_t id) {
  if (first_ || follow_ == Follow::newest) present({id, {}, {}});
  first_ = false;
}

void RunPresenter::ended() {
  if (follow_ == Follow::best) showBest();
}

void RunPresenter::showFirst(int64_t id) {
  present({id, {}, {}});
}

void RunPresenter::showBest() {
  const auto ranked = rank(runs_.currentRuns());
  if (!ranked.empty() && ranked.front().run->id) present({*ranked.front().run->id, {}, {}});
}

void RunPresenter::restore(const WindowState& state) {
  follow_ = Follow::nothing;
  if (!state.shown) return Q_EMIT restored();
  present({*state.shown, state.other, state.selection});
}

void RunPresenter::forget() {
  preparing_.cancel();
  wanted_.reset();
  clock_.showRun(nullptr);
}

bool RunPresenter::presents(const Wish& wish) const {
  const ShownRunPtr &shown = clock_.shown(), &other = clock_.other();
  return shown && !shown->telling && shown->run->id == wish.id &&
         (other ? other->run->id : std::nullopt) == wish.other;
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
    TRY(out.first, shown_of(wish.id));
    if (wish.other) {
      TRY(out.second, shown_of(*wish.other));
    }
    post([this, untold = out] { showUntold(untold); });
    out.first = with_story(out.first, stop);
    if (out.second) out.second = with_story(out.second, stop);
    return out;
  };
  preparing_.startReporting(prepare, [this](const Result<Prepared>& told) { take(told); });
}

void RunPresenter::showUntold(const Prepared& prepared) {
  for (const ShownRunPtr& each : {prepared.first, prepared.second}) {
    if (each) runs_.remember(each->run);
  }
  clock_.showRun(prepared.first);
  if (prepared.second) {
    clock_.compareWith(prepared.second);
  } else {
    Q_EMIT shown(*prepared.first->run->id);
  }
}

void RunPresenter::take(const Result<Prepared>& told) {
  const std::optional<Wish> wish = std::exchange(wanted_, std::nullopt);
  const std::optional<Selection> at = wish ? wish->at : std::nullopt;
  if (!told.ok()) {
    Q_EMIT refused(QString::fromStdString(told.error().text()));
    if (at) Q_EMIT restored();
    // What is shown instead may have been left before its story was told.
    const ShownRunPtr &left = clock_.shown(), &other = clock_.other();
    if (left && left->telling) present({*left->run->id, other ? other->run->id : std::nullopt, {}});
    return;
  }
  clock_.tell(told->first, told->second);
  if (!at) return;
  clock_.restore(*at);
  Q_EMIT restored();
}

}  // namespace shardscope
