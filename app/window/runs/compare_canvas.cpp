// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/compare_canvas.h"

#include <QKeyEvent>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/help/topics.h"

namespace shardscope::inline window {
namespace {

constexpr float kCompareRuler = 1.7F;  // of the text size

TimeRange bounds_of(const ShownComparison& shown, const CompareViewport& viewport) {
  return compare_bounds(shown.difference, viewport);
}

// So that of the runs that have the operation the first is seen.
float scroll_to(const ShownComparison& shown, const CompareViewport& viewport, int operation,
                const Canvas& canvas) {
  if (operation < 0) return viewport.scroll_y;
  const auto& sides = shown.difference.operations[static_cast<size_t>(operation)].sides;
  const auto first = std::ranges::find_if(sides, &OperationSide::there);
  const auto run = static_cast<size_t>(first - sides.begin());
  return run < sides.size() ? compare_scroll_to(shown.input(), viewport, canvas, run) : viewport.scroll_y;
}

}  // namespace

CompareCanvas::CompareCanvas(Clock& clock, QWidget* parent) : CanvasView(parent), clock_(clock) {
  setObjectName("Compare");
  connect(&clock_, &Clock::runChanged, this, [this] { replaced(); });
  connect(&clock_, &Clock::changed, this, [this] { followClock(); });
  replaced();
}

void CompareCanvas::replaced() {
  const ShownComparisonPtr& now = clock_.of(Subject::runs).comparison;
  if (read_ == now) return;
  const bool same =
      read_ && now && std::ranges::equal(read_->runs, now->runs, {}, &ShownRun::run, &ShownRun::run);
  read_ = now;
  if (same) return invalidate();  // something else is said of them
  const LineUp line_up = viewport_.line_up == LineUp::operation ? LineUp::start : viewport_.line_up;
  viewport_ = {};
  viewport_.line_up = line_up;
  marks_ = {};
  followClock();
  invalidate();
}

// The cursor stays where it was put beyond the end of the first run.
void CompareCanvas::followClock() {
  if (shown() == nullptr) return;
  const Picoseconds offset = compare_offset(shown()->difference, viewport_, 0);
  const Picoseconds now = clock_.selection().time;
  const Picoseconds total = shown()->difference.runs.front().total;
  if (std::clamp<Picoseconds>(marks_.cursor - offset, 0, total) == now) return;
  marks_.cursor = now + offset;
  invalidate();
}

void CompareCanvas::setCursorTime(Picoseconds time) {
  marks_.cursor = std::clamp(time, bounds_of(*shown(), viewport_).start, bounds_of(*shown(), viewport_).end);
  clock_.player().setTime(marks_.cursor - compare_offset(shown()->difference, viewport_, 0));
  invalidate();
}

void CompareCanvas::setLineUp(LineUp line_up) {
  if (viewport_.line_up == line_up) return;
  viewport_.line_up = line_up;
  if (shown() != nullptr)
    marks_.cursor = clock_.selection().time + compare_offset(shown()->difference, viewport_, 0);
  fitAll();
}

void CompareCanvas::goTo(int operation) {
  if (shown() == nullptr) return;
  viewport_.operation = operation;
  viewport_.scroll_y = scroll_to(*shown(), viewport_, operation, canvas());
  const TimeRange range = compare_range_of(shown()->difference, viewport_, operation);
  if (range.length() > 0) return showRange(range);
  invalidate();
}

void CompareCanvas::walk(int by) {
  if (shown() == nullptr) return;
  const ItemId next = compare_event_of(shown()->input(), viewport_.operation, marks_.selected, by);
  if (next.kind != ItemId::Kind::event) return;
  marks_.selected = next;
  const auto run = static_cast<size_t>(next.index);
  if (run == 0) clock_.select(next);
  const Event& event = shown()->inputs[run].run.timeline.events[static_cast<size_t>(next.event)];
  const Picoseconds offset = compare_offset(shown()->difference, viewport_, run);
  viewport_.scroll_y = compare_scroll_to(shown()->input(), viewport_, canvas(), run);
  TimeRange range = axis().range;
  const TimeRange there{event.start + offset, event.end + offset};
  if (there.start < range.start || there.end > range.end) {
    // Moved so that the event stands in the middle; what is longer than what is seen begins at its left.
    const Picoseconds length = std::min(range.length(), bounds_of(*shown(), viewport_).length());
    const Picoseconds wanted =
        there.length() < length ? there.start - (length - there.length()) / 2 : there.start;
    const Picoseconds start =
        std::clamp(wanted, bounds_of(*shown(), viewport_).start, bounds_of(*shown(), viewport_).end - length);
    range = {start, start + length};
    viewport_.range = range;
  }
  setCursorTime(there.start);
}

void CompareCanvas::fitAll() {
  viewport_.range = {};
  viewport_.scroll_y = 0;
  invalidate();
}

void CompareCanvas::showRange(TimeRange range) {
  if (range.length() <= 0) return;
  viewport_.range = range;
  invalidate();
}

Scene CompareCanvas::layout(const Canvas& canvas) const {
  if (shown() == nullptr) return message_scene(spoken(help_topic("compare").shows), false, 0, canvas);
  return layout_compare(shown()->input(), viewport_, marks_, canvas);
}

QStringList CompareCanvas::tooltip(const ItemId& item) const {
  QStringList out;
  if (shown() == nullptr) return out;
  std::vector<std::string> lines;
  const auto run = static_cast<size_t>(item.index);
  if (item.kind == ItemId::Kind::handle) {
    lines = describe_bar(shown()->difference, item);
  } else if (item.kind == ItemId::Kind::event && item.index >= 0 && run < shown()->runs.size()) {
    const Picoseconds now = marks_.cursor - compare_offset(shown()->difference, viewport_, run);
    lines = describe(shown()->inputs[run], item, std::max<Picoseconds>(0, now));
    const int operation = operation_of(shown()->difference, run, item.instruction);
    if (operation >= 0) lines.push_back(shown()->difference.operations[static_cast<size_t>(operation)].key);
  }
  for (const std::string& line : lines) out << QString::fromStdString(line);
  return out;
}

void CompareCanvas::itemHovered(const ItemId& item) {
  if (marks_.hovered == item) return;
  marks_.hovered = item;
  clock_.hover(item.kind == ItemId::Kind::event && item.index == 0 ? item : ItemId());
  invalidate();
}

void CompareCanvas::itemClicked(const ItemId& item) {
  if (shown() == nullptr || on_ruler_) return;
  const auto run = static_cast<size_t>(item.index);
  const bool event = item.kind == ItemId::Kind::event && item.index >= 0 && run < shown()->runs.size();
  if (item.kind == ItemId::Kind::handle) return Q_EMIT barChosen(item.index, item.lane);
  marks_.selected = event ? item : ItemId();
  if (event && run == 0) clock_.select(item);
  if (event || item.kind == ItemId::Kind::none) {
    viewport_.operation = event ? operation_of(shown()->difference, run, item.instruction) : -1;
    Q_EMIT operationChosen(viewport_.operation);
  }
  invalidate();
}

void CompareCanvas::itemDoubleClicked(const ItemId& item) {
  if (shown() == nullptr || item.kind != ItemId::Kind::event) return;
  itemClicked(item);
  goTo(viewport_.operation);
}

bool CompareCanvas::dragStarted(QPointF at, Qt::MouseButton button) {
  if (shown() == nullptr || (button != Qt::LeftButton && button != Qt::MiddleButton)) return false;
  on_ruler_ = at.y() < static_cast<double>(theme().base_px * theme().scale * kCompareRuler);
  if (on_ruler_) setCursorTime(axis().time_at(static_cast<float>(at.x())));
  return true;
}

void CompareCanvas::dragged(QPointF /*from*/, QPointF at, QPointF by) {
  if (shown() == nullptr) return;
  if (on_ruler_) return setCursorTime(axis().time_at(static_cast<float>(at.x())));
  TimeGesture gesture;
  gesture.pan = static_cast<float>(by.x());
  gesture.scroll = static_cast<float>(-by.y());
  move(gesture);
}

void CompareCanvas::move(const TimeGesture& gesture) {
  viewport_.range = gesture.moved(axis(), bounds_of(*shown(), viewport_));
  const float most = compare_overflow(shown()->input(), viewport_, canvas());
  viewport_.scroll_y = gesture.all ? 0 : std::clamp(viewport_.scroll_y + gesture.scroll, 0.0F, most);
  invalidate();
}

void CompareCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) {
  if (shown() != nullptr) move(gesture_of_wheel(at, steps, modifiers, theme().base_px * theme().scale * 3));
}

void CompareCanvas::keyPressEvent(QKeyEvent* event) {
  if (shown() == nullptr) return CanvasView::keyPressEvent(event);
  if (const auto gesture = gesture_of(*event, axis())) return move(*gesture);
  switch (event->key()) {
    case Qt::Key_F:
      return goTo(viewport_.operation);
    case Qt::Key_Left:
      return clock_.player().stepBy(-1);
    case Qt::Key_Right:
      return clock_.player().stepBy(1);
    case Qt::Key_Comma:
      return walk(-1);
    case Qt::Key_Period:
      return walk(1);
    case Qt::Key_Escape:
      return itemClicked({});
    default:
      CanvasView::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
