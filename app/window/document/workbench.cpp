// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/workbench.h"

#include <QFile>
#include <algorithm>
#include <filesystem>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/request/setting.h"

namespace shardscope::inline window {

Workbench::Workbench(QObject* parent)
    : QObject(parent),
      presenter_(clock_, runs_, Subject::runs),
      module_presenter_(clock_, runs_, Subject::module),
      arrivals_(runs_, clock_, presenter_),
      state_(document_, clock_, runs_, presenter_),
      edits_(runs_, clock_, jobs_, presenter_) {
  const auto judge = [this] {
    clock_.judge([this](const Run& run) { return !still_asked(document_.experiment(), run); });
  };
  connect(&document_, &ExperimentDocument::changed, this, judge);
  judge();
  connect(&module_presenter_, &RunPresenter::refused, &presenter_, &RunPresenter::refused);
  connect(&state_, &WorkState::runsChanged, this, &Workbench::runsChanged);
  connect(&edits_, &RunEdits::changed, this, &Workbench::runsChanged);
  connect(this, &Workbench::runningChanged, this, [this](bool on) {
    running_.now = on;
    if (on) running_.failure.clear();
  });
  connect(this, &Workbench::experimentOpened, this, [this] { running_.failure.clear(); });
  connect(this, &Workbench::failed, this, [this](const QString& reason) { running_.failure = reason; });
  // A newer job takes the place of one whose numbers were on the way.
  connect(&jobs_, &JobRunner::started, this, [this] { arrivals_.end(); });
}

std::string title_of(const std::vector<RunPtr>& runs, const Experiment& now) {
  const auto of_now = [&](const RunPtr& run) { return still_asked(now, *run); };
  if (std::ranges::all_of(runs, of_now)) return now.title;
  const Experiment& first = runs.front()->experiment;
  const auto like_first = [&](const RunPtr& run) { return same_setting(run->experiment, first); };
  return std::ranges::all_of(runs, like_first) ? first.title : "";
}

Comparison comparison_of(Workbench& bench) {
  Comparison out;
  out.runs = bench.runs().currentRuns();
  out.title = title_of(out.runs, bench.document().experiment());
  out.skipped = bench.runs().skipped();
  return out;
}

namespace {

Result<Comparison> read_missing(Comparison all, const std::vector<int64_t>& ids, const Workspace& workspace,
                                const JobRunner::Report& report, const std::stop_token& stop) {
  const auto missing = static_cast<double>(std::ranges::count(all.runs, nullptr));
  double done = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    RunPtr& run = all.runs[i];
    if (run) continue;
    const std::string what = "reading run %1"_tr.arg(ids[i]).toStdString();
    const auto read = [&](double part) { report(what, (done + part) / missing); };
    TRY(run, workspace.load(ids[i], {stop, read}));
    ++done;
  }
  return all;
}

}  // namespace

Result<void> with_whole_runs(Workbench& bench, const std::vector<int64_t>& ids,
                             std::function<Result<void>(const Comparison&)> done) {
  Comparison all;
  all.skipped = bench.runs().skipped();
  for (const int64_t id : ids) {
    const auto known = bench.runs().known().find(id);
    all.runs.push_back(known == bench.runs().known().end() ? nullptr : known->second);
  }
  const auto titled = [now = bench.document().experiment(), done = std::move(done)](Comparison whole) {
    whole.title = title_of(whole.runs, now);
    return done(whole);
  };
  if (std::ranges::count(all.runs, nullptr) == 0) return titled(std::move(all));
  if (bench.jobs().running())
    return invalid(said("the events of some runs are still to be read, and a job runs"), "",
                   said("wait until it has ended, or cancel it"));
  bench.jobs().start([all = std::move(all), ids, workspace = bench.runs().workspace()](
                         const std::stop_token& stop, const JobRunner::Report& report,
                         const auto& /*post*/) { return read_missing(all, ids, *workspace, report, stop); },
                     [titled](const Result<Comparison>& whole) -> QString {
                       const Result<void> outcome = whole.ok() ? titled(*whole) : Result<void>(whole.error());
                       if (outcome.ok()) return "";
                       if (outcome.error().kind == ErrorKind::cancelled)
                         return "Cancelled; nothing was written."_tr;
                       return in_window(outcome.error());
                     });
  return {};
}

void Workbench::forget() {
  jobs_.drop();
  arrivals_.end();
  state_.cancel();
  Q_EMIT runningChanged(false);
  presenter_.forget();
  module_presenter_.forget();
  runs_.begin(true);
}

Result<void> Workbench::openPreset(const std::string& name) {
  TRY(const Experiment experiment, find_experiment(name));
  openExperiment(experiment);
  const QString file = QString::fromStdString(name);
  if (file.endsWith(".toml") && document_.file().isEmpty()) document_.setSaved(file);
  return {};
}

void Workbench::openExperiment(const Experiment& experiment) {
  forget();
  // A workspace stays open with its runs; an experiment's file is left.
  document_.open(experiment, is_workspace(document_.file()) ? document_.file() : QString());
  Q_EMIT experimentOpened();
  Q_EMIT runsChanged();
}

Result<void> Workbench::openFile(const QString& path) {
  if (path.endsWith(".toml")) return openPreset(path.toStdString());
  if (!is_workspace(path)) {
    return invalid("unknown kind of file", path.toStdString(),
                   "open an experiment (.toml) or a workspace (.shardscope)");
  }
  TRY(OpenedFile opened, open_workspace(path, document_.experiment()));
  goOn(opened.state, std::move(opened.workspace), std::move(opened.rows));
  return {};
}

void Workbench::goOn(const WindowState& state, std::shared_ptr<Workspace> workspace,
                     std::vector<RunSummary> rows) {
  state_.keepInFile();  // of the workspace that is left
  const std::shared_ptr<Workspace> before = runs_.workspace();
  const bool comes_back = !runs_.hidden().empty();  // it may be the same file, whose runs were deleted
  forget();
  edits_.forget();
  state_.goOn(state, std::move(workspace));
  if (rows.empty() || comes_back) state_.list(before);
  runs_.list(std::move(rows));
  Q_EMIT experimentOpened();
  Q_EMIT runsChanged();
  state_.readRuns();
  presenter_.restore(state.shown);
}

namespace {

// Numbers are others there; what is shown stays, and where one stands in it.
void go_on_in(WorkspaceCopy copy, RunStore& runs, Clock& clock,
              const std::vector<RunPresenter*>& presenters) {
  const std::map<int64_t, RunPtr> moved = copy.runs;
  runs.moveTo(std::move(copy));
  for (const Subject subject : {Subject::runs, Subject::module}) clock.renumber(subject, moved);
  for (RunPresenter* presenter : presenters)
    if (presenter->preparing()) presenter->again();
}

// The last part of saving, a job too: what the log beside the file has comes into it.
void settle(Workbench& bench, const QString& path) {
  bench.jobs().start(
      [workspace = bench.runs().workspace()](std::stop_token, const JobRunner::Report& report,
                                             const auto& /*post*/) {
        report(said("saving"), 1);
        return workspace->settle();
      },
      [&bench, path](const Result<void>& settled) -> QString {
        if (!settled.ok()) return QString::fromStdString(settled.error().text());
        Q_EMIT bench.saved(path);
        return "Saved: %1"_tr.arg(path);
      });
}

}  // namespace

void Workbench::saveWorkspace(const QString& path) {
  std::error_code none;
  if (std::filesystem::equivalent(path.toStdString(), runs_.workspace()->path(), none)) {
    document_.setSaved(path);  // runs are recorded there as they finish
    state_.keepInFile();
    return settle(*this, path);
  }
  jobs_.start(
      [copied = CopiedRuns{runs_.workspace(), runs_.rows(), runs_.known()}, path = path.toStdString()](
          std::stop_token stop, const JobRunner::Report& report, const auto& /*post*/) {
        return copy_workspace(copied, path, report, stop);
      },
      [this, path](Result<WorkspaceCopy> copy) -> QString {
        if (!copy.ok()) {
          if (copy.error().kind == ErrorKind::cancelled) return "Cancelled; nothing was saved.";
          return in_window(copy.error());
        }
        go_on_in(*std::move(copy), runs_, clock_, {&presenter_, &module_presenter_});
        edits_.forget();
        document_.setSaved(path);
        Q_EMIT experimentOpened();
        Q_EMIT runsChanged();
        state_.keepInFile();
        settle(*this, path);
        return "";
      });
}

QString Workbench::endRunning(const Experiment& made, const Result<void>& outcome) {
  Q_EMIT runningChanged(false);
  QString cancelled = arrivals_.cancelled();
  arrivals_.end();
  // A workspace file has the experiment with its runs.
  if (is_workspace(document_.file())) document_.setSaved(document_.file(), made);
  state_.keepInFile();
  if (outcome.ok()) {
    Q_EMIT runsChanged();
    presenter_.ended();
    return "Done.";
  }
  if (outcome.error().kind == ErrorKind::cancelled) {
    Q_EMIT runsChanged();
    return cancelled;
  }
  if (runs_.current().empty()) clock_.showRun(nullptr);
  Q_EMIT runsChanged();
  QString reason = in_window(outcome.error());
  Q_EMIT failed(reason);
  return reason;
}

void Workbench::run(const std::optional<RunRequest>& only) {
  runs_.begin(!only);
  presenter_.follow(only ? RunPresenter::Follow::newest : RunPresenter::Follow::best);
  Q_EMIT runsChanged();
  jobs_.start(
      [this, experiment = document_.experiment(), workspace = runs_.workspace(), numerics = state_.numerics(),
       only, most_events = state_.limits().events](std::stop_token stop, const JobRunner::Report& report,
                                                   auto post) -> Result<void> {
        ExecutionOptions options;
        options.numerics = numerics;
        options.most_events = most_events;
        options.only = only;
        options.workspace = workspace;
        options.progress = [&](const Progress& p) { report(p.what, p.fraction); };
        const auto passed_on = [&](void (RunArrivals::*take)(const RunPtr&)) {
          return [this, take, &post](const RunPtr& run) {
            post([this, take, run] {
              (arrivals_.*take)(run);
              Q_EMIT runsChanged();
            });
          };
        };
        options.timed = passed_on(&RunArrivals::timed);
        options.ranked = [&] { post([this] { presenter_.ended(); }); };
        options.finished = passed_on(&RunArrivals::finished);
        options.withdrawn = passed_on(&RunArrivals::withdrawn);
        options.skipped = [&](const SkippedRun& skipped) {
          post([this, skipped] {
            runs_.skip(skipped);
            Q_EMIT runsChanged();
          });
        };
        TRY_VOID(sweep(experiment, options, stop));
        return workspace->wait();
      },
      [this, experiment = document_.experiment()](const Result<void>& outcome) {
        return endRunning(experiment, outcome);
      });
  Q_EMIT runningChanged(true);
}

void Workbench::runAll() {
  run(std::nullopt);
}

void Workbench::adopt(const RunPtr& run) {
  if (!run->id) return;
  runs_.add(run);
  Q_EMIT runsChanged();
  if (!run->module) presenter_.show(*run->id);
}

}  // namespace shardscope::inline window
