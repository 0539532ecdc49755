// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/row_control.h"

#include <QJsonArray>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/mesh/chosen_devices.h"
#include "views/scene/timeline/row_edits.h"

namespace shardscope::inline window {
namespace {

constexpr float kRowsPerNotch = 3;  // of text height

template <class Number>
QJsonArray array_of(const std::vector<Number>& numbers) {
  QJsonArray out;
  for (const Number n : numbers) out.append(static_cast<qint64>(n));
  return out;
}

template <class Number>
std::vector<Number> numbers_of(const QJsonValue& array) {
  std::vector<Number> out;
  for (const auto& n : array.toArray()) out.push_back(static_cast<Number>(n.toInteger()));
  return out;
}

// Sorted and each once, as RowChoice wants it.
template <class Number>
std::vector<Number> set_of(const QJsonValue& array) {
  std::vector<Number> out = numbers_of<Number>(array);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// The device itself, else the one that is selected, else pointed at; -1: none.
int32_t at_hand(int32_t device, const Selection& selection) {
  if (device >= 0) return device;
  return selection.selected.device >= 0 ? selection.selected.device : selection.hovered.device;
}

}  // namespace

QJsonObject to_json(const RowChoice& rows) {
  QJsonObject out{{"height", rows.height},
                  {"fit", rows.fit},
                  {"filter", QString::fromStdString(rows.filter)},
                  {"hidden", array_of(rows.hidden)},
                  {"pinned", array_of(rows.pinned)},
                  {"group", QString::fromStdString(rows.group)},
                  {"folded", array_of(rows.folded)}};
  if (rows.counts) out["counts"] = *rows.counts;
  return out;
}

RowChoice read_rows(const QJsonObject& in) {
  RowChoice out;
  out.height = std::clamp(static_cast<float>(in["height"].toDouble()), 0.0F, kHighestRow);
  out.fit = in["fit"].toBool();
  out.filter = in["filter"].toString().toStdString();
  out.hidden = set_of<int32_t>(in["hidden"]);
  out.pinned = numbers_of<int32_t>(in["pinned"]);
  out.group = in["group"].toString().toStdString();
  out.folded = set_of<int64_t>(in["folded"]);
  if (in["counts"].isBool()) out.counts = in["counts"].toBool();
  return out;
}

RowControl::RowControl(RunCanvas& canvas, Clock& clock, TimelineViewport& viewport)
    : canvas_(canvas),
      clock_(clock),
      viewport_(viewport),
      field_(new QLineEdit(&canvas)),
      refusal_(refusal_label(&canvas)),
      bar_(new QScrollBar(Qt::Vertical, &canvas)) {
  field_->setPlaceholderText("rows, e.g. row=0"_tr);
  field_->setAccessibleName("Filter of the timeline's rows"_tr);
  field_->setToolTip(
      "Which devices have rows: row=0 · col=2..5 · row=0,3 col=1 · 7 12..15 · (0,1). Empty: all. Key: L"_tr);
  refusal_->setAutoFillBackground(true);
  bar_->setAccessibleName("Rows of the timeline"_tr);
  connect(field_, &QLineEdit::textEdited, this, [this](const QString& text) {
    const auto set = setFilter(text);
    mark_invalid(field_, refusal_, set.ok() ? "" : in_window(set.error()));
    place();
  });
  connect(field_, &QLineEdit::returnPressed, &canvas_, [this] { canvas_.setFocus(); });
  connect(bar_, &QScrollBar::valueChanged, this, [this](int value) {
    viewport_.scroll_y = static_cast<float>(value);
    canvas_.invalidate();
  });
  connect(bar_, &QScrollBar::sliderReleased, this, [this] { Q_EMIT changed(); });
  connect(this, &RowControl::changed, &canvas_, &RunCanvas::stateChanged);
  connect(&canvas_, &RunCanvas::menuOpens, this, &RowControl::fillMenu);
  canvas_.installEventFilter(this);
  field_->installEventFilter(this);
  place();
}

std::optional<TimelinePlaces> RowControl::places() const {
  if (!clock_.shown()) return std::nullopt;
  return timeline_places(clock_.shown()->input(), viewport_, canvas_.canvas());
}

void RowControl::place() {
  const auto at = places();
  const bool rows = at && clock_.shown()->trace->devices() > 1 && canvas_.focusPolicy() != Qt::NoFocus;
  field_->setVisible(rows);
  refusal_->setVisible(rows && !refusal_->text().isEmpty());
  bar_->setVisible(rows && at->content > at->scrolled.h + 1);
  if (!rows) return;
  const int high = static_cast<int>(canvas_.theme().base_px * canvas_.theme().scale * 1.7F);
  const int heads = static_cast<int>(at->heads.w) - 6;
  field_->setGeometry(
      2, 1, field_->hasFocus() ? std::max(heads, std::min(canvas_.width() - 8, high * 14)) : heads, high);
  refusal_->setFixedWidth(std::clamp(canvas_.width() - 8, 0, high * 20));
  refusal_->adjustSize();
  refusal_->move(2, high + 2);
  refusal_->raise();
  const QSignalBlocker quiet(bar_);
  const int room = static_cast<int>(at->scrolled.h);
  bar_->setGeometry(canvas_.width() - bar_->sizeHint().width(), static_cast<int>(at->scrolled.y),
                    bar_->sizeHint().width(), room);
  bar_->setRange(0, std::max(0, static_cast<int>(at->content) - room));
  bar_->setPageStep(room);
  bar_->setSingleStep(std::max(1, static_cast<int>(at->row_height)));
  bar_->setValue(static_cast<int>(viewport_.scroll_y));
}

void RowControl::edit(const std::function<void(RowChoice&)>& how) {
  how(viewport_.rows);
  scrollBy(0);
  Q_EMIT changed();
}

void RowControl::restored() {
  const QSignalBlocker quiet(field_);
  field_->setText(QString::fromStdString(viewport_.rows.filter));
  mark_invalid(field_, refusal_, "");
  place();
  canvas_.invalidate();
}

void RowControl::runReplaced() {
  const Mesh mesh = clock_.shown() ? clock_.shown()->run->mesh : mesh_;
  if (!(mesh == mesh_)) show_all(viewport_.rows);
  mesh_ = mesh;
  restored();
}

QString RowControl::tooltip(const ItemId& item) const {
  if (item.kind != ItemId::Kind::handle || !clock_.shown()) return {};
  if (item.lane == kGroupHandle) return "Click: fold or unfold this group (X)"_tr;
  if (item.lane != kCountsHandle) return {};
  const ViewInput input = clock_.shown()->input();
  const Picoseconds time = counts_time(input, viewport_, canvas_.canvas(), item.index);
  return QString::fromStdString(counts_text(term_counts(input, viewport_.rows), time));
}

bool RowControl::clicked(const ItemId& item) {
  if (item.kind != ItemId::Kind::handle || !clock_.shown()) return false;
  if (item.lane == kGroupHandle) {
    edit([&](RowChoice& rows) { toggle_fold(rows, item.index); });
    return true;
  }
  if (item.lane != kCountsHandle) return false;
  clock_.player().setTime(counts_time(clock_.shown()->input(), viewport_, canvas_.canvas(), item.index));
  return true;
}

void RowControl::editFilter() {
  if (field_->isVisibleTo(&canvas_)) field_->setFocus(Qt::ShortcutFocusReason);
}

Result<void> RowControl::setFilter(const QString& text) {
  const std::string wanted = text.trimmed().toStdString();
  if (clock_.shown()) {
    TRY([[maybe_unused]] const auto devices, chosen_devices(clock_.shown()->run->mesh, wanted));
  }
  edit([&](RowChoice& rows) { rows.filter = wanted; });
  if (!field_->hasFocus()) restored();
  return {};
}

void RowControl::hideRow(int32_t device) {
  if (!clock_.shown()) return;
  const auto devices = row_mates(clock_.shown()->input(), viewport_, at_hand(device, clock_.selection()));
  edit([&](RowChoice& rows) { hide(rows, devices); });
}

void RowControl::pinRow(int32_t device) {
  const int32_t at = at_hand(device, clock_.selection());
  if (at >= 0) edit([&](RowChoice& rows) { toggle_pin(rows, at); });
}

void RowControl::foldRow(int32_t device) {
  const auto axis = mesh_.axis_index(viewport_.rows.group);
  if (!axis) return;
  const int32_t at = at_hand(device, clock_.selection());
  edit([&](RowChoice& rows) {
    if (at < 0) return toggle_folds(rows, mesh_);
    toggle_fold(rows, mesh_.coordinate(DeviceId(at), *axis));
  });
}

// What is at `at_y` of the scrolled rows stays there.
void RowControl::stretchRows(double factor, float at_y) {
  const auto before = places();
  if (!before) return;
  const Theme& theme = canvas_.theme();
  const float unit = theme.base_px * theme.scale / 13;
  edit([&](RowChoice& rows) { stretch(rows, before->row_height / unit, factor); });
  const auto after = places();
  if (before->row_height > 0)
    scrollBy((viewport_.scroll_y + at_y) * (after->row_height / before->row_height - 1));
}

void RowControl::scrollBy(float by) {
  const auto at = places();
  if (!at) return;
  viewport_.scroll_y =
      std::clamp(viewport_.scroll_y + by, 0.0F, std::max(0.0F, at->content - at->scrolled.h));
  place();
  canvas_.invalidate();
}

void RowControl::collapse(bool on) {
  viewport_.collapse_equal = on;
  edit([](RowChoice&) {});
}

bool RowControl::eventFilter(QObject* watched, QEvent* event) {
  if (watched == field_) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) place();
    if (event->type() == QEvent::FocusOut) restored();
    // Esc is the field's before it is the window's.
    const bool asked = event->type() == QEvent::ShortcutOverride;
    if (!asked && event->type() != QEvent::KeyPress) return false;
    if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return false;
    event->accept();
    if (asked) return true;
    restored();
    canvas_.setFocus();
    return true;
  }
  switch (event->type()) {
    case QEvent::Wheel:
      return wheel(*static_cast<QWheelEvent*>(event));
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::FontChange:
    case QEvent::PaletteChange:
      place();
      return false;
    default:
      return false;
  }
}

bool RowControl::wheel(const QWheelEvent& event) {
  const auto at = places();
  const auto x = static_cast<float>(event.position().x()), y = static_cast<float>(event.position().y());
  if (!at || x > at->heads.right() || y < at->heads.y || y > at->heads.bottom()) return false;
  const float notches = static_cast<float>(event.angleDelta().y()) / 120;
  if (event.modifiers().testFlag(Qt::ControlModifier))
    stretchRows(std::pow(kStretch, notches), y - at->scrolled.y);
  else
    scrollBy(-notches * canvas_.theme().base_px * canvas_.theme().scale * kRowsPerNotch);
  return true;
}

bool RowControl::key(const QKeyEvent& event) {
  if (!clock_.shown() || (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != 0) return false;
  const bool shift = event.modifiers().testFlag(Qt::ShiftModifier);
  switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return stretchRows(kStretch), true;
    case Qt::Key_Minus:
      return stretchRows(1 / kStretch), true;
    case Qt::Key_Home:
      if (shift) edit([](RowChoice& rows) { rows.fit = true; });
      return shift;
    case Qt::Key_H:
      return shift ? edit(show_all) : hideRow(), true;
    case Qt::Key_P:
      return pinRow(), true;
    case Qt::Key_G:
      return edit([this](RowChoice& rows) { group_by_next(rows, mesh_); }), true;
    case Qt::Key_X:
      return shift ? edit([this](RowChoice& rows) { toggle_folds(rows, mesh_); }) : foldRow(), true;
    case Qt::Key_C:
      return edit([on = shows_counts(clock_.shown()->input(), choice())](RowChoice& rows) {
               rows.counts = !on;
             }),
             true;
    case Qt::Key_L:
      return editFilter(), true;
    default:
      return false;
  }
}

void RowControl::fillMenu(QMenu& menu, const ItemId& at) {
  if (!clock_.shown()) return;
  menu.addSeparator();
  const int32_t device = at_hand(at.device, clock_.selection());
  if (device >= 0) {
    const QString name = QString::fromStdString(mesh_.place(DeviceId(device)));
    const bool pinned = std::ranges::find(choice().pinned, device) != choice().pinned.end();
    menu.addAction("Hide the row of %1\tH"_tr.arg(name), this, [this, device] { hideRow(device); });
    menu.addAction((pinned ? "Unpin the row of %1\tP"_tr : "Pin the row of %1 on top\tP"_tr).arg(name), this,
                   [this, device] { pinRow(device); });
  }
  if (!choice().group.empty())
    menu.addAction("Fold or unfold the group\tX"_tr, this, [this, at, device] {
      if (at.kind == ItemId::Kind::handle && at.lane == kGroupHandle) return void(clicked(at));
      foldRow(device);
    });
  QMenu* axes = menu.addMenu("Group rows by"_tr);
  const auto offer = [&](const QString& title, const std::string& axis) {
    QAction* action =
        axes->addAction(title, this, [this, axis] { edit([&](RowChoice& rows) { group_by(rows, axis); }); });
    action->setCheckable(true);
    action->setChecked(choice().group == axis);
  };
  for (const MeshAxis& axis : mesh_.axes()) offer(QString::fromStdString(axis.name), axis.name);
  offer("nothing"_tr, "");
  menu.addAction("Show all rows\tShift+H"_tr, this, [this] { edit(show_all); });
}

}  // namespace shardscope::inline window
