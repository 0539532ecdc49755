// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/crossover_panel.h"

#include <QHBoxLayout>
#include <QTextDocument>
#include <QToolButton>

#include "app/report/made_now.h"
#include "app/report/report_files.h"
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"
#include "engine/base/units.h"
#include "engine/help/topics.h"
#include "engine/report/crossover_report.h"
#include "engine/report/ranking.h"
#include "engine/session/session.h"
#include "engine/session/sweep_over.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kRangesTip = to_say(
    "Ranges as of sweep --over, blanks between them: n=1024..65536x2 (times 2), k=64..256+64 (plus 64), "
    "slices=1,2,4,8, dtype=bf16,f32, hardware=tpu-v4,tpu-v5e, collective=ring,bidirectional, mesh=2x4,4x2, "
    "overlap=on,off");

QList<TableColumn> winner_columns(const QStringList& axes) {
  QList<TableColumn> out;
  for (const QString& axis : axes) out.push_back({axis, "Value of what is swept over"_tr});
  out << TableColumn{"fastest"_tr, "Strategy with the least time at this point"_tr}
      << TableColumn{"time"_tr, "Its simulated time"_tr}
      << TableColumn{"second"_tr, "The next fastest strategy"_tr}
      << TableColumn{"×", "Time of the second over that of the fastest"_tr};
  return out;
}

QString plan_words(int64_t points, int64_t strategies) {
  return "%1 × %2"_tr.arg(counted_tr(points, "point"),
                          QString::fromStdString(say_count("{} strategy", "{} strategies", strategies)));
}

}  // namespace

CrossoverPanel::CrossoverPanel(ExperimentDocument& document, QWidget* parent)
    : StudyPanel("Sweep"_tr, spoken(help_topic("crossover").shows), parent),
      document_(document),
      ranges_(new QLineEdit("n=1024..65536x2", this)),
      plan_(new QLabel(this)) {
  setObjectName("Crossover");
  ranges_->setAccessibleName("Ranges to sweep over"_tr);
  ranges_->setToolTip(Qt::convertFromPlainText(spoken(kRangesTip)));
  plan_->setProperty("role", "muted");
  chart_->setAccessibleName("Time of each strategy over the range"_tr);
  chart_->setTooltip([this](const ItemId& item) { return words(item); });
  table_->setRootIsDecorated(false);
  table_->setAccessibleName("Who wins where"_tr);
  table_->setToolTip("Double click or Enter: the point becomes the experiment and runs"_tr);
  sayPurpose(
      "Which strategy is fastest where: every ticked strategy is timed at each value of the range; a time is "
      "the run and its resharding, × is how much longer the second takes."_tr);
  set_columns(*table_, winner_columns({"point"}));
  auto* over = new QLabel("over"_tr, this);
  over->setProperty("role", "muted");
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  line->addWidget(over);
  line->addWidget(ranges_, 1);
  line->addWidget(plan_);
  for (const auto& [text, tip, signal] :
       {std::tuple{"CSV…", "The table as CSV"_tr, &CrossoverPanel::csvRequested},
        std::tuple{"HTML…", "Curves and table as one HTML file"_tr, &CrossoverPanel::htmlRequested}}) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(tip);
    button->setProperty("role", "small");
    connect(button, &QToolButton::clicked, this, signal);
    line->addWidget(button);
  }
  place(line, 3, 2);
  connect(ranges_, &QLineEdit::textChanged, this, &CrossoverPanel::check);
  connect(ranges_, &QLineEdit::returnPressed, this, &CrossoverPanel::run);
  connect(&document_, &ExperimentDocument::changed, this, &CrossoverPanel::check);
  check();
}

Result<std::vector<SweepAxis>> CrossoverPanel::axes() const {
  std::vector<SweepAxis> out;
  for (const QString& part : ranges_->text().split(' ', Qt::SkipEmptyParts)) {
    TRY(auto more, parse_sweep_axes(part.toStdString()));
    out.insert(out.end(), more.begin(), more.end());
  }
  if (out.empty()) return invalid(said("no range is given"), "", said("write n=1024..65536x2"));
  return out;
}

// While one types: what would be swept, or why it cannot be.
void CrossoverPanel::check() {
  const auto over = axes();
  mark_invalid(ranges_, !over.ok());
  showError(over.ok() ? QString() : in_window(over.error()));
  job_->startButton()->setEnabled(over.ok() && !job_->busy());
  if (!over.ok()) return plan_->clear();
  int64_t points = 1;
  for (const SweepAxis& axis : *over) points *= std::ssize(axis.values);
  plan_->setText(plan_words(points, std::ssize(requests_of(document_.experiment()))));
}

void CrossoverPanel::run() {
  const auto over = axes();
  if (job_->busy() || !over.ok()) return;
  base_ = document_.experiment();
  result_ = nullptr;
  fillTable();
  begin<SweepOverExecution>(
      "Timing every point with every strategy; curves appear as points are done."_tr,
      [base = base_, over = *over](const SweepOverExecution& execution, std::stop_token stop) {
        return sweep_over(base, over, execution, stop);
      },
      [this](const CrossoverTable& so_far) { showResult(so_far); },
      [this](const CrossoverTable& swept) {
        if (swept.points.empty()) chart_->setMessage("Cancelled before the first point was done."_tr, false);
        return swept.complete ? "%1 timed"_tr.arg(counted_tr(std::ssize(swept.points), "point"))
                              : QString::fromStdString(say_count("Cancelled; {} point is finished and kept",
                                                                 "Cancelled; {} points are finished and kept",
                                                                 std::ssize(swept.points)));
      });
}

void CrossoverPanel::showResult(const CrossoverTable& result) {
  result_ = std::make_shared<const CrossoverTable>(result);
  fillTable();
  if (result.points.empty()) return;
  chart_->setPicture([shown = result_](const Selection& selection, const Canvas& canvas) {
    return layout_crossover(*shown, selection, canvas);
  });
}

void CrossoverPanel::fillTable() {
  table_->clear();
  showVerdict({}, {});
  if (!result_) return;
  QStringList axes;
  for (const SweepAxis& axis : result_->axes) axes << QString::fromStdString(axis.name);
  set_columns(*table_, winner_columns(axes));
  const int first = static_cast<int>(result_->axes.size());
  for (size_t i = 0; i < result_->points.size(); ++i) {
    const SweepPoint& point = result_->points[i];
    auto* row = new QTreeWidgetItem(table_);
    row->setData(0, Qt::UserRole, static_cast<int>(i));
    for (int a = 0; a < first; ++a) {
      const auto axis = static_cast<size_t>(a);
      row->setText(a,
                   QString::fromStdString(result_->axes[axis].values[static_cast<size_t>(point.at[axis])]));
      row->setTextAlignment(a, Qt::AlignRight | Qt::AlignVCenter);
    }
    if (point.ranking.empty()) {
      row->setText(first, "nothing can run here"_tr);
      continue;
    }
    row->setText(first, QString::fromStdString(point.ranking[0].strategy));
    row->setText(first + 1, QString::fromStdString(format_seconds(point.ranking[0].priced_s())));
    row->setTextAlignment(first + 1, Qt::AlignRight | Qt::AlignVCenter);
    if (point.ranking.size() < 2) continue;
    row->setText(first + 2, QString::fromStdString(point.ranking[1].strategy));
    const double lead = point.ranking[1].priced_s() / point.ranking[0].priced_s();
    row->setText(first + 3, lead < kTie ? "tie"_tr : QString::fromStdString(format_ratio(lead)));
    row->setTextAlignment(first + 3, Qt::AlignRight | Qt::AlignVCenter);
  }
  for (int c = 0; c < table_->columnCount(); ++c) {
    if (c < first || c == first + 1 || c == first + 3)
      table_->headerItem()->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
  }
  fit_columns(*table_);
  if (result_->points.empty()) return;
  const auto changes = crossovers(*result_);
  QStringList said;
  for (const Crossover& change : changes) {
    const SweepAxis& axis = result_->axes[static_cast<size_t>(change.axis)];
    const auto value = [&](const std::vector<int32_t>& at) {
      return QString::fromStdString(axis.values[static_cast<size_t>(at[static_cast<size_t>(change.axis)])]);
    };
    said << "%1 %2→%3: %4 gives way to %5"_tr.arg(QString::fromStdString(axis.name), value(change.from),
                                                  value(change.to), QString::fromStdString(change.before),
                                                  QString::fromStdString(change.after));
  }
  const QStringList whole = said;
  if (said.size() > 3) said = said.mid(0, 3) << "and %1 more"_tr.arg(changes.size() - 3);
  showVerdict(said.isEmpty() ? "One strategy wins everywhere."_tr : said.join("; ") + ".", whole);
}

QStringList CrossoverPanel::words(const ItemId& item) const {
  if (!result_ || item.index < 0 || static_cast<size_t>(item.index) >= result_->points.size()) return {};
  const SweepPoint& point = result_->points[static_cast<size_t>(item.index)];
  QStringList at, lines;
  for (size_t a = 0; a < result_->axes.size(); ++a) {
    const SweepAxis& axis = result_->axes[a];
    at << QString::fromStdString(axis.name + " = " + axis.values[static_cast<size_t>(point.at[a])]);
  }
  lines << at.join(", ");
  for (const StrategyTime& time : point.ranking)
    lines << QString::fromStdString(time.strategy + "  " + format_seconds(time.priced_s()));
  return lines.mid(0, 12);
}

QString CrossoverPanel::csv() const {
  return result_ ? QString::fromStdString(crossover_csv(*result_)) : QString();
}

QString CrossoverPanel::html() const {
  if (!result_) return {};
  const auto files = report_files(finish_report(*result_, made_now({}, "", "")), "html", "", {});
  return files.ok() ? QString::fromStdString(files->front().bytes) : QString();
}

void CrossoverPanel::open(const QTreeWidgetItem* item) {
  if (!result_ || item == nullptr) return;
  const SweepPoint& point = result_->points[static_cast<size_t>(item->data(0, Qt::UserRole).toInt())];
  const auto experiment = experiment_at(base_, result_->axes, point.at);
  if (experiment.ok()) Q_EMIT openRequested(*experiment);
}

}  // namespace shardscope::inline window
