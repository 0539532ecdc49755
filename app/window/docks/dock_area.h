// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QJsonObject>
#include <QObject>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/window/docks/docks.h"
#include "app/window/docks/pages.h"

namespace shardscope::inline window {

// The docks of one window: made from the table, found by id, arranged page by page. Each page keeps its own
// arrangement for each form of the window; none changes another's. A dock's widget is made when it is first
// seen or asked for: of the many docks a start shows a few.
class DockArea : public QObject {
  Q_OBJECT
 public:
  explicit DockArea(const Context& context);  // becomes the window's central widget
  ~DockArea() override;

  struct Made {
    const Dock* row = nullptr;
    QDockWidget* dock = nullptr;
    QWidget* widget = nullptr;  // null until it is made
  };

  const std::vector<Made>& all() const { return made_; }
  const Made* find(const QString& id) const;    // null: there is none
  const Made* at(const QWidget* widget) const;  // the one that `widget` is in, or null
  const Made* make(const QString& id);          // with its widget from now on; null: there is none
  template <class Widget>
  Widget* widget(const QString& id) {
    return static_cast<Widget*>(make(id)->widget);
  }
  // In front, its job's button with the focus; on this page where it has the dock, else on the dock's own.
  // Null: there is none.
  const Made* go(const QString& id);
  void setTheme(const Theme& theme);

  const QString& page() const { return page_; }
  void setPage(const QString& id);  // of the table; others are ignored
  bool onPage(const Made& made) const { return area_->dockWidgetArea(made.dock) != Qt::NoDockWidgetArea; }
  void put(const Made& made);  // opens it on this page, beside the largest view there
  void restorePage();          // this page as the table has it
  // The form that fits a window of that size; arranges anew when it is another one than before.
  void fit(QSize window, double scale);
  Form form() const { return form_; }

  // Page and arrangements, as restore() takes them; what does not fit these docks is left as it is.
  QJsonObject state() const;
  void restore(const QJsonObject& state);
  void forget();  // every page as the table has it

 Q_SIGNALS:
  void pageChanged(const QString& id);
  void widgetMade(const Made& made);

 private:
  using Key = std::pair<QString, Form>;  // of a page in a form

  void keep();   // the arrangement of the page that is left
  void enter();  // the page as it was left, or as the table has it
  void arrange();
  bool arrangeAs(const QByteArray& state, int version);

  const Context& context_;
  std::vector<Made> made_;
  std::optional<Theme> theme_;
  QMainWindow* area_;
  QByteArray empty_;  // the state of an area without docks
  QString page_;
  Form form_ = Form::wide;
  double scale_ = 1;
  bool arranged_ = false, entering_ = false;
  struct Kept {
    QByteArray docks;
    double scale = 1;  // at which it stood so
  };
  std::map<Key, Kept> arrangements_;
};

// To be seen, not behind another.
bool in_front(const QDockWidget& dock);

// For each widget, now or as soon as it is made, while `receiver` lives.
void when_made(DockArea& area, QObject* receiver, const std::function<void(const DockArea::Made&)>& then);

// What keys are for gets the focus: of a dock, brought to the front (null: there is none), and of the page
// its largest picture, else its largest view.
const DockArea::Made* look_at(DockArea& area, const QString& id);
void look_at_page(DockArea& area);

// The state of those made docks that have one, by their ids.
QJsonObject views_of(const DockArea& area);
void restore_views(DockArea& area, const QJsonObject& state);

// The focus goes to the next (1) or the one before (-1) of the page's docks, those behind others too, in the
// page's order; from elsewhere to the first or the last. Null: the page has none.
const DockArea::Made* step_focus(DockArea& area, int by);

}  // namespace shardscope::inline window
