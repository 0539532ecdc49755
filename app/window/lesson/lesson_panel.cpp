// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/lesson/lesson_moments.h"
#include "app/window/widgets/form_parts.h"
#include "engine/lesson/lesson_file.h"

namespace shardscope::inline window {

LessonPanel::LessonPanel(QWidget* parent)
    : QWidget(parent),
      player_(document_),
      pages_(new QStackedWidget(this)),
      chooser_(new LessonChooser),
      place_(heading_label("", this)),
      steps_button_(small_button("Steps"_tr, "Show or hide the list of steps"_tr, this)),
      edit_(small_button("Edit"_tr, "Edit the texts of this step beside its picture"_tr, this)),
      all_(small_button("All lessons"_tr, "Close this lesson and choose another"_tr, this)),
      again_(small_button("Again"_tr, "Play this step's picture again (R)"_tr, this)),
      previous_(small_button("◂ Back"_tr, "The step before (PgUp)"_tr, this)),
      next_(small_button("Next ▸"_tr, "The next step (PgDn)"_tr, this)),
      steps_(new StepList(document_, player_)),
      pictures_(new StepPictures(player_)),
      reader_(new StepReader(player_)),
      editor_(new StepEditor(document_, player_)) {
  steps_button_->setCheckable(true);
  steps_->hide();
  edit_->setCheckable(true);
  editor_->hide();
  auto* side = new QSplitter(Qt::Vertical);
  side->addWidget(reader_);
  side->addWidget(editor_);
  side->setChildrenCollapsible(false);
  auto* split = new QSplitter(Qt::Horizontal);
  for (QWidget* part : std::initializer_list<QWidget*>{steps_, pictures_, side}) split->addWidget(part);
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 6);
  split->setStretchFactor(2, 3);
  split->setChildrenCollapsible(false);
  auto* lesson = new QWidget;
  auto* inside = new QVBoxLayout(lesson);
  inside->setContentsMargins(0, 0, 0, 0);
  inside->setSpacing(0);
  inside->addWidget(makeHead());
  inside->addWidget(split, 1);
  pages_->addWidget(chooser_);
  pages_->addWidget(lesson);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(pages_);
  connect(steps_button_, &QToolButton::toggled, steps_, &QWidget::setVisible);
  connect(edit_, &QToolButton::toggled, editor_, &QWidget::setVisible);
  connect(edit_, &QToolButton::toggled, &document_, [this](bool on) {
    if (on) document_.unlock();
  });
  connect(edit_, &QToolButton::toggled, steps_button_, [this](bool on) {
    if (on) steps_button_->setChecked(true);
  });
  connect(all_, &QToolButton::clicked, this, &LessonPanel::lessonsRequested);
  connect(again_, &QToolButton::clicked, &player_, &LessonPlayer::replay);
  connect(previous_, &QToolButton::clicked, &player_, [this] { player_.goTo(player_.step() - 1); });
  connect(next_, &QToolButton::clicked, &player_, &LessonPlayer::next);
  connect(&document_, &LessonDocument::opened, this, &LessonPanel::showLesson);
  connect(&document_, &LessonDocument::changed, this, &LessonPanel::stateChanged);
  connect(&player_, &LessonPlayer::stepChanged, this, &LessonPanel::showStep);
  connect(&player_, &LessonPlayer::shownChanged, this, &LessonPanel::focusStep);
  qApp->installEventFilter(this);
  showLesson();
}

QWidget* LessonPanel::makeHead() {
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(8, 4, 8, 4);
  row->addWidget(all_);
  row->addWidget(steps_button_);
  row->addWidget(edit_);
  place_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  place_->setProperty("role", "");
  row->addWidget(place_, 1);
  row->addWidget(again_);
  row->addWidget(previous_);
  row->addWidget(next_);
  return head;
}

void LessonPanel::setTheme(const Theme& theme) {
  pictures_->setTheme(theme);
  const int line = fontMetrics().averageCharWidth();
  reader_->setMinimumWidth(line * 36);
  steps_->setMinimumWidth(line * 20);
}

void LessonPanel::showLesson() {
  pages_->setCurrentIndex(document_.isOpen() ? 1 : 0);
  if (document_.locked()) edit_->setChecked(false);
  edit_->setText(document_.locked() ? "Edit a copy"_tr : "Edit"_tr);
  showStep();
  Q_EMIT stateChanged();
}

void LessonPanel::showStep() {
  place_->setText("%1 · %2 of %3"_tr.arg(QString::fromStdString(document_.lesson().title))
                      .arg(player_.step() + 1)
                      .arg(player_.stepCount()));
  previous_->setEnabled(player_.step() > 0);
  next_->setEnabled(player_.step() + 1 < player_.stepCount());
  Q_EMIT stateChanged();
}

// Whoever walks through the steps with the keyboard can answer at once, and walk on.
void LessonPanel::focusStep() {
  const QWidget* focus = QApplication::focusWidget();
  // What had it may hide when the step is there.
  if (player_.shown() == nullptr) focused_ = focus != nullptr && isAncestorOf(focus);
  if (player_.shown() == nullptr || !document_.isOpen()) return;
  if (!focused_ || focus == steps_ || (focus != nullptr && reader_->tries()->isAncestorOf(focus))) return;
  QWidget* first = reader_->question()->first();
  if (first == nullptr) first = next_->isEnabled() ? next_ : previous_;
  first->setFocus(Qt::OtherFocusReason);
}

void LessonPanel::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_PageDown:
      return player_.next();
    case Qt::Key_PageUp:
      return player_.goTo(player_.step() - 1);
    default:
      // Those of the picture; its moments are a child.
      if (auto* moments = findChild<LessonMoments*>(); moments != nullptr && moments->press(event->key()))
        return;
      QWidget::keyPressEvent(event);
  }
}

// It turns pages whatever has the focus, but where a text is edited: a field would step, a list choose.
bool LessonPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress || !document_.isOpen()) return QWidget::eventFilter(watched, event);
  const auto* at = qobject_cast<QWidget*>(watched);
  auto* key = static_cast<QKeyEvent*>(event);
  const bool turns = key->key() == Qt::Key_PageDown || key->key() == Qt::Key_PageUp;
  if (!turns || at == nullptr || at == this || !isAncestorOf(at) || editor_->isAncestorOf(at))
    return QWidget::eventFilter(watched, event);
  keyPressEvent(key);
  return true;
}

QJsonObject LessonPanel::state() const {
  if (!document_.isOpen()) return {};
  QJsonObject out{{"lesson", QString::fromStdString(lesson_toml(document_.lesson()))},
                  {"file", document_.file()},
                  {"step", player_.step()}};
  if (document_.modified()) out["saved"] = QString::fromStdString(lesson_toml(document_.saved()));
  return out;
}

void LessonPanel::restore(const QJsonObject& state) {
  const std::string text = state["lesson"].toString().toStdString();
  if (text.empty() || document_.modified()) return;
  const QString file = state["file"].toString();
  const auto lesson = parse_lesson(text, file.toStdString());
  if (!lesson.ok()) return;
  const auto saved = parse_lesson(state["saved"].toString().toStdString(), file.toStdString());
  const bool edited = state.contains("saved");
  document_.restore(lesson->lesson, file, !edited ? lesson->lesson : saved.ok() ? saved->lesson : Lesson());
  player_.goTo(state["step"].toInt());
}

}  // namespace shardscope::inline window
