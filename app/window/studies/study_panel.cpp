// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/study_panel.h"

#include <QSplitter>
#include <QTextDocument>
#include <QVBoxLayout>

#include "app/window/text/panel_find.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/open_rows.h"
#include "app/window/widgets/table_copy.h"

namespace shardscope::inline window {

StudyPanel::StudyPanel(const QString& start, const QString& what, QWidget* parent)
    : QWidget(parent),
      purpose_(new QLabel(this)),
      error_(new QLabel(this)),
      verdict_(new QLabel(this)),
      job_(new JobBar(start, this)),
      chart_(new PictureCanvas(what, this)),
      table_(new QTreeWidget(this)) {
  purpose_->setProperty("role", "muted");
  purpose_->setWordWrap(true);
  error_->setProperty("role", "warning");
  error_->setWordWrap(true);
  error_->hide();
  verdict_->setProperty("role", "verdict");
  verdict_->setWordWrap(true);
  verdict_->hide();
  offer_copy(table_);
  table_->setColumnCount(0);
  table_->setUniformRowHeights(true);
  table_->setAlternatingRowColors(true);
  connect(job_, &JobBar::startRequested, this, [this] { run(); });
  connect(job_, &JobBar::cancelRequested, this, [this] { work_.stop(); });
  open_rows(table_, [this](QTreeWidgetItem* item) { open(item); });
}

void StudyPanel::setTheme(const Theme& theme) {
  chart_->setTheme(theme);
  if (scale_ != theme.scale) fit_columns(*table_);
  scale_ = theme.scale;
}

void StudyPanel::place(QLayout* form, int chart_share, int table_share) {
  auto* above = new QVBoxLayout;
  above->setContentsMargins(8, 6, 8, 6);
  above->addWidget(purpose_);
  above->addLayout(form);
  above->addWidget(job_);
  above->addWidget(error_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(chart_);
  split->addWidget(table_);
  split->setStretchFactor(0, chart_share);
  split->setStretchFactor(1, table_share);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(above);
  layout->addWidget(split, 1);
  layout->addWidget(new PanelFind(this));
  layout->addWidget(verdict_);
  QWidget* last = nullptr;  // Tab goes through the form, then to the job and what it made
  for (int i = 0; i < form->count(); ++i) {
    QWidget* field = form->itemAt(i)->widget();
    if (field == nullptr) continue;
    if (last != nullptr) setTabOrder(last, field);
    last = field;
  }
  for (QWidget* next : std::initializer_list<QWidget*>{job_->startButton(), chart_, table_}) {
    setTabOrder(last, next);
    last = next;
  }
}

void StudyPanel::sayPurpose(const QString& text) {
  purpose_->setText(text);
}

void StudyPanel::showError(const QString& text) {
  error_->setText(text);
  error_->setVisible(!text.isEmpty());
}

void StudyPanel::showVerdict(const QString& text, const QStringList& whole) {
  verdict_->setText(text);
  verdict_->setToolTip(Qt::convertFromPlainText(whole.join('\n')));
  verdict_->setVisible(!text.isEmpty());
}

}  // namespace shardscope::inline window
