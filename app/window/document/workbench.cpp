// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/workbench.h"

#include <QFile>
#include <algorithm>
#include <filesystem>

namespace shardscope {

Workbench::Workbench(QObject* parent) : QObject(parent) {
  workspace_ = Workspace::in_memory().value();
}

// A run that is still being written is shown from memory: the table never waits for the disk.
std::vector<RunSummary> Workbench::rows() const {
  auto rows = workspace_->runs();
  return rows.ok() ? std::move(rows).value() : std::vector<RunSummary>{};
}

Comparison Workbench::comparison() const {
  Comparison out;
  out.title = document_.experiment().title;
  for (const int64_t id : current_) {
    if (const auto run = runs_.find(id); run != runs_.end()) out.runs.push_back(run->second);
  }
  out.skipped = skipped_;
  return out;
}

QString Workbench::verdictText() const {
  const Comparison all = comparison();
  return all.runs.empty() ? QString() : QString::fromStdString(verdict(all.runs));
}

void Workbench::forget() {
  jobs_.drop();
  Q_EMIT runningChanged(false);
  preparing_.cancel();
  wanted_.reset();
  clock_.showRun(nullptr);
  current_.clear();
  skipped_.clear();
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
  runs_.clear();
  workspace_ = std::move(workspace);
  const auto known = rows();
  if (const auto asked = workspace_->experiment(); asked.ok() && *asked) document_.open(**asked);
  Q_EMIT experimentOpened();
  Q_EMIT runsChanged();
  if (!known.empty()) {
    const auto fastest =
        std::min_element(known.begin(), known.end(),
                         [](const RunSummary& a, const RunSummary& b) { return a.total_s < b.total_s; });
    present({fastest->id, {}});
  }
  return {};
}

Result<void> Workbench::saveExperiment(const QString& path) const {
  QFile file(path);
  const std::string text = experiment_toml(document_.experiment());
  if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0) {
    return io_error("cannot write: " + file.errorString().toStdString(), path.toStdString());
  }
  return {};
}

void Workbench::saveWorkspace(const QString& path) {
  std::error_code none;
  if (std::filesystem::equivalent(path.toStdString(), workspace_->path(), none))
    return Q_EMIT saved(path);  // runs are recorded there as they finish
  jobs_.start([from = workspace_, known = runs_, path = path.toStdString()](
                  std::stop_token stop, const JobRunner::Report& report,
                  const auto& /*post*/) { return copy_workspace(*from, known, path, report, stop); },
              [this, path](Result<WorkspaceCopy> copy) -> QString {
                if (!copy.ok()) {
                  if (copy.error().kind == ErrorKind::cancelled) return "Cancelled; nothing was saved.";
                  return QString::fromStdString(copy.error().text());
                }
                moveTo(*std::move(copy));
                Q_EMIT saved(path);
                return "Saved.";
              });
}

// What was recorded meanwhile, a module's run, goes along.
void Workbench::moveTo(WorkspaceCopy copy) {
  for (const auto& [id, run] : runs_) {
    if (copy.runs.count(id) > 0) continue;
    if (const auto late = record_copy(*copy.to, *run); late.ok()) copy.runs[id] = *late;
  }
  std::set<int64_t> current;
  runs_.clear();
  for (const auto& [id, run] : copy.runs) {
    runs_[*run->id] = run;
    if (current_.count(id) > 0) current.insert(*run->id);
  }
  current_ = std::move(current);
  workspace_ = std::move(copy.to);
  Q_EMIT experimentOpened();
  Q_EMIT runsChanged();
  showBest();
}

void Workbench::addRun(const RunPtr& run) {
  if (!run->id) return;
  runs_[*run->id] = run;
  current_.insert(*run->id);
  if (first_ || follow_ == Follow::newest) present({*run->id, {}});
  first_ = false;
  Q_EMIT runsChanged();
}

QString Workbench::endRunning(const Result<void>& outcome) {
  Q_EMIT runningChanged(false);
  if (outcome.ok()) {
    Q_EMIT runsChanged();
    if (follow_ == Follow::best) showBest();
    return "Done.";
  }
  if (outcome.error().kind == ErrorKind::cancelled) {
    Q_EMIT runsChanged();
    return "Cancelled; the runs that were finished stay.";
  }
  if (current_.empty()) clock_.showRun(nullptr);
  Q_EMIT runsChanged();
  const QString reason = QString::fromStdString(outcome.error().text());
  Q_EMIT failed(reason);
  return reason;
}

void Workbench::start(const std::optional<RunRequest>& only) {
  if (!only) current_.clear();
  skipped_.clear();
  first_ = true;
  follow_ = only ? Follow::newest : Follow::best;
  Q_EMIT runsChanged();
  jobs_.start(
      [this, experiment = document_.experiment(), workspace = workspace_, numerics = numerics_, only](
          std::stop_token stop, const JobRunner::Report& report, auto post) -> Result<void> {
        ExecutionOptions options;
        options.numerics = numerics;
        options.only = only;
        options.workspace = workspace;
        options.progress = [&](const Progress& p) { report(p.what, p.fraction); };
        options.finished = [&](const RunPtr& run) { post([this, run] { addRun(run); }); };
        options.skipped = [&](const SkippedRun& skipped) {
          post([this, skipped] {
            skipped_.push_back(skipped);
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
  start(std::nullopt);
}

void Workbench::runOne(const RunRequest& request) {
  start(request);
}

void Workbench::showRun(int64_t id) {
  follow_ = Follow::nothing;
  present({id, {}});
}

void Workbench::adopt(const RunPtr& run) {
  if (!run->id) return;
  runs_[*run->id] = run;
  current_.insert(*run->id);
  Q_EMIT runsChanged();
  showRun(*run->id);
}

void Workbench::compareRuns(int64_t a, int64_t b) {
  follow_ = Follow::nothing;
  present({a, b});
}

bool Workbench::presents(const Wish& wish) const {
  const ShownRunPtr &shown = clock_.shown(), &other = clock_.other();
  return shown && shown->run->id == wish.id && (other ? other->run->id : std::nullopt) == wish.other;
}

void Workbench::present(const Wish& wish) {
  if (wanted_ == wish) return;
  preparing_.cancel();
  wanted_.reset();
  if (presents(wish)) return;
  wanted_ = wish;
  struct Prepared {
    ShownRunPtr first, second;
  };
  const auto prepare = [runs = runs_, workspace = workspace_, wish](std::stop_token) -> Result<Prepared> {
    const auto shown_of = [&](int64_t id) -> Result<ShownRunPtr> {
      if (const auto known = runs.find(id); known != runs.end()) return show(known->second);
      TRY(RunPtr run, workspace->load(id));
      return show(std::move(run));
    };
    Prepared out;
    TRY(out.first, shown_of(wish.id));
    if (wish.other) {
      TRY(out.second, shown_of(*wish.other));
    }
    return out;
  };
  preparing_.start(prepare, [this, wish](const Result<Prepared>& prepared) {
    wanted_.reset();
    if (!prepared.ok()) {
      Q_EMIT refused(QString::fromStdString(prepared.error().text()));
      return;
    }
    for (const ShownRunPtr& each : {prepared->first, prepared->second}) {
      if (each) runs_.emplace(*each->run->id, each->run);
    }
    clock_.showRun(prepared->first);
    if (prepared->second) {
      clock_.compareWith(prepared->second);
    } else {
      Q_EMIT shownRunChanged(wish.id);
    }
  });
}

void Workbench::showBest() {
  const auto ranked = rank(comparison().runs);
  if (!ranked.empty() && ranked.front().run->id) present({*ranked.front().run->id, {}});
}

}  // namespace shardscope
