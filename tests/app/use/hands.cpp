// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/hands.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTest>
#include <QUrl>
#include <QWheelEvent>
#include <QWindow>

#include "app/window/runs/run_canvas.h"
#include "app/window/shell/actions.h"
#include "tests/app/use/touch.h"

namespace shardscope {
namespace {

std::string called(const QWidget* widget) {
  if (widget == nullptr) return "nothing";
  std::string name = widget->metaObject()->className();
  if (!widget->objectName().isEmpty()) name += " " + widget->objectName().toStdString();
  if (!widget->accessibleName().isEmpty())
    name += " '" + widget->accessibleName().left(40).toStdString() + "'";
  return name;
}

std::string at_text(QPoint at) {
  return " at " + std::to_string(at.x()) + "," + std::to_string(at.y());
}

QPoint inside(const QWidget& widget, Dice& dice) {
  return {dice.below(widget.width()), dice.below(widget.height())};
}

bool seen(const QWidget& widget) {
  return widget.isVisible() && !widget.visibleRegion().isEmpty();
}

template <class Widget>
std::vector<Widget*> seen_of() {
  std::vector<Widget*> out;
  for (QWidget* widget : QApplication::allWidgets()) {
    auto* found = qobject_cast<Widget*>(widget);
    if (found != nullptr && seen(*found)) out.push_back(found);
  }
  // Their order in memory is not the same in each process.
  std::stable_sort(out.begin(), out.end(), [](const QWidget* a, const QWidget* b) {
    const QPoint p = a->mapToGlobal(QPoint()), q = b->mapToGlobal(QPoint());
    return std::tuple(p.y(), p.x(), a->width()) < std::tuple(q.y(), q.x(), b->width());
  });
  return out;
}

}  // namespace

Hands::Hands(MainWindow& window, QString folder, Use use)
    : window_(window), folder_(std::move(folder)), use_(use) {}

const std::vector<Hands::Row>& Hands::rows() {
  static const std::vector<Row> kRows = {
      {"click", 18, false, &Hands::click},  {"item", 14, true, &Hands::clickItem},
      {"key", 14, false, &Hands::key},      {"type", 8, false, &Hands::type},
      {"drag", 8, true, &Hands::drag},      {"wheel", 8, true, &Hands::wheel},
      {"drop", 2, false, &Hands::drop},     {"size", 2, true, &Hands::size},
      {"look", 1, true, &Hands::look},      {"page", 4, true, &Hands::page},
      {"dock", 4, true, &Hands::dock},      {"command", 4, false, &Hands::command},
      {"run", 2, false, &Hands::run},       {"cancel", 3, false, &Hands::cancel},
      {"undo", 3, false, &Hands::undo},     {"open", 1, false, &Hands::open},
      {"choice", 4, false, &Hands::choice}, {"move", 6, true, &Hands::move},
  };
  return kRows;
}

Hands::Action Hands::choose(Dice& dice) {
  QWidget* dialog = QApplication::activeModalWidget();
  QWidget* menu = QApplication::activePopupWidget();
  in_front_ = dialog == nullptr && menu == nullptr ? 0 : in_front_ + 1;
  if (menu != nullptr) return inMenu(*menu, dice);
  if (dialog != nullptr) return inDialog(*dialog, dice);
  int all = 0;
  for (const Row& row : rows()) all += use_ == Use::all || row.looking ? row.weight : 0;
  int at = dice.below(all);
  for (const Row& row : rows()) {
    if (use_ == Use::looking && !row.looking) continue;
    at -= row.weight;
    if (at >= 0) continue;
    Action action = (this->*row.choice)(dice);
    action.said = std::string(row.name) + " " + action.said;
    return action;
  }
  return {"nothing", [] {}};
}

// In a dialog of files nothing is clicked at random: it can rename and remove.
Hands::Action Hands::inDialog(QWidget& dialog, Dice& dice) {
  if (auto* chooser = qobject_cast<QFileDialog*>(&dialog)) {
    if (dice.one_in(3)) return {"dialog of files: cancelled", [chooser] { chooser->reject(); }};
    const bool saves = chooser->acceptMode() == QFileDialog::AcceptSave;
    const QString ending =
        chooser->nameFilters().join(' ').section("*.", 1, 1).section(QRegularExpression("[ )]"), 0, 0);
    const QString path = saves ? folder_ + "/saved." + ending : dice.of(files());
    return {"dialog of files: " + path.toStdString(), [chooser, path] {
              chooser->setOption(QFileDialog::DontConfirmOverwrite);
              chooser->selectFile(path);
              QMetaObject::invokeMethod(chooser, "accept");
            }};
  }
  const QPointer<QWidget> open(&dialog);
  if (in_front_ > 6 || dice.one_in(3))
    return {"dialog closed: " + called(open), [open] {
              if (open) open->close();
            }};
  std::vector<QWidget*> inside_it;
  for (QWidget* widget : dialog.findChildren<QWidget*>())
    if (seen(*widget)) inside_it.push_back(widget);
  if (inside_it.empty()) return {"dialog empty", [] {}};
  QWidget* widget = dice.of(inside_it);
  Action action = clickOn(widget, inside(*widget, dice), dice);
  action.said = "dialog: " + action.said;
  return action;
}

Hands::Action Hands::inMenu(QWidget& menu, Dice& dice) {
  static const std::vector<Qt::Key> kInMenu = {Qt::Key_Down,  Qt::Key_Down,   Qt::Key_Up,
                                               Qt::Key_Right, Qt::Key_Return, Qt::Key_Escape};
  const Qt::Key key = in_front_ > 12 || use_ == Use::looking ? Qt::Key_Escape : dice.of(kInMenu);
  const QPointer<QWidget> open(&menu);
  return {"menu: key " + std::to_string(key), [open, key, much = in_front_ > 20] {
            if (!open) return;
            if (much) {
              open->close();
            } else {
              QTest::sendKeyEvent(QTest::Click, open, key, QString(), Qt::NoModifier);
            }
          }};
}

QWidget* Hands::somewhere(Dice& dice) const {
  std::vector<QWidget*> all;
  for (QWidget* widget : seen_of<QWidget>())
    if (widget->isEnabled() && widget->width() > 2 && widget->height() > 2) all.push_back(widget);
  return all.empty() ? nullptr : dice.of(all);
}

Hands::Action Hands::clickOn(QWidget* widget, QPoint at, Dice& dice) const {
  const int kind = dice.below(12);
  const Qt::MouseButton button = kind == 0 ? Qt::RightButton : kind == 1 ? Qt::MiddleButton : Qt::LeftButton;
  const Qt::KeyboardModifiers modifiers = kind == 2   ? Qt::ControlModifier
                                          : kind == 3 ? Qt::ShiftModifier
                                                      : Qt::NoModifier;
  const bool twice = kind == 4;
  const QPointer<QWidget> on(widget);
  return {(twice ? "twice " : "") + called(widget) + at_text(at), [=] {
            mouse(QEvent::MouseMove, on, at, Qt::NoButton, Qt::NoModifier);
            if (twice) return mouse(QEvent::MouseButtonDblClick, on, at, button, modifiers);
            mouse(QEvent::MouseButtonPress, on, at, button, modifiers);
            mouse(QEvent::MouseButtonRelease, on, at, button, modifiers);
          }};
}

Hands::Action Hands::click(Dice& dice) {
  QWidget* widget = somewhere(dice);
  if (widget == nullptr) return {"nothing", [] {}};
  return clickOn(widget, inside(*widget, dice), dice);
}

// What a canvas shows, where a screen reader would find it.
Hands::Action Hands::clickItem(Dice& dice) {
  const auto canvases = seen_of<CanvasView>();
  if (canvases.empty()) return {"nothing", [] {}};
  CanvasView* canvas = dice.of(canvases);
  const auto& items = canvas->scene().accessible();
  if (items.empty()) return {"nothing", [] {}};
  const Rect& rect = dice.of(items).rect;
  return clickOn(canvas, QPoint(static_cast<int>(rect.x + rect.w / 2), static_cast<int>(rect.y + rect.h / 2)),
                 dice);
}

Hands::Action Hands::key(Dice& dice) {
  const Qt::Key key = dice.of(kKeys);
  const Qt::KeyboardModifiers modifiers = dice.of(kModifiers);
  return {QKeySequence(static_cast<int>(key) | static_cast<int>(modifiers)).toString().toStdString() +
              " to " + called(QApplication::focusWidget()),
          [=] { key_to_focus(key, modifiers); }};
}

Hands::Action Hands::type(Dice& dice) {
  std::vector<QWidget*> fields;
  for (QWidget* widget : seen_of<QWidget>()) {
    const bool field = qobject_cast<QLineEdit*>(widget) != nullptr ||
                       qobject_cast<QAbstractSpinBox*>(widget) != nullptr ||
                       qobject_cast<QPlainTextEdit*>(widget) != nullptr;
    if (field && widget->isEnabled()) fields.push_back(widget);
  }
  if (fields.empty()) return {"nothing", [] {}};
  const QPointer<QWidget> field(dice.of(fields));
  const QString text = dice.of(kTyped);
  const Qt::Key end = dice.one_in(2) ? Qt::Key_Return : Qt::Key_Tab;
  return {"'" + text.toStdString() + "' into " + called(field), [=] {
            if (!field) return;
            field->setFocus();
            QTest::sendKeyEvent(QTest::Click, field, Qt::Key_A, "a", Qt::ControlModifier);
            type_text(text);
            key_to_focus(end, Qt::NoModifier);
          }};
}

Hands::Action Hands::drag(Dice& dice) {
  const auto canvases = seen_of<CanvasView>();
  QWidget* widget =
      canvases.empty() || (use_ == Use::all && dice.one_in(4)) ? somewhere(dice) : dice.of(canvases);
  if (widget == nullptr) return {"nothing", [] {}};
  const QPointer<QWidget> on(widget);
  const QPoint from = inside(*widget, dice), to = inside(*widget, dice);
  const Qt::MouseButton button = dice.one_in(5) ? Qt::MiddleButton : Qt::LeftButton;
  return {called(widget) + at_text(from) + " to" + at_text(to), [=] {
            mouse(QEvent::MouseButtonPress, on, from, button, Qt::NoModifier);
            for (int part = 1; part <= 4; ++part)
              mouse(QEvent::MouseMove, on, from + (to - from) * part / 4, button, Qt::NoModifier);
            mouse(QEvent::MouseButtonRelease, on, to, button, Qt::NoModifier);
          }};
}

Hands::Action Hands::wheel(Dice& dice) {
  QWidget* widget = somewhere(dice);
  if (widget == nullptr) return {"nothing", [] {}};
  const QPointer<QWidget> on(widget);
  const QPoint at = inside(*widget, dice), steps(dice.one_in(5) ? 120 : 0, dice.one_in(2) ? 120 : -120);
  const Qt::KeyboardModifiers modifiers = dice.of(kModifiers);
  return {called(widget) + at_text(at), [=] {
            if (!on) return;
            QWheelEvent turn(at, on->mapToGlobal(at), {}, steps, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                             false);
            QCoreApplication::sendEvent(on, &turn);
          }};
}

QStringList Hands::files() const {
  QStringList out;
  for (const QFileInfo& file : QDir(folder_ + "/files").entryInfoList(QDir::Files, QDir::Name))
    out << file.filePath();
  out << folder_ << folder_ + "/no such file.toml";
  return out;
}

Hands::Action Hands::drop(Dice& dice) {
  QWidget* widget = somewhere(dice);
  while (widget != nullptr && !widget->acceptDrops()) widget = widget->parentWidget();
  if (widget == nullptr) widget = &window_;
  const QPointer<QWidget> on(widget);
  const QPoint at = inside(*widget, dice);
  const QString path = dice.of(files());
  const bool text = dice.one_in(5);
  return {path.toStdString() + " onto " + called(widget), [=] {
            if (!on) return;
            QMimeData data;
            if (text) data.setText(path);
            if (!text) data.setUrls({QUrl::fromLocalFile(path)});
            QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(on, &enter);
            if (!on || !enter.isAccepted()) return;
            QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(on, &drop);
          }};
}

Hands::Action Hands::size(Dice& dice) {
  const QSize size(640 + dice.below(1300), 480 + dice.below(700));
  return {at_text({size.width(), size.height()}), [=, this] { window_.resize(size); }};
}

Hands::Action Hands::look(Dice& dice) {
  const double scale = 1 + dice.below(5) * 0.5;
  const bool dark = dice.one_in(2);
  return {std::to_string(scale), [=, this] {
            window_.context().preferences.setScale(scale);
            window_.context().preferences.setDark(dark);
          }};
}

Hands::Action Hands::page(Dice& dice) {
  const QString id = dice.of(pages()).id;
  return {id.toStdString(), [=, this] { window_.docks().setPage(id); }};
}

Hands::Action Hands::dock(Dice& dice) {
  const QString id = dice.of(docks()).id;
  const int what = dice.below(6);
  return {id.toStdString() + " " + std::to_string(what), [=, this] {
            const DockArea::Made* made = window_.docks().go(id);
            if (what == 0) made->dock->setFloating(!made->dock->isFloating());
            if (what == 1) made->dock->close();
          }};
}

Hands::Action Hands::press(const QString& command) const {
  return {command.toStdString(), [=, this] {
            if (QAction* action = window_.action(command)) action->trigger();
          }};
}

Hands::Action Hands::command(Dice& dice) {
  const QList<QAction*> all = window_actions(window_);
  return press(dice.of(all)->objectName());
}

Hands::Action Hands::run(Dice& dice) {
  return press(dice.one_in(4) ? "run.all" : "run.one");
}

Hands::Action Hands::cancel(Dice& /*dice*/) {
  return press("run.cancel");
}

Hands::Action Hands::undo(Dice& dice) {
  return press(dice.one_in(3) ? "edit.redo" : "edit.undo");
}

Hands::Action Hands::open(Dice& dice) {
  const std::string name = dice.of(experiment_presets()).name;
  return {name, [=, this] { window_.context().report(window_.bench().openPreset(name)); }};
}

Hands::Action Hands::choice(Dice& dice) {
  std::vector<QComboBox*> boxes;
  for (QComboBox* box : seen_of<QComboBox>())
    if (box->isEnabled() && box->count() > 0) boxes.push_back(box);
  if (boxes.empty()) return {"nothing", [] {}};
  const QPointer<QComboBox> box(dice.of(boxes));
  const int entry = dice.below(box->count());
  return {called(box) + " " + std::to_string(entry), [=] {
            if (!box || entry >= box->count()) return;
            box->setCurrentIndex(entry);
            Q_EMIT box->activated(entry);
          }};
}

Hands::Action Hands::move(Dice& dice) {
  const int beat = dice.below(200);
  const bool play = dice.one_in(8);
  return {std::to_string(beat), [=, this] {
            Clock& clock = window_.bench().clock();
            clock.setBeat(std::min(beat, clock.beatCount()));
            if (play) clock.player().play(!clock.player().playing());
          }};
}

}  // namespace shardscope
