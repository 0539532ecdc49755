// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/displays.h"

#include <algorithm>
#include <utility>

#include "app/window/document/language.h"
#include "engine/report/document/make_report.h"

namespace shardscope::inline window {
namespace {

constexpr WhatChanged kEverything =
    WhatChanged(Changed::run) | Changed::time | Changed::hovered | Changed::selected | Changed::range;

// The same where it says so already.
ShownRunPtr judged_by(const std::function<bool(const Run&)>& is_earlier, const ShownRunPtr& shown) {
  if (!shown || !is_earlier) return shown;
  const bool earlier = is_earlier(*shown->run);
  return earlier == shown->earlier ? shown : said_to_be(shown, earlier);
}

ShownComparisonPtr judged_by(const std::function<bool(const Run&)>& is_earlier,
                             const ShownComparisonPtr& comparison) {
  if (!comparison) return comparison;
  std::vector<ShownRunPtr> runs;
  for (const ShownRunPtr& each : comparison->runs) runs.push_back(judged_by(is_earlier, each));
  return runs == comparison->runs ? comparison : with_runs(*comparison, std::move(runs));
}

}  // namespace

QString words_of(const Display& display) {
  if (!display.run) return {};
  const auto name = [](const ShownRunPtr& each) { return QString::fromStdString(run_name(*each->run)); };
  if (!display.comparison)
    return display.run->earlier ? "%1, earlier experiment"_tr.arg(name(display.run)) : name(display.run);
  QStringList others;
  for (size_t r = 1; r < display.comparison->runs.size(); ++r) others << name(display.comparison->runs[r]);
  return "comparing %1 with %2"_tr.arg(name(display.run), others.join(", "));
}

void Displays::standAt(Subject of, const Selection& selection) {
  Place& there = place(of);
  there.display.selection = selection;
  there.history.assign(1, selection);
  there.at = 0;
}

void Displays::tellFront(Subject of, WhatChanged what) {
  if (of != subject_) return;
  takeFront();
  Q_EMIT runChanged();
  Q_EMIT changed(what);
}

void Displays::setSubject(Subject subject) {
  if (subject == subject_) return;
  pause();
  place().display.selection.hovered = {};
  subject_ = subject;
  tellFront(subject, kEverything);
}

void Displays::judge(std::function<bool(const Run&)> is_earlier) {
  is_earlier_ = std::move(is_earlier);
  Display& now = place(Subject::runs).display;
  const ShownComparisonPtr several = judged_by(is_earlier_, now.comparison);
  const ShownRunPtr run = several ? several->runs.front() : judged_by(is_earlier_, now.run);
  if (run == now.run && several == now.comparison) return;
  now.run = run;
  now.comparison = several;
  if (subject_ != Subject::runs) return;
  Q_EMIT runChanged();
  Q_EMIT changed(Changed::run);
}

void Displays::showRun(ShownRunPtr shown, Subject of) {
  Display& there = place(of).display;
  if (shown == there.run && !there.comparison) return;
  if (of == subject_) pause();
  there = {judged_by(is_earlier_, shown), nullptr, {}};
  standAt(of, {});
  tellFront(of, kEverything);
}

void Displays::showComparison(ShownComparisonPtr comparison) {
  Display& there = place(Subject::runs).display;
  comparison = judged_by(is_earlier_, comparison);
  if (comparison == there.comparison) return;
  there.comparison = std::move(comparison);
  if (there.comparison && there.comparison->runs.front() != there.run) {
    if (subject_ == Subject::runs) pause();
    there.run = there.comparison->runs.front();
    standAt(Subject::runs, {});
  }
  tellFront(Subject::runs, kEverything);
}

void Displays::tell(ShownRunPtr shown, Subject of) {
  place(of).display.run = judged_by(is_earlier_, shown);
  tellFront(of, kEverything);
}

void Displays::renumber(Subject of, const std::map<int64_t, RunPtr>& runs) {
  Display& there = place(of).display;
  const auto as_it_is_now = [&](const ShownRunPtr& was) -> ShownRunPtr {
    const auto run = was && was->run->id ? runs.find(*was->run->id) : runs.end();
    return run == runs.end() ? nullptr : with_run(was, run->second);
  };
  const ShownRunPtr run = as_it_is_now(there.run);
  if (!run) return showRun(nullptr, of);
  there.run = run;
  if (there.comparison) {
    std::vector<ShownRunPtr> all{run};
    for (size_t r = 1; r < there.comparison->runs.size(); ++r)
      all.push_back(as_it_is_now(there.comparison->runs[r]));
    const bool complete = std::ranges::all_of(all, [](const ShownRunPtr& each) { return each != nullptr; });
    there.comparison = complete ? with_runs(*there.comparison, std::move(all)) : nullptr;
  }
  tellFront(of, Changed::run);
}

}  // namespace shardscope::inline window
