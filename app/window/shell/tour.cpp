// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/tour.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/window/docks/dock_area.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

constexpr int kMargin = 8, kGap = 12;  // pixels round what is shown, and between it and the words
constexpr int kVeil = 130;             // of 255
constexpr int kBubbleChars = 54;
constexpr const char* kRunButton = "run";

struct TourStep {
  const char* dock;  // that is brought to the front
  const char* part;  // what of it is shown: the name that a screen reader says; empty: all
  const char* title;
  const char* text;
};
constexpr std::array<TourStep, Tour::kSteps> kTour{{
    {"experiment", "", to_say("What is asked"),
     to_say("A matrix product on a mesh of chips: the mesh, the sizes, how the arrays are sharded, the chip, "
            "and the strategies to try.")},
    {"", kRunButton, to_say("Run it"),
     to_say("Run makes the run of the chosen strategy, Run all those of every ticked one. Each is timed, and "
            "its numbers are checked.")},
    {"ring", "", to_say("See what travels"),
     to_say("Devices, links and the blocks on them. Press Space to play, Left and Right to go from step to "
            "step; all views follow the same moment.")},
    {"timeline", "", to_say("Find what it waits for"),
     to_say(
         "Time goes to the right. Hatched communication is hidden by nothing: that is what a better strategy "
         "would save. Click on an event to see its cause.")},
    {"runs", "", to_say("Know which is best, and why"),
     to_say("The best run stands first, and the sentence below says by which terms it wins. F1 explains what "
            "has the focus; Ctrl+K finds everything else.")},
}};
constexpr std::array<TourStep, Tour::kSteps> kModuleTour{{
    {"hlo", to_say("Module"), to_say("Your module"),
     to_say("The text as it was brought. Type into it, or click on an operation to see its sharding: all is "
            "read again after each pause, and each edit can be undone.")},
    {"hlo", to_say("Collectives"), to_say("What travels, and why"),
     to_say("Every collective that the partitioner puts in. Choose one: the sentence below says why it is "
            "there, and both texts go to its lines.")},
    {"hlo", to_say("Cost of the module"), to_say("How long, how much memory"),
     to_say("Time, bytes and peak memory of each device, on the chip that is chosen above.")},
    {"hlo", to_say("Run and prove"), to_say("Prove it"),
     to_say(
         "Run and prove executes the module whole and in parts and compares the results; the timeline then "
         "shows each device.")},
    {"timeline", "", to_say("Find what it waits for"),
     to_say(
         "Time goes to the right. Hatched communication is hidden by nothing: that is what another sharding "
         "would save. F1 explains what has the focus.")},
}};

const TourStep& step_of(Subject of, int step) {
  return (of == Subject::module ? kModuleTour : kTour)[static_cast<size_t>(step)];
}

QWidget* part_of(QWidget& dock, const QString& name) {
  const auto parts = dock.findChildren<QWidget*>();
  const auto found = std::ranges::find_if(
      parts, [&](const QWidget* each) { return each->isVisible() && each->accessibleName() == name; });
  return found == parts.end() ? &dock : *found;
}

}  // namespace

Tour::Tour(const Context& context, Subject of)
    : QWidget(&context.window),
      context_(context),
      of_(of),
      bubble_(new QFrame(this)),
      title_(heading_label("", bubble_)),
      text_(new QLabel(bubble_)),
      count_(form_label("", bubble_)),
      back_(new QPushButton("&Back"_tr, bubble_)),
      next_(new QPushButton(bubble_)),
      leave_(new QPushButton("&Leave the tour"_tr, bubble_)),
      module_(new QPushButton("With a &module of mine…"_tr, bubble_)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setObjectName("tour");
  setAccessibleName("A short tour"_tr);
  bubble_->setFrameShape(QFrame::StyledPanel);
  bubble_->setAutoFillBackground(true);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  auto* buttons = new QHBoxLayout;
  buttons_ = buttons;
  buttons->addWidget(leave_);
  buttons->addWidget(module_);
  buttons->addStretch(1);
  buttons->addWidget(count_);
  buttons->addWidget(back_);
  buttons->addWidget(next_);
  auto* layout = new QVBoxLayout(bubble_);
  layout->addWidget(title_);
  layout->addWidget(text_);
  layout->addLayout(buttons);
  connect(next_, &QPushButton::clicked, this, [this] { step_ + 1 == kSteps ? leave() : show(step_ + 1); });
  connect(back_, &QPushButton::clicked, this, [this] { show(step_ - 1); });
  connect(leave_, &QPushButton::clicked, this, &Tour::leave);
  connect(module_, &QPushButton::clicked, this, [this] {
    choose_module(context_);
    if (at_module(context_)) start_tour(context_);
  });
  context_.preferences.settings().set("tour", true);
  qApp->installEventFilter(this);
  if (of_ != Subject::module) context_.docks.setPage("explore");
  show(0);
}

Tour::~Tour() {
  qApp->removeEventFilter(this);
}

void Tour::show(int step) {
  step_ = step;
  const TourStep& now = step_of(of_, step);
  if (*now.dock == '\0')
    target_ = context_.window.findChild<QToolButton*>(now.part);
  else if (QDockWidget* dock = context_.docks.go(now.dock)->dock; *now.part == '\0')
    target_ = dock;
  else
    target_ = part_of(*dock, spoken(now.part));
  title_->setText(spoken(now.title));
  text_->setText(spoken(now.text));
  text_->setAccessibleName(title_->text() + ". " + text_->text());
  count_->setText("%1 of %2"_tr.arg(step + 1).arg(kSteps));
  back_->setEnabled(step > 0);
  module_->setVisible(of_ != Subject::module && step == 0);
  next_->setText(step + 1 == kSteps ? "&Done"_tr : "&Next"_tr);
  QWidget::show();
  raise();
  place();
  next_->setFocus(Qt::OtherFocusReason);
}

QRect Tour::hole() const {
  if (target_ == nullptr) return {};
  const QRect at(target_->mapTo(&context_.window, QPoint()), target_->size());
  return at.adjusted(-kMargin, -kMargin, kMargin, kMargin) & rect();
}

// The words stand beside what they are about: where there is room, else over its lower edge.
void Tour::place() {
  setGeometry(context_.window.rect());
  QLayout& inside = *bubble_->layout();
  const QMargins round = inside.contentsMargins() + bubble_->contentsMargins();
  const int words = fontMetrics().averageCharWidth() * kBubbleChars;
  const int buttons = buttons_->sizeHint().width() + round.left() + round.right();
  bubble_->setFixedWidth(std::min(width() - 2 * kGap, std::max(words, buttons)));
  bubble_->setFixedHeight(inside.totalHeightForWidth(bubble_->width()));
  const QRect at = hole();
  const QSize size = bubble_->size();
  QPoint where(at.right() - size.width(), at.bottom() - size.height() - kGap);
  if (width() - at.right() > size.width() + 2 * kGap)
    where = {at.right() + kGap, at.top()};
  else if (at.left() > size.width() + 2 * kGap)
    where = {at.left() - size.width() - kGap, at.top()};
  else if (height() - at.bottom() > size.height() + 2 * kGap)
    where = {at.left(), at.bottom() + kGap};
  else if (at.top() > size.height() + 2 * kGap)
    where = {at.left(), at.top() - size.height() - kGap};
  where.setX(std::clamp(where.x(), kGap, std::max(kGap, width() - size.width() - kGap)));
  where.setY(std::clamp(where.y(), kGap, std::max(kGap, height() - size.height() - kGap)));
  bubble_->move(where);
  update();
}

void Tour::leave() {
  qApp->removeEventFilter(this);
  close();
}

void Tour::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  QPainterPath veil;
  veil.addRect(rect());
  veil.addRect(hole());
  painter.fillPath(veil, QColor(0, 0, 0, kVeil));
  painter.setPen(QPen(palette().color(QPalette::Link), 2));
  painter.drawRect(hole());
}

// Esc leaves whatever has the focus; the arrows walk; the window's size is the tour's.
bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &context_.window && event->type() == QEvent::Resize) place();
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  const bool walks = key == Qt::Key_Right || key == Qt::Key_Left || key == Qt::Key_Return;
  if (key != Qt::Key_Escape && !walks) return false;
  const auto* widget = qobject_cast<QWidget*>(watched);
  if (key != Qt::Key_Escape && (widget == nullptr || !isAncestorOf(widget))) return false;
  event->accept();
  if (event->type() == QEvent::ShortcutOverride) return true;
  if (key == Qt::Key_Escape)
    leave();
  else if (key == Qt::Key_Left)
    back_->click();
  else if (key == Qt::Key_Return && widget != next_ && qobject_cast<const QPushButton*>(widget) != nullptr)
    const_cast<QPushButton*>(qobject_cast<const QPushButton*>(widget))->click();
  else
    next_->click();
  return true;
}

Tour* start_tour(const Context& context) {
  if (auto* there = context.window.findChild<Tour*>("tour", Qt::FindDirectChildrenOnly)) there->close();
  return new Tour(context, at_module(context) ? Subject::module : Subject::runs);
}

}  // namespace shardscope::inline window
