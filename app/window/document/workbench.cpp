// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/workbench.h"

#include <QFile>
#include <filesystem>

namespace shardscope {

Workbench::Workbench(QObject* parent) : QObject(parent), presenter_(clock_, runs_) {}

Comparison Workbench::comparison() const {
  Comparison out;
  out.title = document_.experiment().title;
  out.runs = runs_.currentRuns();
  out.skipped = runs_.skipped();
  return out;
}

void Workbench::forget() {
  jobs_.drop();
  Q_EMIT runningChanged(false);
  presenter_.forget();
  runs_.forgetCurrent();
  runs_.forgetSkipped();
}

Result<void> Workbench::openPreset(const std::string& name) {
  TRY(const Experiment experiment, find_experiment(name));
  openExperiment(experiment);
  return {};
}

void Workbench::openExperiment(const Experiment& experiment) {
  forget();
  document_.open(experiment);
  Q_EMIT experimentOpened();
  Q_EMIT runsChanged();
}

Result<void> Workbench::openFile(const QString& path) {
  if (path.endsWith(".toml")) return openPreset(path.toStdString());
  if (!path.endsWith(".shardscope")) {
    return invalid("unknown kind of file", path.toStdString(),
                   "open an experiment (.toml) or a workspace (.shardscope)");
  }
  // A missing file would be made; opening is not for that.
  if (!QFile::exists(path)) return io_error("no such file", path.toStdString());
  TRY(auto workspace, Workspace::open(path.toStdString()));
  forget();
  runs_.open(std::move(workspace));
  const auto known = runs_.rows();
  if (const auto asked = runs_.workspace()->experiment(); asked.ok() && *asked) document_.open(**asked);
  Q_EMIT experimentOpened();
  Q_EMIT runsChanged();
  if (!known.empty()) {
    presenter_.showFirst(known[rank(known).front().place].id);
  }
  return {};
}

void Workbench::saveWorkspace(const QString& path) {
  std::error_code none;
  if (std::filesystem::equivalent(path.toStdString(), runs_.workspace()->path(), none))
    return Q_EMIT saved(path);  // runs are recorded there as they finish
  jobs_.start([from = runs_.workspace(), known = runs_.known(), path = path.toStdString()](
                  std::stop_token stop, const JobRunner::Report& report,
                  const auto& /*post*/) { return copy_workspace(*from, known, path, report, stop); },
              [this, path](Result<WorkspaceCopy> copy) -> QString {
                if (!copy.ok()) {
                  if (copy.error().kind == ErrorKind::cancelled) return "Cancelled; nothing was saved.";
                  return QString::fromStdString(copy.error().text());
                }
                runs_.moveTo(*std::move(copy));
                Q_EMIT experimentOpened();
                Q_EMIT runsChanged();
                presenter_.showBest();
                Q_EMIT saved(path);
                return "Saved.";
              });
}

void Workbench::addRun(const RunPtr& run) {
  if (!run->id) return;
  runs_.add(run);
  presenter_.arrived(*run->id);
  Q_EMIT runsChanged();
}

QString Workbench::endRunning(const Result<void>& outcome) {
  Q_EMIT runningChanged(false);
  if (outcome.ok()) {
    Q_EMIT runsChanged();
    presenter_.ended();
    return "Done.";
  }
  if (outcome.error().kind == ErrorKind::cancelled) {
    Q_EMIT runsChanged();
    return "Cancelled; the runs that were finished stay.";
  }
  if (runs_.current().empty()) clock_.showRun(nullptr);
  Q_EMIT runsChanged();
  const QString reason = QString::fromStdString(outcome.error().text());
  Q_EMIT failed(reason);
  return reason;
}

void Workbench::run(const std::optional<RunRequest>& only) {
  if (!only) runs_.forgetCurrent();
  runs_.forgetSkipped();
  presenter_.follow(only ? RunPresenter::Follow::newest : RunPresenter::Follow::best);
  Q_EMIT runsChanged();
  jobs_.start(
      [this, experiment = document_.experiment(), workspace = runs_.workspace(), numerics = numerics_, only](
          std::stop_token stop, const JobRunner::Report& report, auto post) -> Result<void> {
        ExecutionOptions options;
        options.numerics = numerics;
        options.only = only;
        options.workspace = workspace;
        options.progress = [&](const Progress& p) { report(p.what, p.fraction); };
        options.finished = [&](const RunPtr& run) { post([this, run] { addRun(run); }); };
        options.skipped = [&](const SkippedRun& skipped) {
          post([this, skipped] {
            runs_.skip(skipped);
            Q_EMIT runsChanged();
          });
        };
        TRY_VOID(sweep(experiment, options, stop));
        return workspace->wait();
      },
      [this](const Result<void>& outcome) { return endRunning(outcome); });
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
