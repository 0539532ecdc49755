// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/workbench.h"

#include <QFile>
#include <filesystem>

#include "app/window/document/language.h"

namespace shardscope {

Workbench::Workbench(QObject* parent)
    : QObject(parent),
      presenter_(clock_, runs_),
      arrivals_(runs_, clock_, presenter_),
      state_(document_, clock_, runs_, presenter_),
      edits_(runs_, clock_, jobs_, presenter_) {
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

Comparison comparison_of(Workbench& bench) {
  Comparison out;
  out.title = bench.document().experiment().title;
  out.runs = bench.runs().currentRuns();
  out.skipped = bench.runs().skipped();
  return out;
}

namespace {

bool is_outline(const RunStore& runs, const RunPtr& run) {
  return run->id && !runs.known().contains(*run->id);
}

Result<Comparison> read_outlines(Comparison all, const std::vector<size_t>& outlines,
                                 const Workspace& workspace, const JobRunner::Report& report,
                                 const std::stop_token& stop) {
  const double each = 1.0 / static_cast<double>(outlines.size());
  for (size_t i = 0; i < outlines.size(); ++i) {
    RunPtr& run = all.runs[outlines[i]];
    const std::string what = "reading run %1"_tr.arg(*run->id).toStdString();
    const auto read = [&](double part) { report(what, each * (static_cast<double>(i) + part)); };
    TRY(run, workspace.load(*run->id, {stop, read}));
  }
  return all;
}

}  // namespace

Result<void> with_whole_comparison(Workbench& bench, std::function<Result<void>(const Comparison&)> done) {
  Comparison all = comparison_of(bench);
  std::vector<size_t> outlines;
  for (size_t i = 0; i < all.runs.size(); ++i)
    if (is_outline(bench.runs(), all.runs[i])) outlines.push_back(i);
  if (outlines.empty()) return done(all);
  if (bench.jobs().running())
    return invalid(said("the events of some runs are still to be read, and a job runs"), "",
                   said("wait until it has ended, or cancel it"));
  bench.jobs().start(
      [all = std::move(all), outlines = std::move(outlines), workspace = bench.runs().workspace()](
          const std::stop_token& stop, const JobRunner::Report& report, const auto& /*post*/) {
        return read_outlines(all, outlines, *workspace, report, stop);
      },
      [done = std::move(done)](const Result<Comparison>& whole) -> QString {
        const Result<void> outcome = whole.ok() ? done(*whole) : Result<void>(whole.error());
        if (outcome.ok()) return "";
        if (outcome.error().kind == ErrorKind::cancelled) return "Cancelled; nothing was written."_tr;
        return QString::fromStdString(outcome.error().text());
      });
  return {};
}

void Workbench::forget() {
  jobs_.drop();
  arrivals_.end();
  state_.cancel();
  Q_EMIT runningChanged(false);
  presenter_.forget();
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
  presenter_.restore(state);
}

void Workbench::saveWorkspace(const QString& path) {
  std::error_code none;
  if (std::filesystem::equivalent(path.toStdString(), runs_.workspace()->path(), none)) {
    document_.setSaved(path);  // runs are recorded there as they finish
    state_.keepInFile();
    return Q_EMIT saved(path);
  }
  jobs_.start(
      [copied = CopiedRuns{runs_.workspace(), runs_.rows(), runs_.known()}, path = path.toStdString()](
          std::stop_token stop, const JobRunner::Report& report, const auto& /*post*/) {
        return copy_workspace(copied, path, report, stop);
      },
      [this, path](Result<WorkspaceCopy> copy) -> QString {
        if (!copy.ok()) {
          if (copy.error().kind == ErrorKind::cancelled) return "Cancelled; nothing was saved.";
          return QString::fromStdString(copy.error().text());
        }
        runs_.moveTo(*std::move(copy));
        edits_.forget();  // numbers are others there
        document_.setSaved(path);
        Q_EMIT experimentOpened();
        Q_EMIT runsChanged();
        presenter_.showBest();
        state_.keepInFile();
        Q_EMIT saved(path);
        return "Saved.";
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
  QString reason = QString::fromStdString(outcome.error().text());
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
  presenter_.show(*run->id);
}

}  // namespace shardscope
