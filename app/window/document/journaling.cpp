// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/journaling.h"

#include <QStandardPaths>
#include <utility>

namespace shardscope::inline window {
namespace {

constexpr int kLaterMs = 250;
constexpr const char* kBytesInUse =
    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count,"
    " pragma_page_size";

int64_t bytes_in_use(const Workspace& workspace) {
  const auto answer = workspace.query(kBytesInUse, 1);
  if (!answer.ok() || answer->rows.empty()) return 0;
  return QString::fromStdString(answer->rows[0][0]).toLongLong();
}

// The oldest runs that are not of the experiment, until what is left is no more than `most`.
std::vector<int64_t> remove_old_runs(Workspace& workspace, const std::set<int64_t>& current, int64_t most) {
  std::vector<int64_t> removed;
  const auto rows = workspace.runs();
  if (!rows.ok()) return removed;
  for (const RunSummary& row : *rows) {
    if (bytes_in_use(workspace) <= most) break;
    if (current.count(row.id) == 0 && workspace.remove(row.id).ok()) removed.push_back(row.id);
  }
  return removed;
}

}  // namespace

QString journal_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/journal";
}

Journaling::Journaling(Workbench& bench, QObject* parent) : QObject(parent), bench_(bench) {
  for (QTimer* timer : {&soon_, &later_}) {
    timer->setSingleShot(true);
    connect(timer, &QTimer::timeout, this, &Journaling::write);
  }
  soon_.setInterval(0);
  later_.setInterval(kLaterMs);
  const auto soon = [this] { soon_.start(); };
  connect(&bench_.document(), &ExperimentDocument::changed, this, soon);
  connect(&bench_.document(), &ExperimentDocument::fileChanged, this, soon);
  connect(&bench_, &Workbench::runsChanged, this, soon);
  connect(&bench_, &Workbench::runningChanged, this, [this](bool on) {
    if (!on) bound();
  });
  connect(&bench_, &Workbench::saved, this,
          [this] { saved_ = saved_ || (journal_ && bench_.runs().workspace() != journal_->workspace()); });
  connect(&bench_.clock(), &Clock::runChanged, this, soon);
  bench_.clock().tellOf(Changed::run | Changed::time | Changed::selected | Changed::range, this,
                        &Journaling::later);
}

Journaling::~Journaling() = default;

Result<void> Journaling::begin(const QString& folder) {
  TRY(journal_, Journal::begin(folder.toStdString()));
  bench_.state().recordIn(journal_->workspace());
  return {};
}

Result<void> Journaling::restore(const QString& left) {
  TRY(auto journal, Journal::take(left.toStdString()));
  TRY(const std::string kept, journal->state());
  TRY(WindowState state, read_state(QByteArray::fromStdString(kept)));
  letGo();
  journal_ = std::move(journal);
  written_.clear();
  saved_ = false;
  if (!is_workspace(state.file)) {
    bench_.goOn(state, journal_->workspace());
    return {};
  }
  auto file = open_existing(state.file);
  if (file.ok()) {
    bench_.goOn(state, *std::move(file));
    return {};
  }
  state.file.clear();
  state.current.clear();
  state.shown = {};
  bench_.goOn(state, journal_->workspace());
  return file.error();
}

void Journaling::later() {
  if (!later_.isActive()) later_.start();
}

void Journaling::write() {
  soon_.stop();
  if (!journal_) return;
  QByteArray now = text(bench_.state().now());
  if (now == written_) return;
  written_ = std::move(now);
  journal_->keep(written_.toStdString());
}

bool Journaling::somethingInIt() const {
  if (bench_.document().modified() || (holds_ && holds_())) return true;
  if (saved_) return false;
  // One run of what was opened, as a plain start makes it, is a click away.
  const auto runs = journal_->workspace()->runs();
  return !runs.ok() || runs->size() > 1;
}

void Journaling::letGo() {
  if (!journal_) return;
  write();
  if (!somethingInIt()) journal_->discard();
  journal_.reset();
}

void Journaling::end(bool discard) {
  bench_.state().keepInFile();
  if (discard) bench_.document().open(bench_.document().saved(), bench_.document().file());
  letGo();
}

void Journaling::bound() {
  if (!journal_ || bench_.runs().workspace() != journal_->workspace()) return;
  bounding_.start([workspace = journal_->workspace(), current = bench_.runs().current(), most = most_bytes_](
                      std::stop_token) { return remove_old_runs(*workspace, current, most); },
                  [this](const std::vector<int64_t>& removed) {
                    if (!removed.empty()) bench_.state().forgetRuns(removed);
                  });
}

}  // namespace shardscope::inline window
