// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/runs_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QStyle>
#include <array>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr std::array kGroupings{"",      "problem", "mesh", "strategy", "chip",
                                "dtype", "group",   "tags", "title",    "bound"};

// "at character 7: there is no column 'tme'; did you mean time".
QString words_of(const Error& error) {
  const QString where = QString::fromStdString(error.where).section(':', 1);
  QString out = QString::fromStdString(error.what);
  if (!error.fix.empty()) out += "; " + QString::fromStdString(error.fix);
  return where.isEmpty() ? out : "at character %1: %2"_tr.arg(where, out);
}

}  // namespace

RunsBar::RunsBar(RunsColumns& columns, QWidget* parent)
    : QWidget(parent),
      columns_(columns),
      filter_(new QLineEdit(this)),
      said_(new QLabel(this)),
      group_by_(new QComboBox(this)),
      choose_(new QToolButton(this)),
      all_(new QCheckBox("all runs"_tr, this)) {
  filter_->setPlaceholderText("Filter: wang  time<100us  exposed>10%  tag:paper"_tr);
  filter_->setAccessibleName("Filter runs"_tr);
  filter_->setClearButtonEnabled(true);
  filter_->setToolTip(
      "Words match any column; strategy:wang one column; time<100us, peak>=1GiB, overlap>50% numbers with "
      "their units; exposed>10% a part of the run's time; -tag:draft leaves out. All must hold."_tr);
  for (const char* id : kGroupings) {
    const QString header =
        *id == 0 ? "no groups"_tr : "by %1"_tr.arg(run_columns()[*find_run_column(id)].header);
    group_by_->addItem(header, QString(id));
  }
  group_by_->setAccessibleName("Group runs"_tr);
  group_by_->setToolTip("Lines that say how many runs there are and which is the best; Enter folds them"_tr);
  choose_->setText("Columns"_tr);
  choose_->setProperty("role", "small");
  choose_->setToolTip("Which columns are shown; drag their headers to move and to size them"_tr);
  connect(choose_, &QToolButton::clicked, this, [this] {
    QMenu* menu = columns_.menu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(choose_->mapToGlobal(QPoint(0, choose_->height())));
  });
  all_->setToolTip("Show all runs of the workspace, not only this experiment's"_tr);
  said_->setProperty("role", "muted");
  said_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* bar = new QHBoxLayout(this);
  bar->setContentsMargins(8, 4, 8, 4);
  bar->addWidget(filter_, 3);
  bar->addWidget(said_, 2);
  bar->addWidget(group_by_);
  bar->addWidget(choose_);
  bar->addWidget(all_);
}

std::optional<RunFilter> RunsBar::read() {
  auto filter = RunFilter::parse(filter_->text().toStdString());
  filter_->setProperty("invalid", !filter.ok());
  filter_->style()->unpolish(filter_);
  filter_->style()->polish(filter_);
  if (filter.ok()) return *std::move(filter);
  say(words_of(filter.error()));
  return std::nullopt;
}

std::optional<size_t> RunsBar::group() const {
  const QString id = group_by_->currentData().toString();
  if (id.isEmpty()) return std::nullopt;
  return find_run_column(id.toStdString()).value();
}

void RunsBar::say(const QString& text) {
  said_->setText(text);
  said_->setToolTip(text);
}

}  // namespace shardscope::inline window
