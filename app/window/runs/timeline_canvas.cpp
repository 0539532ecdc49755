// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/timeline_canvas.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace shardscope::inline window {
namespace {

constexpr float kRulerHeight = 3.1F;  // with the beats under it, of the text size

// None is selected: none.
std::optional<Event> selected_event(const Clock& clock) {
  if (!clock.shown()) return std::nullopt;
  return find_event(clock.shown()->input(), clock.selection().selected.event);
}

TimeRange bounds_of(const Clock& clock) {
  return {0, std::max<Picoseconds>(clock.shown() ? clock.shown()->trace->total() : 0, 1)};
}

// The event at the other end of an arrow of the selected one: what let it start, or the first that it let
// start; -1: none.
int32_t arrow_end(const Clock& clock, bool to_effect) {
  const auto event = selected_event(clock);
  if (!event) return -1;
  if (!to_effect) return event->cause;
  const auto& events = clock.shown()->run->timeline.events;
  const int32_t number = clock.selection().selected.event;
  const auto effect = std::ranges::find(events, number, &Event::cause);
  return effect == events.end() ? -1 : static_cast<int32_t>(effect - events.begin());
}

// The event beside the selected one on its lane; -1: there is none.
int32_t neighbour_of(const Clock& clock, int by) {
  const auto event = selected_event(clock);
  if (!event) return -1;
  const auto lane = clock.shown()->trace->events(DeviceId(event->device), event->lane, bounds_of(clock));
  if (!lane.ok()) return -1;
  const auto here = std::find(lane->begin(), lane->end(), clock.selection().selected.event);
  const auto place = (here - lane->begin()) + by;
  const bool there = here != lane->end() && place >= 0 && place < static_cast<std::ptrdiff_t>(lane->size());
  return there ? (*lane)[static_cast<size_t>(place)] : -1;
}

}  // namespace

TimeAxis TimelineCanvas::axis() const {
  return timeline_axis(shown()->input(), viewport_, canvas());
}

Scene TimelineCanvas::layoutRun(const ViewInput& input, const Selection& selection, const Canvas& at) const {
  return layout_timeline(input, viewport_, selection, at, marks_.now());
}

QStringList TimelineCanvas::tooltip(const ItemId& item) const {
  if (QStringList note = marks_.tooltip(item); !note.isEmpty()) return note;
  const QString of_row = rows_.tooltip(item);
  return of_row.isEmpty() ? RunCanvas::tooltip(item) : QStringList(of_row);
}

void TimelineCanvas::runChanged(bool another) {
  if (another) {
    viewport_.range = {};
    viewport_.scroll_y = 0;
  }
  rows_.runReplaced();
  another ? marks_.runReplaced() : marks_.runTold();
}

QJsonObject TimelineCanvas::state() const {
  return {{"view", to_json(viewport_)}, {"bookmarks", marks_.bookmarks()}};
}

void TimelineCanvas::restore(const QJsonObject& state) {
  viewport_ = read_viewport(state["view"].toObject());
  marks_.restore(state["bookmarks"].toObject());
  rows_.restored();
}

void TimelineCanvas::showRange(TimeRange range) {
  if (range.length() <= 0) return;
  viewport_.range = range;
  invalidate();
  Q_EMIT stateChanged();
}

void TimelineCanvas::fitAll() {
  viewport_.range = {};
  viewport_.scroll_y = 0;
  invalidate();
}

void TimelineCanvas::fitSelection() {
  const Selection& selection = clock().selection();
  TimeRange range;
  if (selection.range) {
    range = *selection.range;
  } else if (const auto event = selected_event(clock())) {
    range = {event->start, event->end};
  } else if (clock().story() != nullptr) {
    const Beat& beat = clock().story()->beats()[static_cast<size_t>(clock().beat())];
    range = {beat.start, beat.end};
  }
  const Picoseconds margin = range.length() / 8;
  showRange(
      {std::max<Picoseconds>(0, range.start - margin), std::min(bounds_of(clock()).end, range.end + margin)});
}

void TimelineCanvas::copyRange() {
  if (shown() == nullptr) return;
  const TimeRange range = clock().selection().range.value_or(bounds_of(clock()));
  QGuiApplication::clipboard()->setText(QString::fromStdString(range_csv(shown()->input(), range)));
}

void TimelineCanvas::zoom(double x, double factor) {
  if (shown() != nullptr) showRange(axis().zoomed(static_cast<float>(x), factor, bounds_of(clock())));
}

bool TimelineCanvas::dragStarted(QPointF at, Qt::MouseButton button) {
  if (shown() == nullptr || (button != Qt::LeftButton && button != Qt::MiddleButton)) return false;
  pressed_at_ = at;
  const bool ruler = at.y() < static_cast<double>(theme().base_px * theme().scale * kRulerHeight);
  const Qt::KeyboardModifiers keys = QGuiApplication::keyboardModifiers();
  drag_ = keys.testFlag(Qt::ShiftModifier)              ? Drag::mark_range
          : keys.testFlag(Qt::ControlModifier) && ruler ? Drag::zoom_range
          : ruler                                       ? Drag::scrub
                                                        : Drag::pan;
  if (drag_ == Drag::scrub) dragged(at, at, {});
  return true;
}

void TimelineCanvas::dragged(QPointF from, QPointF at, QPointF by) {
  if (drag_ == Drag::pan) {
    showRange(axis().panned(static_cast<float>(by.x()), bounds_of(clock())));
    rows_.scrollBy(static_cast<float>(-by.y()));
    return;
  }
  const Picoseconds a = axis().time_at(static_cast<float>(from.x()));
  const Picoseconds b = axis().time_at(static_cast<float>(at.x()));
  if (drag_ == Drag::scrub) return clock().player().setTime(b);
  clock().setRange(TimeRange{std::min(a, b), std::max(a, b)});
}

void TimelineCanvas::dragEnded(QPointF /*at*/) {
  const auto range = clock().selection().range;
  if (drag_ != Drag::zoom_range || !range || range->length() <= 0) return;
  clock().setRange(std::nullopt);
  showRange(*range);
}

void TimelineCanvas::wheeled(QPointF at, QPointF steps, Qt::KeyboardModifiers modifiers) {
  if (shown() == nullptr) return;
  if (modifiers.testFlag(Qt::ShiftModifier)) {
    rows_.scrollBy(static_cast<float>(-steps.y()) * theme().base_px * theme().scale * 3);
  } else if (steps.x() != 0 && steps.y() == 0) {
    showRange(axis().panned(static_cast<float>(steps.x()) * 40, bounds_of(clock())));
  } else {
    zoom(at.x(), std::pow(kZoomPerStep, steps.y()));
  }
}

// A click on the ruler has set the time; on a beat's name it goes to where that ends.
void TimelineCanvas::itemClicked(const ItemId& item) {
  if (shown() != nullptr && marks_.clicked(item, axis().time_at(static_cast<float>(pressed_at_.x())))) return;
  if (rows_.clicked(item)) return;
  if (drag_ != Drag::scrub || item.kind != ItemId::Kind::none) RunCanvas::itemClicked(item);
}

void TimelineCanvas::itemDoubleClicked(const ItemId& item) {
  if (item.kind == ItemId::Kind::none || item.kind == ItemId::Kind::handle) return;
  clock().select(item);
  fitSelection();
}

void TimelineCanvas::selectEvent(int32_t number) {
  const auto event = find_event(shown()->input(), number);
  if (!event) return;
  clock().select(event_item(shown()->input(), number));
  const TimeRange visible = axis().range;
  if (event->end < visible.start || event->start > visible.end) {
    const Picoseconds half = visible.length() / 2;
    const Picoseconds start = std::clamp<Picoseconds>(
        event->start - half, 0, std::max<Picoseconds>(0, bounds_of(clock()).end - visible.length()));
    showRange({start, start + visible.length()});
  }
}

// Selected, wide enough to be seen, and scrolled to.
void TimelineCanvas::bringIntoSight(int32_t number) {
  constexpr double kLeastPixels = 12;
  selectEvent(number);
  const auto event = find_event(shown()->input(), number);
  if (!event) return;
  const TimeAxis now = axis();
  const double pixels = static_cast<double>(event->end - event->start) /
                        static_cast<double>(std::max<Picoseconds>(1, now.range.length())) * now.width;
  const Picoseconds middle = event->start + (event->end - event->start) / 2;
  if (pixels < kLeastPixels && event->end > event->start)
    showRange(now.zoomed(now.x_of(middle), kLeastPixels / std::max(pixels, 1e-9), bounds_of(clock())));
  const auto strip = timeline_strip(shown()->input(), viewport_, canvas(), event->device, event->lane);
  if (!strip) return;
  const Rect seen = timeline_places(shown()->input(), viewport_, canvas()).scrolled;
  if (strip->y < seen.y) rows_.scrollBy(strip->y - seen.y);
  if (strip->bottom() > seen.bottom()) rows_.scrollBy(strip->bottom() - seen.bottom());
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  if (shown() == nullptr) {
    RunCanvas::keyPressEvent(event);
    return;
  }
  if (rows_.key(*event)) return;
  const QPoint cursor = mapFromGlobal(QCursor::pos());
  const double x = rect().contains(cursor) ? cursor.x() : width() / 2.0;
  const auto quarter = static_cast<float>(axis().width / 8);
  const bool plain = event->modifiers() == Qt::NoModifier;
  switch (plain ? physical_key(*event) : static_cast<Qt::Key>(0)) {
    case Qt::Key_W:
      return zoom(x, kZoomPerStep);
    case Qt::Key_S:
      return zoom(x, 1 / kZoomPerStep);
    case Qt::Key_A:
      return showRange(axis().panned(quarter, bounds_of(clock())));
    case Qt::Key_D:
      return showRange(axis().panned(-quarter, bounds_of(clock())));
    default:
      break;
  }
  if (marks_.key(*event)) return;
  const bool chosen = selected_event(clock()).has_value();
  switch (event->key()) {
    case Qt::Key_F:
      return fitSelection();
    case Qt::Key_Home:
      return fitAll();
    case Qt::Key_BracketLeft:
      return selectEvent(arrow_end(clock(), false));
    case Qt::Key_BracketRight:
      return selectEvent(arrow_end(clock(), true));
    case Qt::Key_Comma:
      return chosen ? selectEvent(neighbour_of(clock(), -1)) : clock().player().stepBy(-1);
    case Qt::Key_Period:
      return chosen ? selectEvent(neighbour_of(clock(), 1)) : clock().player().stepBy(1);
    case Qt::Key_Up:
      return rows_.scrollBy(-40);
    case Qt::Key_Down:
      return rows_.scrollBy(40);
    default:
      RunCanvas::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
