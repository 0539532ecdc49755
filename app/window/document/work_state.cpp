// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/work_state.h"

#include <QFile>
#include <utility>

namespace shardscope::inline window {
namespace {

const std::string kWindowState = "window";  // under which a workspace file keeps the state
// Of parts: how docks stand. The same user's settings have them; who opens the file elsewhere has others.
constexpr const char* kArrangements = "arrangements";
constexpr int64_t kMostRead = 200;  // runs at once, for their verdict; more are read as they are shown

WindowState state_in(const Workspace& workspace, const std::vector<RunSummary>& rows,
                     const Experiment& otherwise) {
  if (const auto kept = workspace.kept(kWindowState); kept.ok() && *kept) {
    if (auto state = read_state(QByteArray::fromStdString(**kept)); state.ok())
      return std::move(state).value();
  }
  WindowState state;
  state.experiment = otherwise;
  if (const auto asked = workspace.experiment(); asked.ok() && *asked) state.experiment = **asked;
  for (const RunSummary& row : rows) state.current.push_back(row.id);
  if (!rows.empty()) state.shown.runs = {rows[rank(rows).front().place].id};
  return state;
}

}  // namespace

ShownState state_of(const Display& shown) {
  ShownState out{{}, shown.selection};
  out.selection.hovered = {};
  if (shown.comparison) {
    for (const ShownRunPtr& each : shown.comparison->runs) out.runs.push_back(*each->run->id);
  } else if (shown.run && shown.run->run->id) {
    out.runs.push_back(*shown.run->run->id);
  }
  return out;
}

bool is_workspace(const QString& path) {
  return path.endsWith(".shardscope");
}

Result<std::shared_ptr<Workspace>> open_existing(const QString& path) {
  if (!QFile::exists(path)) return io_error("no such file", path.toStdString());
  return Workspace::open(path.toStdString());
}

Result<OpenedFile> open_workspace(const QString& path, const Experiment& otherwise) {
  OpenedFile out;
  TRY(out.workspace, open_existing(path));
  TRY(out.rows, out.workspace->runs());
  out.state = state_in(*out.workspace, out.rows, otherwise);
  out.state.file = path;
  out.state.saved = out.state.experiment;
  return out;
}

WorkState::WorkState(ExperimentDocument& document, Clock& clock, RunStore& runs, RunPresenter& presenter)
    : document_(document), clock_(clock), runs_(runs), presenter_(presenter) {
  connect(&presenter_, &RunPresenter::restored, this, [this] { Q_EMIT restored(restoring_); });
}

WindowState WorkState::now() const {
  WindowState out;
  out.experiment = document_.experiment();
  out.file = document_.file();
  out.saved = document_.saved();
  out.numerics = numerics_;
  out.current.assign(runs_.current().begin(), runs_.current().end());
  const std::set<int64_t> hidden = runs_.hidden();
  out.hidden.assign(hidden.begin(), hidden.end());
  out.skipped = runs_.skipped();
  out.shown = state_of(clock_.of(Subject::runs));
  if (parts_) out.parts = parts_();
  out.parts.remove(kArrangements);
  return out;
}

void WorkState::goOn(const WindowState& state, std::shared_ptr<Workspace> workspace) {
  runs_.open(std::move(workspace));
  for (const int64_t id : state.hidden) runs_.hide(id);
  runs_.setCurrent(state.current);
  for (const SkippedRun& run : state.skipped) runs_.skip(run);
  numerics_ = state.numerics;
  document_.open(state.experiment, state.file);
  document_.setSaved(state.file, state.saved.value_or(state.experiment));
  restoring_ = state.parts;
}

void WorkState::cancel() {
  listing_.cancel();
  reading_.cancel();
}

void WorkState::list(std::shared_ptr<Workspace> before) {
  listing_.start(
      [before = std::move(before), workspace = runs_.workspace()](std::stop_token) {
        static_cast<void>(before->wait());
        auto rows = workspace->runs();
        return rows.ok() ? std::move(rows).value() : std::vector<RunSummary>{};
      },
      [this](std::vector<RunSummary> rows) {
        runs_.list(std::move(rows));
        Q_EMIT runsChanged();
      });
}

bool WorkState::unsaved() const {
  if (document_.file().isEmpty()) return false;
  return document_.modified() || (is_workspace(document_.file()) && !runs_.hidden().empty());
}

// The verdict and what the table says of a run need the runs themselves.
void WorkState::readRuns() {
  std::vector<std::pair<int64_t, bool>> wanted;  // with whether an outline does
  for (const int64_t id : runs_.current())
    if (runs_.known().count(id) == 0) wanted.emplace_back(id, is_much(runs_, id));
  if (wanted.empty() || std::ssize(wanted) > kMostRead) return;
  const auto read = [wanted, workspace = runs_.workspace()](std::stop_token stop) {
    std::vector<RunPtr> runs;
    for (const auto& [id, outline] : wanted) {
      if (stop.stop_requested()) break;
      auto run = outline ? workspace->outline(id) : workspace->load(id, {stop, {}});
      if (run.ok()) runs.push_back(*std::move(run));
    }
    return runs;
  };
  reading_.start(read, [this](const std::vector<RunPtr>& runs) {
    for (const RunPtr& run : runs) runs_.remember(run);
    Q_EMIT runsChanged();
  });
}

Result<void> WorkState::keep(const Experiment& saved) const {
  if (!is_workspace(document_.file())) return {};
  WindowState left = now();
  left.experiment = saved;
  left.file.clear();  // it may be moved
  left.saved.reset();
  left.hidden.clear();  // for its journal alone
  if (parts_) left.parts = parts_();
  return runs_.workspace()->keep(kWindowState, text(left).toStdString());
}

// What is saved is in the file already: no more than the view can be lost here.
void WorkState::keepInFile() const {
  static_cast<void>(keep(document_.saved()));
}

Result<void> WorkState::save() {
  const QString file = document_.file();
  if (file.isEmpty()) return invalid("no file is open");
  if (is_workspace(file)) {
    runs_.forgetHidden();
  } else {
    TRY_VOID(document_.save(file));
  }
  TRY_VOID(keep(document_.experiment()));
  document_.setSaved(file);
  return {};
}

void WorkState::saveBeside(const QString& path, bool opens, std::function<void(const Result<void>&)> done) {
  if (is_workspace(path) && path == document_.file()) {  // its own thread writes
    if (const auto saved = save(); !saved.ok()) return done(saved);
    return saving_.start([workspace = runs_.workspace()](std::stop_token) { return workspace->settle(); },
                         std::move(done));
  }
  saving_.start([experiment = document_.experiment(),
                 path](std::stop_token) { return write_experiment(experiment, path); },
                [this, experiment = document_.experiment(), path, opens,
                 done = std::move(done)](const Result<void>& saved) {
                  if (saved.ok() && (opens || document_.file() == path)) document_.setSaved(path, experiment);
                  done(saved);
                });
}

void WorkState::recordIn(std::shared_ptr<Workspace> journal) {
  runs_.open(std::move(journal));
}

void WorkState::forgetRuns(const std::vector<int64_t>& ids) {
  for (const int64_t id : ids) runs_.forget(id);
  Q_EMIT runsChanged();
}

void WorkState::setLimits(const MemoryLimits& limits) {
  limits_ = limits;
  runs_.setMostEarlierBytes(limits.earlier_bytes);
}

}  // namespace shardscope::inline window
