// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/dock_area.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QHoverEvent>
#include <QLayout>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTableView>
#include <algorithm>

#include "app/window/docks/arrangement.h"
#include "app/window/docks/dock_names.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

// A dock behind another is visible, too: outside of the window.
bool in_front(const QDockWidget& dock) {
  return dock.isVisible() &&
         (dock.isFloating() || (dock.geometry().right() >= 0 && dock.geometry().bottom() >= 0));
}

namespace {

// What neither scrolls (a table does) nor draws to fit gets bars where it has no room: a form is never
// clipped.
QWidget* scrolled(QWidget* widget) {
  if (qobject_cast<QAbstractScrollArea*>(widget) != nullptr || dynamic_cast<CanvasView*>(widget) != nullptr ||
      widget->findChild<QTableView*>(QString(), Qt::FindDirectChildrenOnly) != nullptr)
    return widget;
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setWidget(widget);
  return area;
}

QDockWidget* make_dock(const Dock& row, QMainWindow& area) {
  auto* dock = new QDockWidget(spoken(row.title), &area);
  dock->setObjectName("dock." + row.id);
  explained_by(dock, row.id);
  dock->setWidget(new QWidget);  // where its own will stand
  dock->setFeatures(QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable |
                    QDockWidget::DockWidgetClosable);
  return dock;
}

// The first of the widgets inside, or the widget itself, that takes the focus from the keyboard.
void focus_in(QWidget& widget) {
  const auto takes = [](const QWidget& each) {
    return (each.focusPolicy() & Qt::TabFocus) != 0 && each.isEnabled() && each.isVisible();
  };
  if (takes(widget)) return widget.setFocus(Qt::TabFocusReason);
  for (QWidget* each = widget.nextInFocusChain(); each != &widget; each = each->nextInFocusChain()) {
    if (widget.isAncestorOf(each) && takes(*each)) return each->setFocus(Qt::TabFocusReason);
  }
  widget.setFocus(Qt::TabFocusReason);
}

// A picture, a table or a text rather than the fields above it.
void focus_on(const DockArea::Made& made) {
  QWidget* widget = made.widget;
  QWidget* to = made.row->looked_at ? made.row->looked_at(widget)
                : made.row->picture ? made.row->picture(widget)
                                    : widget->focusProxy();
  const auto shows = [&](const QWidget& each) {
    const bool is = qobject_cast<const QAbstractItemView*>(&each) != nullptr ||
                    qobject_cast<const QPlainTextEdit*>(&each) != nullptr ||
                    dynamic_cast<const CanvasView*>(&each) != nullptr;
    return is && each.isEnabled() && each.isVisible() && (each.focusPolicy() & Qt::TabFocus) != 0;
  };
  for (QWidget* each = widget->nextInFocusChain(); to == nullptr && each != widget;
       each = each->nextInFocusChain())
    if (widget->isAncestorOf(each) && shows(*each)) to = each;
  if (to == nullptr || !to->isVisible()) return focus_in(*widget);
  to->setFocus(Qt::ShortcutFocusReason);
}

// Arrangements name docks: those of another set of docks are not these.
int arrangement_version() {
  QByteArray ids;
  for (const std::string& id : dock_ids()) ids += QByteArray::fromStdString(id) + ' ';
  return qChecksum(ids);
}

QString text_of(const QString& page, Form form) {
  return page + '/' + name(form);
}

// Qt remembers by its place the line between two docks that the pointer is over or moves, and looks there
// again when the pointer leaves: before the places change it has to forget.
void forget_pointer(QMainWindow& area) {
  QHoverEvent leaves(QEvent::HoverLeave, QPointF(), QPointF(), QPointF());
  QCoreApplication::sendEvent(&area, &leaves);
  QMouseEvent released(QEvent::MouseButtonRelease, QPointF(), QPointF(), Qt::LeftButton, Qt::NoButton,
                       Qt::NoModifier);
  QCoreApplication::sendEvent(&area, &released);
}

// In front, left and right of the page's middle.
QList<QDockWidget*> sides_of(const DockArea& area) {
  QList<QDockWidget*> out;
  if (area.form() == Form::small) return out;  // halves
  const DocksByPlace ids = docks_by_place(*find_page(area.page()), area.form());
  for (const Place place : {Place::left, Place::right})
    for (const QString& id : ids[static_cast<size_t>(place)])
      if (QDockWidget* dock = area.find(id)->dock; in_front(*dock) && !dock->isFloating()) out << dock;
  return out;
}

// Of those that stand somewhere: the others get theirs when they do.
void fit_titles_of(QMainWindow& area, const std::vector<DockArea::Made>& made) {
  QList<QDockWidget*> docks;
  for (const DockArea::Made& each : made) {
    if (each.dock->isFloating() || area.dockWidgetArea(each.dock) != Qt::NoDockWidgetArea) docks << each.dock;
  }
  fit_titles(area, docks);
}

}  // namespace

DockArea::DockArea(const Context& context)
    : context_(context), area_(new QMainWindow(&context.window)), page_(pages().front().id) {
  area_->setWindowFlags(Qt::Widget);  // its constructor makes it a window of its own
  area_->setObjectName("pages");
  area_->setDockNestingEnabled(true);
  area_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  area_->setContextMenuPolicy(Qt::NoContextMenu);
  empty_ = area_->saveState();
  for (const Dock& row : docks()) {
    QDockWidget* dock = make_dock(row, *area_);
    made_.push_back({&row, dock});
    dock->hide();
    // Later: while it is moved it is neither a tab nor alone.
    const auto fit_all = [this] { fit_titles_of(*area_, made_); };
    connect(dock, &QDockWidget::topLevelChanged, this, fit_all, Qt::QueuedConnection);
    connect(dock, &QDockWidget::dockLocationChanged, this, fit_all, Qt::QueuedConnection);
    const auto seen = [this, dock, &row] {
      if (in_front(*dock)) make(row.id);
    };
    connect(dock, &QDockWidget::visibilityChanged, this, seen, Qt::QueuedConnection);
  }
  context.window.setCentralWidget(area_);
}

// Before what they show.
DockArea::~DockArea() {
  for (const Made& made : made_) {
    made.dock->disconnect(this);
    delete made.dock;
  }
}

const DockArea::Made* DockArea::find(const QString& id) const {
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) { return m.row->id == id; });
  return found == made_.end() ? nullptr : &*found;
}

const DockArea::Made* DockArea::at(const QWidget* widget) const {
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) {
    return widget != nullptr && m.widget != nullptr && (m.widget == widget || m.widget->isAncestorOf(widget));
  });
  return found == made_.end() ? nullptr : &*found;
}

const DockArea::Made* DockArea::make(const QString& id) {
  const auto found = std::find_if(made_.begin(), made_.end(), [&](const Made& m) { return m.row->id == id; });
  if (found == made_.end()) return nullptr;
  Made& made = *found;
  if (made.widget != nullptr) return &made;
  made.widget = made.row->make(context_);
  if (theme_ && made.row->set_theme) made.row->set_theme(made.widget, *theme_);
  QWidget* place = made.dock->widget();
  QWidget* content = made.row->fits ? made.widget : scrolled(made.widget);
  content->setMinimumSize(place->minimumSize());
  // Splitters share out the room they have first, by what their parts want: dressed, and where they stand.
  content->setParent(made.dock);
  for (QWidget* each : content->findChildren<QWidget*>()) each->ensurePolished();
  content->setGeometry(place->geometry());
  made.dock->setWidget(content);
  delete place;
  Q_EMIT widgetMade(made);
  return &made;
}

void when_made(DockArea& area, QObject* receiver, const std::function<void(const DockArea::Made&)>& then) {
  for (const DockArea::Made& made : area.all())
    if (made.widget != nullptr) then(made);
  QObject::connect(&area, &DockArea::widgetMade, receiver, then);
}

const DockArea::Made* DockArea::go(const QString& id) {
  const Made* made = find(id);
  if (made == nullptr) return nullptr;
  if (!onPage(*made)) setPage(home_of(id)->id);
  if (!onPage(*made)) put(*made);
  made->dock->show();
  made->dock->raise();
  make(id);
  if (made->row->job) made->row->job(made->widget)->startButton()->setFocus(Qt::ShortcutFocusReason);
  return made;
}

namespace {

std::vector<const DockArea::Made*> in_order(const DockArea& area) {
  QStringList ids;
  for (const QStringList& group : docks_by_place(*find_page(area.page()), area.form())) ids += group;
  for (const DockArea::Made& made : area.all()) {
    if (!ids.contains(made.row->id)) ids << made.row->id;  // opened here by the user
  }
  std::vector<const DockArea::Made*> out;
  for (const QString& id : ids) {
    const DockArea::Made* made = area.find(id);
    if (area.onPage(*made) && !made->dock->isHidden()) out.push_back(made);
  }
  return out;
}

}  // namespace

const DockArea::Made* look_at(DockArea& area, const QString& id) {
  const DockArea::Made* made = area.go(id);
  if (made != nullptr && !made->row->job) focus_on(*made);
  return made;
}

void look_at_page(DockArea& area) {
  const DockArea::Made* best = nullptr;
  const auto size = [](const DockArea::Made& made) {
    const int pixels = made.dock->width() * made.dock->height();
    return std::pair(static_cast<bool>(made.row->picture), pixels);
  };
  for (const DockArea::Made& made : area.all()) {
    if (made.widget == nullptr || !area.onPage(made) || !in_front(*made.dock)) continue;
    if (best == nullptr || size(made) > size(*best)) best = &made;
  }
  if (best != nullptr) focus_on(*best);
}

const DockArea::Made* step_focus(DockArea& area, int by) {
  const std::vector<const DockArea::Made*> all = in_order(area);
  if (all.empty()) return nullptr;
  const auto count = static_cast<ptrdiff_t>(all.size());
  const ptrdiff_t here =
      std::find(all.begin(), all.end(), area.at(QApplication::focusWidget())) - all.begin();
  const ptrdiff_t next = here == count ? (by > 0 ? 0 : count - 1) : (here + by + count) % count;
  const DockArea::Made* made = area.make(all[static_cast<size_t>(next)]->row->id);
  made->dock->raise();
  made->dock->activateWindow();
  focus_in(*made->widget);
  return made;
}

void DockArea::setTheme(const Theme& theme) {
  theme_ = theme;
  for (const Made& made : made_) {
    if (made.widget != nullptr && made.row->set_theme) made.row->set_theme(made.widget, theme);
  }
}

void DockArea::setPage(const QString& id) {
  if (id == page_ || find_page(id) == nullptr) return;
  keep();
  page_ = id;
  if (arranged_) enter();
  Q_EMIT pageChanged(id);
}

void DockArea::put(const Made& made) {
  forget_pointer(*area_);
  const auto room = [](const Made& m) {
    return m.dock->isVisible() && !m.dock->isFloating() ? m.dock->width() * m.dock->height() : 0;
  };
  const auto largest = std::max_element(made_.begin(), made_.end(),
                                        [&](const Made& a, const Made& b) { return room(a) < room(b); });
  if (room(*largest) > 0) {
    area_->tabifyDockWidget(largest->dock, made.dock);
  } else {
    area_->addDockWidget(Qt::TopDockWidgetArea, made.dock);
  }
  made.dock->show();
  made.dock->raise();
  fit_titles_of(*area_, made_);
}

void DockArea::restorePage() {
  arrangements_.erase({page_, form_});
  enter();
}

void DockArea::fit(QSize window, double scale) {
  if (entering_) {  // what is shown just now has widened the window: after it
    QMetaObject::invokeMethod(
        this, [this, window, scale] { fit(window, scale); }, Qt::QueuedConnection);
    return;
  }
  const Form form = form_of(window.width() / scale, window.height() / scale);
  for (const Made& made : made_)
    made.dock->widget()->setMinimumSize(static_cast<int>(160 * scale), static_cast<int>(70 * scale));
  const double before = std::exchange(scale_, scale);
  if (arranged_ && form == form_) return scale_sides(*area_, sides_of(*this), scale / before);
  if (arranged_) keep();
  form_ = form;
  arranged_ = true;
  enter();
}

void DockArea::keep() {
  if (area_->isVisible()) arrangements_[{page_, form_}] = {area_->saveState(arrangement_version()), scale_};
}

// Qt goes through its rows of tabs to show them, and a row that is shown has what is round it laid out, which
// changes those rows under its hands: nothing is laid out meanwhile.
bool DockArea::arrangeAs(const QByteArray& state, int version) {
  area_->layout()->setEnabled(false);
  const bool arranged = area_->restoreState(state, version);
  area_->layout()->setEnabled(true);
  area_->layout()->activate();
  return arranged;
}

void DockArea::enter() {
  entering_ = true;
  forget_pointer(*area_);
  area_->setUpdatesEnabled(false);
  // Else restoring an arrangement would add to it what stands here now. A removed dock leaves a place behind,
  // which would be kept with the next page: an empty area has none.
  for (const Made& made : made_) {
    if (made.dock->isFloating()) made.dock->setFloating(false);
    area_->removeDockWidget(made.dock);
  }
  arrangeAs(empty_, 0);
  const auto kept = arrangements_.find({page_, form_});
  if (kept == arrangements_.end() || !arrangeAs(kept->second.docks, arrangement_version())) {
    arrange();
  } else {
    scale_sides(*area_, sides_of(*this), scale_ / kept->second.scale);
  }
  fit_titles_of(*area_, made_);
  for (const Made& made : made_) {  // before they are painted
    if (in_front(*made.dock)) make(made.row->id);
  }
  area_->setUpdatesEnabled(true);
  entering_ = false;
}

void DockArea::arrange() {
  const Page& page = *find_page(page_);
  const DocksByPlace ids = docks_by_place(page, form_);
  Groups groups;
  for (size_t place = 0; place < kPlaces; ++place) {
    for (const QString& id : ids[place]) groups[place] << find(id)->dock;
  }
  arrange_docks(*area_, groups, {page.heights, scale_, form_ == Form::small});
}

QJsonObject DockArea::state() const {
  QJsonObject kept, scales;
  const auto add = [&](const Key& key, const Kept& each) {
    const QString text = text_of(key.first, key.second);
    kept[text] = QString::fromLatin1(each.docks.toBase64());
    scales[text] = each.scale;
  };
  for (const auto& [key, each] : arrangements_) add(key, each);
  if (arranged_ && area_->isVisible()) add({page_, form_}, {area_->saveState(arrangement_version()), scale_});
  return {{"page", page_}, {"arrangements", kept}, {"scales", scales}};
}

void DockArea::restore(const QJsonObject& state) {
  const QJsonObject kept = state["arrangements"].toObject(), scales = state["scales"].toObject();
  for (const Page& page : pages()) {
    for (const Form form : kEveryForm) {
      const QString text = text_of(page.id, form), bytes = kept[text].toString();
      if (bytes.isEmpty()) continue;
      arrangements_[{page.id, form}] = {QByteArray::fromBase64(bytes.toLatin1()), scales[text].toDouble(1)};
    }
  }
  const QString page = state["page"].toString();
  if (find_page(page) != nullptr) page_ = page;
  if (arranged_) enter();
  Q_EMIT pageChanged(page_);
}

void DockArea::forget() {
  arrangements_.clear();
  if (arranged_) enter();
}

}  // namespace shardscope::inline window
