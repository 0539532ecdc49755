// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_chooser.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_text.h"
#include "app/window/widgets/form_parts.h"
#include "engine/session/lessons/lesson_presets.h"

namespace shardscope::inline window {
namespace {

constexpr int kReached = Qt::UserRole + 1;

// For whom, what comes before, how long, how far.
QString words_of(const ListedLesson& listed) {
  const LessonPreset& lesson = listed.lesson;
  QString out = as_text(lesson.title) + "\n" +
                "%1, about %2"_tr.arg(counted_tr(lesson.steps, "step"), counted_tr(lesson.minutes, "minute"));
  if (!lesson.audience.empty()) out += " · " + "for %1"_tr.arg(as_text(lesson.audience));
  if (!lesson.after.empty()) out += " · " + "after “%1”"_tr.arg(as_text(lesson.after));
  if (listed.reached > 0) out += " · " + "you were at step %1"_tr.arg(listed.reached + 1);
  return out;
}

}  // namespace

LessonChooser::LessonChooser(QWidget* parent)
    : QWidget(parent),
      list_(new QListWidget(this)),
      open_(new QPushButton("&Play"_tr, this)),
      go_on_(new QPushButton(this)),
      new_(new QPushButton("&New lesson"_tr, this)),
      file_(new QPushButton("Open a &file…"_tr, this)) {
  list_->setAccessibleName("Lessons"_tr);
  list_->setAlternatingRowColors(true);
  list_->setWordWrap(true);
  list_->setSpacing(3);
  new_->setToolTip("An empty lesson: then take views into it as steps"_tr);
  auto* intro = form_label(
      "A lesson is played step by step: it asks before it shows, and lets the class change things."_tr, this);
  intro->setWordWrap(true);
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {open_, go_on_, new_, file_}) buttons->addWidget(button);
  buttons->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 12, 16, 12);
  layout->addWidget(heading_label("Lessons"_tr, this));
  layout->addWidget(intro);
  layout->addWidget(list_, 1);
  layout->addLayout(buttons);
  const auto choose = [this] {
    if (const QListWidgetItem* item = list_->currentItem())
      Q_EMIT chosen(item->data(Qt::UserRole).toString());
  };
  connect(open_, &QPushButton::clicked, this, choose);
  connect(list_, &QListWidget::itemActivated, this, choose);
  connect(list_, &QListWidget::currentRowChanged, this, &LessonChooser::showReached);
  connect(go_on_, &QPushButton::clicked, this, [this] {
    const QListWidgetItem* item = list_->currentItem();
    if (item != nullptr)
      Q_EMIT goOnRequested(item->data(Qt::UserRole).toString(), item->data(kReached).toInt());
  });
  connect(new_, &QPushButton::clicked, this, &LessonChooser::newRequested);
  connect(file_, &QPushButton::clicked, this, &LessonChooser::fileRequested);
}

void LessonChooser::setLessons(const std::vector<ListedLesson>& lessons) {
  const int row = std::max(0, list_->currentRow());
  list_->clear();
  for (const ListedLesson& each : lessons) {
    auto* item = new QListWidgetItem(words_of(each), list_);
    item->setData(Qt::UserRole, each.open);
    item->setData(kReached, each.reached);
  }
  list_->setCurrentRow(std::min(row, list_->count() - 1));
  showReached();
}

void LessonChooser::showReached() {
  const QListWidgetItem* item = list_->currentItem();
  const int reached = item == nullptr ? 0 : item->data(kReached).toInt();
  go_on_->setVisible(reached > 0);
  go_on_->setText("&Go on at step %1"_tr.arg(reached + 1));
}

}  // namespace shardscope::inline window
