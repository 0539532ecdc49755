// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_edits.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"

namespace shardscope::inline window {

class LabelChange : public QUndoCommand {
 public:
  LabelChange(RunEdits& edits, int64_t run, RunLabel from, RunLabel to)
      : QUndoCommand("label of run %1"_tr.arg(run)),
        edits_(edits),
        run_(run),
        from_(std::move(from)),
        to_(std::move(to)) {}
  void undo() override { edits_.setLabel(run_, from_); }
  void redo() override { edits_.setLabel(run_, to_); }

 private:
  RunEdits& edits_;
  int64_t run_;
  RunLabel from_, to_;
};

// Runs that go, or that came: of these the first redo has happened.
class RunsTaken : public QUndoCommand {
 public:
  enum class Way { deleted, brought_in };
  RunsTaken(RunEdits& edits, std::vector<KeptRun> runs, Way way)
      : QUndoCommand(QString::fromStdString(
            way == Way::deleted ? say_count("delete {} run", "delete {} runs", std::ssize(runs))
                                : say_count("bring in {} run", "bring in {} runs", std::ssize(runs)))),
        edits_(edits),
        runs_(std::move(runs)),
        way_(way) {}
  void undo() override { way_ == Way::deleted ? edits_.putBack(runs_) : edits_.take(runs_); }
  void redo() override {
    if (way_ == Way::deleted) return edits_.take(runs_);
    if (std::exchange(there_, false)) return;
    edits_.putBack(runs_);
  }

 private:
  RunEdits& edits_;
  std::vector<KeptRun> runs_;
  Way way_;
  bool there_ = true;
};

RunEdits::RunEdits(RunStore& runs, Clock& clock, JobRunner& jobs, RunPresenter& presenter)
    : runs_(runs), clock_(clock), jobs_(jobs), presenter_(presenter) {}

void RunEdits::label(int64_t id, const RunLabel& given) {
  const RunSummary* row = runs_.row(id);
  if (row == nullptr || row->given == given) return;
  undo_.push(new LabelChange(*this, id, row->given, given));
}

void RunEdits::setLabel(int64_t id, const RunLabel& given) {
  runs_.label(id, given);
  relabelRuns();
  Q_EMIT changed();
}

// Runs are immutable: those in memory are copied beside this thread, with what is said of them now.
void RunEdits::relabelRuns() {
  std::vector<std::pair<RunPtr, RunLabel>> wanted;
  for (const auto& [id, run] : runs_.known()) {
    const RunSummary* row = runs_.row(id);
    if (row != nullptr && row->given != run->given) wanted.emplace_back(run, row->given);
  }
  const Display& now = clock_.of(Subject::runs);
  if (const ShownRunPtr& shown = now.run; shown && shown->run->id && !now.comparison) {
    const int64_t id = *shown->run->id;
    const RunSummary* row = runs_.row(id);
    if (is_much(runs_, id) && !runs_.known().contains(id) && row->given != shown->run->given)
      presenter_.again();
  }
  if (wanted.empty()) return relabelling_.cancel();
  const auto copy = [wanted = std::move(wanted)](std::stop_token stop) {
    std::vector<RunPtr> out;
    for (const auto& [run, given] : wanted) {
      if (stop.stop_requested()) break;
      auto labelled = std::make_shared<Run>(*run);
      labelled->given = given;
      out.push_back(std::move(labelled));
    }
    return out;
  };
  relabelling_.start(copy, [this](const std::vector<RunPtr>& labelled) {
    bool shown = false, proved = false;
    const auto shows = [](const ShownRunPtr& s, const RunPtr& run) { return s && s->run->id == run->id; };
    for (const RunPtr& run : labelled) {
      const auto known = runs_.known().find(*run->id);
      if (known != runs_.known().end() && known->second->numerics.checked != run->numerics.checked) {
        proved = true;  // while it was copied
        continue;
      }
      runs_.remember(run);
      shown = shown || shows(clock_.of(Subject::runs).run, run);
      if (const ShownComparisonPtr& all = clock_.of(Subject::runs).comparison)
        shown = shown || std::ranges::any_of(all->runs, [&](const auto& s) { return shows(s, run); });
    }
    if (shown) presenter_.again();
    Q_EMIT changed();
    if (proved) relabelRuns();
  });
}

void RunEdits::remove(const std::vector<int64_t>& ids) {
  std::vector<KeptRun> gone;
  for (const int64_t id : ids) {
    const RunSummary* row = runs_.row(id);
    if (row == nullptr) continue;
    const auto known = runs_.known().find(id);
    gone.push_back(
        {*row, known == runs_.known().end() ? nullptr : known->second, runs_.current().count(id) > 0});
  }
  if (!gone.empty()) undo_.push(new RunsTaken(*this, std::move(gone), RunsTaken::Way::deleted));
}

void RunEdits::take(const std::vector<KeptRun>& runs) {
  for (const KeptRun& kept : runs) runs_.hide(kept.row.id);
  presenter_.again();
  Q_EMIT changed();
}

void RunEdits::putBack(const std::vector<KeptRun>& runs) {
  std::vector<int64_t> current(runs_.current().begin(), runs_.current().end());
  for (const KeptRun& kept : runs) {
    runs_.show(kept.row);
    if (kept.run) runs_.remember(kept.run);
    if (kept.current) current.push_back(kept.row.id);
  }
  runs_.setCurrent(current);
  if (!clock_.of(Subject::runs).run) presenter_.show(runs.front().row.id);
  Q_EMIT changed();
}

void RunEdits::bringIn(const QString& path, const std::vector<RunSummary>& rows) {
  const auto copy = [to = runs_.workspace(), rows, path = path.toStdString()](
                        std::stop_token stop, const JobRunner::Report& report,
                        const auto& /*post*/) -> Result<std::vector<RunPtr>> {
    CopiedRuns runs;
    TRY(runs.from, Workspace::open(path, true));
    runs.rows = rows;
    const std::string file = QFileInfo(QString::fromStdString(path)).fileName().toStdString();
    for (RunSummary& row : runs.rows) row.given.origin = file + ", run " + std::to_string(row.id);
    WorkspaceCopy copied{to, {}};
    const Result<void> outcome = copy_runs(runs, copied, report, stop);
    std::vector<RunPtr> out;
    for (const auto& [id, run] : copied.runs) {
      if (run) out.push_back(run);
    }
    if (outcome.ok()) return out;
    for (const RunPtr& run : out) static_cast<void>(to->remove(*run->id));
    return outcome.error();
  };
  jobs_.start(copy, [this, path](const Result<std::vector<RunPtr>>& runs) -> QString {
    if (runs.ok()) return arrived(path, *runs);
    if (runs.error().kind == ErrorKind::cancelled) return "Cancelled; nothing was imported."_tr;
    return in_window(runs.error());
  });
}

QString RunEdits::arrived(const QString& path, const std::vector<RunPtr>& runs) {
  std::vector<KeptRun> kept;
  for (const RunPtr& run : runs) {
    kept.push_back({summary_of(*run), run, true});
    runs_.add(run);
  }
  if (kept.empty()) return "No run was chosen."_tr;
  undo_.push(new RunsTaken(*this, std::move(kept), RunsTaken::Way::brought_in));
  Q_EMIT changed();
  QString words =
      "%1 imported from %2."_tr.arg(counted_tr(std::ssize(runs), "run"), QFileInfo(path).fileName());
  Q_EMIT broughtIn(words);
  return words;
}

void RunEdits::forget() {
  relabelling_.cancel();
  undo_.clear();
}

}  // namespace shardscope::inline window
