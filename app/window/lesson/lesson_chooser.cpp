// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_chooser.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/session/lessons/lesson_presets.h"

namespace shardscope {

LessonChooser::LessonChooser(QWidget* parent)
    : QWidget(parent),
      list_(new QListWidget(this)),
      open_(new QPushButton("&Play"_tr, this)),
      new_(new QPushButton("&New lesson"_tr, this)),
      file_(new QPushButton("Open a &file…"_tr, this)) {
  list_->setAccessibleName("Lessons"_tr);
  list_->setAlternatingRowColors(true);
  list_->setWordWrap(true);
  list_->setSpacing(3);
  for (const LessonPreset& lesson : lesson_presets()) {
    auto* item = new QListWidgetItem(
        "%1\n%2 steps"_tr.arg(QString::fromStdString(lesson.title)).arg(lesson.steps), list_);
    item->setData(Qt::UserRole, QString::fromStdString(lesson.name));
  }
  list_->setCurrentRow(0);
  new_->setToolTip("An empty lesson: then take views into it as steps"_tr);
  auto* intro = form_label(
      "A lesson is played step by step: it asks before it shows, and lets the class change things."_tr, this);
  intro->setWordWrap(true);
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {open_, new_, file_}) buttons->addWidget(button);
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
  connect(new_, &QPushButton::clicked, this, &LessonChooser::newRequested);
  connect(file_, &QPushButton::clicked, this, &LessonChooser::fileRequested);
}

}  // namespace shardscope
