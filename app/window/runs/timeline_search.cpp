// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/timeline_search.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>
#include <algorithm>

#include "app/window/document/language.h"

namespace shardscope::inline window {

TimelineSearch::TimelineSearch(Clock& clock, QWidget* canvas)
    : QFrame(canvas), clock_(clock), field_(new QLineEdit(this)), count_(new QLabel(this)) {
  setObjectName("timelineSearch");
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  field_->setPlaceholderText("Search: device, lane or operation"_tr);
  field_->setAccessibleName("Search in the timeline"_tr);
  field_->setToolTip(
      "Events whose device, lane and operation hold all words. Enter: next, Shift+Enter: previous"_tr);
  field_->installEventFilter(this);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(6, 3, 6, 3);
  layout->addWidget(field_, 1);
  layout->addWidget(count_);
  const auto button = [&](Qt::ArrowType arrow, const QString& name, auto pressed) {
    auto* made = new QToolButton(this);
    made->setArrowType(arrow);
    made->setToolTip(name);
    made->setAccessibleName(name);
    connect(made, &QToolButton::clicked, this, pressed);
    layout->addWidget(made);
  };
  button(Qt::UpArrow, "Previous hit (Shift+Enter)"_tr, [this] { step(-1); });
  button(Qt::DownArrow, "Next hit (Enter)"_tr, [this] { step(1); });
  auto* close = new QToolButton(this);
  close->setText("×");
  close->setToolTip("End the search (Esc)"_tr);
  close->setAccessibleName("End the search"_tr);
  connect(close, &QToolButton::clicked, this, &TimelineSearch::end);
  layout->addWidget(close);
  connect(field_, &QLineEdit::textChanged, this, &TimelineSearch::look);
  hide();
}

void TimelineSearch::begin() {
  if (!clock_.shown()) return;
  on_ = true;
  show();
  place();
  raise();
  field_->setFocus(Qt::ShortcutFocusReason);
  field_->selectAll();
  look();
}

void TimelineSearch::end() {
  on_ = false;
  hide();
  found_ = {};
  at_ = -1;
  Q_EMIT changed();
  parentWidget()->setFocus(Qt::OtherFocusReason);
}

void TimelineSearch::runReplaced() {
  if (on_) look();
}

void TimelineSearch::place() {
  adjustSize();
  const int width = std::min(parentWidget()->width() - 8, fontMetrics().averageCharWidth() * 58);
  setGeometry(parentWidget()->width() - width - 4, 4, width, sizeHint().height());
}

// From the moment on: what is found is looked for where one stands.
void TimelineSearch::look() {
  found_ = {};
  at_ = -1;
  if (on_ && clock_.shown() && !field_->text().trimmed().isEmpty())
    found_ = find_events(*clock_.shown(), field_->text(), kMostHits);
  say();
  Q_EMIT changed();
}

void TimelineSearch::step(int by) {
  const int count = static_cast<int>(found_.numbers.size());
  if (count == 0) return;
  if (at_ >= 0) {
    at_ = (at_ + by + count) % count;
  } else {
    const auto& events = clock_.shown()->run->timeline.events;
    const auto here = std::ranges::lower_bound(found_.numbers, clock_.selection().time, {}, [&](int32_t e) {
      return events[static_cast<size_t>(e)].start;
    });
    at_ = static_cast<int>(here - found_.numbers.begin()) % count;
    if (by < 0) at_ = (at_ + count - 1) % count;
  }
  say();
  Q_EMIT changed();
  Q_EMIT reached(found_.numbers[static_cast<size_t>(at_)]);
}

void TimelineSearch::say() {
  const auto all = static_cast<qint64>(found_.count);
  const bool unread = clock_.shown() && clock_.shown()->unread();
  count_->setText(field_->text().trimmed().isEmpty() ? QString()
                  : unread   ? QString::fromStdString(why_unread(clock_.shown()->input()))
                  : all == 0 ? "no hits"_tr
                  : at_ < 0  ? "%L1 hits"_tr.arg(all)
                             : "%L1 of %L2"_tr.arg(at_ + 1).arg(all));
  count_->setToolTip(found_.count > static_cast<int64_t>(kMostHits)
                         ? "the first %L1 are listed"_tr.arg(static_cast<qint64>(kMostHits))
                         : QString());
}

bool TimelineSearch::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      step(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
      return true;
    case Qt::Key_Escape:
      end();
      return true;
    default:
      return QFrame::eventFilter(watched, event);
  }
}

}  // namespace shardscope::inline window
