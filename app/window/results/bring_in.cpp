// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/bring_in.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHeaderView>
#include <QVBoxLayout>
#include <set>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/results/runs_view.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

BringIn::BringIn(const QString& path, QWidget* parent)
    : QDialog(parent),
      path_(path),
      model_(new RunsModel(this)),
      list_(new RunsList(model_, this)),
      view_(make_runs_view(this)),
      message_(new QLabel("Reading %1…"_tr.arg(QFileInfo(path).fileName()), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  explained_by(this, "bring_in");
  setWindowTitle("Import runs of %1"_tr.arg(QFileInfo(path).fileName()));
  view_->setModel(list_);
  view_->setSortingEnabled(true);
  view_->sortByColumn(RunsModel::id, Qt::AscendingOrder);
  const std::set<int> shown{RunsModel::id,      RunsModel::strategy, RunsModel::name, RunsModel::problem,
                            RunsModel::dtype,   RunsModel::mesh,     RunsModel::chip, RunsModel::time,
                            RunsModel::exposed, RunsModel::tags};
  for (int c = 0; c < RunsModel::column_count; ++c) view_->setColumnHidden(c, shown.count(c) == 0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  bring_ = buttons->addButton("Import"_tr, QDialogButtonBox::AcceptRole);
  bring_->setEnabled(false);
  connect(buttons, &QDialogButtonBox::accepted, this, &BringIn::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &BringIn::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(message_);
  layout->addWidget(view_, 1);
  layout->addWidget(buttons);
  resize(QSize(fontMetrics().averageCharWidth() * 120, fontMetrics().height() * 24));
  reading_.start(
      [path = path.toStdString()](std::stop_token) -> Result<std::vector<RunSummary>> {
        TRY(const auto workspace, Workspace::open(path, true));
        return workspace->runs();
      },
      [this](const Result<std::vector<RunSummary>>& rows) { take(rows); });
}

void BringIn::take(const Result<std::vector<RunSummary>>& rows) {
  if (!rows.ok()) return message_->setText(in_window(rows.error()));
  model_->setRows(*rows, {}, {});
  message_->setText(rows->empty() ? "It holds no finished run."_tr
                                  : "Its runs are copied with all their data. Ctrl+click leaves one "
                                    "out, or takes it."_tr);
  fit_columns(*view_);
  view_->selectAll();
  view_->setFocus();
  bring_->setEnabled(!rows->empty());
}

std::vector<RunSummary> BringIn::chosen() const {
  std::set<qlonglong> ids;
  for (const QModelIndex& row : view_->selectionModel()->selectedRows())
    ids.insert(row.data(RunsModel::kRunIdRole).toLongLong());
  std::vector<RunSummary> out;
  for (const RunSummary& row : model_->rows())
    if (ids.count(row.id) > 0) out.push_back(row);
  return out;
}

void BringIn::accept() {
  const std::vector<RunSummary> rows = chosen();
  if (rows.empty()) return message_->setText("Select the runs that are wanted."_tr);
  Q_EMIT wanted(path_, rows);
  QDialog::accept();
}

}  // namespace shardscope::inline window
