// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_findings.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"
#include "app/window/widgets/table_copy.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/explore.h"

namespace shardscope::inline window {
namespace {

// What a row stands for, in its first column.
constexpr int kFindingRole = Qt::UserRole;   // place among the schedule's findings
constexpr int kStepRole = Qt::UserRole + 1;  // a step to go to
constexpr int kSeedRole = Qt::UserRole + 2;  // a schedule to show

QString devices_text(const std::vector<int32_t>& devices) {
  QStringList out;
  for (const int32_t d : devices) out << QString::number(d);
  return out.join(", ");
}

QTreeWidgetItem* heading(QTreeWidget* tree, const QString& text) {
  auto* item = new QTreeWidgetItem(tree, {text});
  QFont bold = tree->font();
  bold.setBold(true);
  item->setFont(0, bold);
  item->setFirstColumnSpanned(true);
  item->setExpanded(true);
  return item;
}

QString what_is_missing(const KernelFinding& finding) {
  if (finding.missing.empty()) return {};
  return "What is missing: "_tr + QString::fromStdString(finding.missing);
}

QTreeWidgetItem* row(QTreeWidgetItem* above, const KernelFinding& finding, const QString& where) {
  const QString message = QString::fromStdString(finding.message);
  auto* item = new QTreeWidgetItem(
      above, {QString(name(finding.kind)), devices_text(finding.devices), where, message});
  for (int c = 0; c < 4; ++c)
    item->setToolTip(c, Qt::convertFromPlainText(message + "\n" + what_is_missing(finding)));
  return item;
}

uint64_t first_seed(const KernelRun& run) {
  uint64_t first = UINT64_MAX;
  for (const KernelFindingCount& count : run.findings) first = std::min(first, count.first_seed);
  return first;
}

// The same kernel on the same sizes under the same policy: then a search's result still holds.
bool same_kernel(const KernelChoice& a, const KernelChoice& b) {
  return a.kernel == b.kernel && a.text == b.text && a.options == b.options && a.policy == b.policy;
}

}  // namespace

KernelFindings::KernelFindings(KernelPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      schedules_(new QSpinBox(this)),
      job_(new JobBar("Find a failing schedule"_tr, this)),
      tree_(new QTreeWidget(this)) {
  schedules_->setRange(1, 100000);
  schedules_->setValue(300);
  schedules_->setSuffix(" runs"_tr);
  schedules_->setToolTip("How many schedules to try"_tr);
  schedules_->setAccessibleName("Schedules to try"_tr);
  job_->startButton()->setToolTip("Try schedule after schedule and show the first that fails"_tr);
  stands_for(job_->startButton(), "kernel.search");
  set_columns(*tree_, {{"finding"_tr, "Kind of error: a race, a deadlock, memory out of bounds"_tr},
                       {"devices"_tr, "Devices that take part in it"_tr},
                       {"step"_tr, "Step of the schedule at which it shows"_tr},
                       {"what happened"_tr, "The accesses or waits that make it, in a sentence"_tr}});
  tree_->setAccessibleName("Findings"_tr);
  tree_->setToolTip("A click goes to the step and marks devices, lines and copies"_tr);
  offer_copy(tree_);
  tree_->setAlternatingRowColors(true);
  tree_->setUniformRowHeights(true);
  tree_->installEventFilter(this);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(6);
  line->addWidget(job_, 1);
  line->addWidget(schedules_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(tree_, 1);
  connect(job_, &JobBar::startRequested, this, &KernelFindings::search);
  connect(job_, &JobBar::cancelRequested, this, [this] { work_.stop(); });
  connect(tree_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { open(item); });
  connect(&player_, &KernelPlayer::kernelChanged, this, [this] {
    fill();
    if (waits_) start(player_.shown());
    waits_ = false;
  });
  connect(&player_, &KernelPlayer::changed, this, &KernelFindings::readPlayer);
}

void KernelFindings::search() {
  if (job_->busy()) return;
  job_->begin();
  waits_ = !player_.shown();
  if (!waits_) start(player_.shown());
}

void KernelFindings::abandon() {
  if (waits_) job_->end("");
  waits_ = false;
}

void KernelFindings::start(const ShownKernelPtr& shown) {
  result_.reset();
  searched_ = shown->choice;
  kernels::ExploreOptions how;
  how.schedules = schedules_->value();
  how.seed = shown->choice.seed;
  how.input_seed = kKernelInputSeed;
  how.policy = shown->choice.policy;
  fill();
  work_.startReporting(
      [this, shown, how](std::stop_token stop, auto post) -> Result<KernelRun> {
        TRY(const kernels::KernelProgram program, build_kernel(shown->entry, shown->options));
        kernels::ExploreOptions told = how;
        told.progress = [this, post, all = how.schedules](const KernelRun& so_far) {
          post([this, so_far, all] {
            result_ = so_far;
            job_->setProgress("%1 correct, %2 wrong, %3"_tr.arg(so_far.correct_runs)
                                  .arg(so_far.wrong_runs)
                                  .arg(counted_tr(std::ssize(so_far.findings), "finding")),
                              static_cast<double>(so_far.schedules) / static_cast<double>(all));
            fill();
          });
        };
        const Workers workers(0);
        return explore(shown->entry, program, told, workers, stop);
      },
      [this](const Result<KernelRun>& found) {
        const bool cancelled = !found.ok() && found.error().kind == ErrorKind::cancelled;
        if (found.ok()) result_ = *found;
        fill();
        if (!found.ok() && !cancelled) return job_->end(in_window(found.error()), true);
        const QString before = cancelled ? "Cancelled. "_tr : "";
        if (!result_) return job_->end(before);
        const QString counts = "%1%2 correct, %3 wrong of %4"_tr.arg(before)
                                   .arg(result_->correct_runs)
                                   .arg(result_->wrong_runs)
                                   .arg(result_->schedules);
        if (result_->findings.empty()) return job_->end(counts + "; nothing was found"_tr);
        const uint64_t seed = first_seed(*result_);
        job_->end("seed %1 fails; %2"_tr.arg(seed).arg(counts), true);
        Q_EMIT seedWanted(seed);
      });
}

void KernelFindings::fill() {
  filling_ = true;
  tree_->clear();
  const ShownKernelPtr& shown = player_.shown();
  if (shown && searched_ && !same_kernel(*searched_, shown->choice)) {
    if (job_->busy()) work_.cancel();
    searched_.reset();
    result_.reset();
    job_->end("");
  }
  if (player_.canStep()) fillSchedule();
  if (result_) fillSearch();
  fit_columns(*tree_);
  tree_->setColumnWidth(0, std::min(tree_->columnWidth(0), fontMetrics().averageCharWidth() * 26));
  tree_->setColumnWidth(3, fontMetrics().averageCharWidth());  // what is left; the whole is in the tooltip
  filling_ = false;
  readPlayer();
}

void KernelFindings::fillSchedule() {
  const ShownKernelPtr& shown = player_.shown();
  const auto& findings = player_.findings();
  const QString verdict = !findings.empty()                   ? "%1 found"_tr.arg(findings.size())
                          : !shown->replay->outcome().correct ? "did not end"_tr
                          : shown->replay->numeric()          ? "correct, nothing found"_tr
                                                              : "nothing found, numbers not followed"_tr;
  QTreeWidgetItem* top = heading(tree_, "This schedule, seed %1 (%2): %3"_tr.arg(shown->choice.seed)
                                            .arg(kernels::name(schedule_of(shown->choice).policy), verdict));
  for (size_t i = 0; i < findings.size(); ++i) {
    const KernelFinding& finding = findings[i];
    QTreeWidgetItem* item = row(top, finding, QString::number(finding.step + 1));
    item->setData(0, kFindingRole, static_cast<int>(i));
    for (const KernelAccess* access : {&finding.first, &finding.second}) {
      if (access->device < 0 || access->step < 0) continue;
      auto* child =
          new QTreeWidgetItem(item, {access->line > 0 ? "line %1"_tr.arg(access->line) : "access"_tr,
                                     QString::number(access->device), QString::number(access->step + 1),
                                     QString::fromStdString(access->text)});
      child->setData(0, kFindingRole, static_cast<int>(i));
      child->setData(0, kStepRole, static_cast<qlonglong>(access->step + 1));
    }
    if (finding.missing.empty()) continue;
    auto* missing = new QTreeWidgetItem(item, {what_is_missing(finding)});
    missing->setFirstColumnSpanned(true);
    missing->setData(0, kFindingRole, static_cast<int>(i));
  }
}

void KernelFindings::fillSearch() {
  QTreeWidgetItem* top = heading(
      tree_, "%1 from seed %2: %3 correct, %4 wrong"_tr.arg(counted_tr(result_->schedules, "schedule"))
                 .arg(searched_->seed)
                 .arg(result_->correct_runs)
                 .arg(result_->wrong_runs));
  for (const KernelFindingCount& count : result_->findings) {
    QTreeWidgetItem* item =
        row(top, count.finding, "in %1, first seed %2"_tr.arg(count.runs).arg(count.first_seed));
    item->setData(0, kSeedRole, static_cast<qulonglong>(count.first_seed));
  }
}

// The row of the finding that is looked at.
void KernelFindings::readPlayer() {
  if (filling_ || tree_->topLevelItemCount() == 0 || !player_.canStep()) return;
  QTreeWidgetItem* top = tree_->topLevelItem(0);
  if (player_.findingPlace() < 0) {
    if (!tree_->hasFocus()) tree_->setCurrentItem(nullptr);
    return;
  }
  QTreeWidgetItem* wanted = top->child(player_.findingPlace());
  QTreeWidgetItem* current = tree_->currentItem();
  if (wanted == nullptr || wanted == current || (current != nullptr && current->parent() == wanted)) return;
  tree_->setCurrentItem(wanted);
  wanted->setExpanded(true);
}

void KernelFindings::open(const QTreeWidgetItem* item) {
  if (item == nullptr) return;
  const QVariant finding = item->data(0, kFindingRole), step = item->data(0, kStepRole),
                 seed = item->data(0, kSeedRole);
  if (finding.isValid()) player_.lookAt(finding.toInt());
  if (step.isValid()) player_.setStep(step.toLongLong());
  if (seed.isValid()) Q_EMIT seedWanted(seed.toULongLong());
}

bool KernelFindings::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space) {
      open(tree_->currentItem());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace shardscope::inline window
