// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/restore_bar.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kDeclined = "journal/declined";  // the name of the newest one that was not wanted

}  // namespace

QString said_of(const LeftJournal& left) {
  QString what;
  if (const auto state = read_state(QByteArray::fromStdString(left.state)); state.ok()) {
    const QString title = QString::fromStdString(state->experiment.title);
    what = !state->file.isEmpty() ? QFileInfo(state->file).fileName()
           : title.isEmpty()      ? "no title"_tr
                                  : title;
  }
  if (left.runs > 0) what += ", " + counted_tr(left.runs, "run");
  const QDateTime at = QFileInfo(QString::fromStdString(left.path)).lastModified();
  return QString("%1 (%2)").arg(what, QLocale().toString(at, QLocale::ShortFormat));
}

RestoreBar::RestoreBar(const Context& context, Journaling& journaling, QWidget* parent)
    : QToolBar("Restore"_tr, parent),
      context_(context),
      journaling_(journaling),
      text_(new QLabel(this)),
      restore_(new QPushButton("&Restore"_tr, this)),
      fresh_(new QPushButton("Start &fresh"_tr, this)) {
  setObjectName("restore");
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  toggleViewAction()->setVisible(false);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  restore_->setToolTip("The experiment, its runs and the view as they were"_tr);
  fresh_->setToolTip("It is kept: File > Earlier windows"_tr);
  for (QWidget* widget :
       {static_cast<QWidget*>(text_), static_cast<QWidget*>(restore_), static_cast<QWidget*>(fresh_)})
    addWidget(widget);
  connect(restore_, &QPushButton::clicked, this, &RestoreBar::restore);
  connect(fresh_, &QPushButton::clicked, this, [this] {
    context_.preferences.settings().set(kDeclined, QFileInfo(left_).fileName());
    close();
  });
  hide();
}

void RestoreBar::offerNewest(const QString& folder) {
  looking_.start([folder](std::stop_token) { return Journal::left(folder.toStdString()); },
                 [this](const std::vector<LeftJournal>& left) { offer(left); });
}

void RestoreBar::offer(const std::vector<LeftJournal>& left) {
  if (left.empty() || left.front().state.empty()) return;
  const QString path = QString::fromStdString(left.front().path);
  if (QFileInfo(path).fileName() <= context_.preferences.settings().value(kDeclined).toString()) return;
  left_ = path;
  text_->setText("The last window closed with unsaved work: %1"_tr.arg(said_of(left.front())));
  show();
}

void RestoreBar::restore() {
  context_.report(journaling_.restore(left_));
  close();
}

void RestoreBar::close() {
  left_.clear();
  hide();
}

}  // namespace shardscope::inline window
