// SPDX-License-Identifier: Apache-2.0
#include "tests/app/screens/cut.h"

#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QStyleOptionTab>
#include <QTabBar>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <fmt/format.h>

#include "app/window/results/runs_table.h"
#include "app/window/text/line_view.h"

namespace shardscope {
namespace {

constexpr int kLeastSlider = 120;  // at 100 %
constexpr double kRounded = 0.95;  // fonts have whole pixels
constexpr int kLeastColumns = 60;  // of a module's text

class Finder {
 public:
  explicit Finder(const MainWindow& window) : window_(window), scale_(window.font().pixelSize() / 13.0) {}

  std::vector<std::string> find() {
    for (const QWidget* each : window_.findChildren<QWidget*>()) {
      if (each->isVisible() && each->window() == &window_ && !each->visibleRegion().isEmpty()) look(*each);
    }
    return std::move(found_);
  }

 private:
  void look(const QWidget& each) {
    if (each.objectName() == "qt_toolbar_ext_button") say(each, "a tool bar has no room for all");
    if (const auto* tabs = qobject_cast<const QTabBar*>(&each)) return lookAtTabs(*tabs);
    if (const auto* slider = qobject_cast<const QSlider*>(&each)) return lookAtSlider(*slider);
    if (const auto* button = qobject_cast<const QAbstractButton*>(&each)) return lookAtButton(*button);
    if (const auto* box = qobject_cast<const QComboBox*>(&each)) return lookAtBox(*box);
    if (const auto* text = qobject_cast<const LineView*>(&each)) return lookAtText(*text);
    if (const auto* runs = qobject_cast<const RunsTable*>(&each)) return lookAtRuns(*runs);
    if (qobject_cast<const QLineEdit*>(&each) != nullptr && outside(each))
      say(each, "a field is cut: " + each.accessibleName().toStdString());
  }

  void say(const QWidget& widget, const std::string& what) {
    std::string in;
    for (const QWidget* at = &widget; at != nullptr && in.empty(); at = at->parentWidget()) {
      if (at->inherits("QDockWidget") || at->inherits("QToolBar")) in = at->windowTitle().toStdString();
    }
    found_.push_back(fmt::format("{}: {} ({})", in, what, widget.metaObject()->className()));
  }

  // Where it is cut off sideways by what it stands in: of a form that scrolls down, that may not be.
  bool outside(const QWidget& widget) const {
    const int left = widget.mapTo(&window_, QPoint()).x(), right = left + widget.width();
    for (const QWidget* at = widget.parentWidget(); at != nullptr && at != &window_;
         at = at->parentWidget()) {
      const int from = at->mapTo(&window_, QPoint()).x();
      if (left < from - 1 || right > from + at->width() + 1) return true;
    }
    return false;
  }

  void lookAtTabs(const QTabBar& bar) {
    for (const auto* button : bar.findChildren<QToolButton*>()) {
      if (button->isVisible() && button->arrowType() != Qt::NoArrow)
        return say(bar,
                   fmt::format("tabs that scroll: {} … in {} px", bar.tabText(0).toStdString(), bar.width()));
    }
    int need = 0;
    for (int tab = 0; tab < bar.count(); ++tab) need += bar.tabRect(tab).width();
    if (need > bar.width() + 1 || outside(bar))
      say(bar, fmt::format("tabs of {} px in {} px: {} …", need, bar.width(), bar.tabText(0).toStdString()));
    for (int tab = 0; tab < bar.count(); ++tab) {
      const int words = bar.fontMetrics().horizontalAdvance(bar.tabText(tab));
      if (words > bar.tabRect(tab).width()) say(bar, "a tab is cut: " + bar.tabText(tab).toStdString());
    }
  }

  void lookAtSlider(const QSlider& slider) {
    if (slider.orientation() == Qt::Horizontal && slider.width() < kLeastSlider * scale_ * kRounded)
      say(slider,
          fmt::format("a slider of {} px: {}", slider.width(), slider.accessibleName().toStdString()));
  }

  void lookAtButton(const QAbstractButton& button) {
    const int need = button.sizeHint().width();
    if (button.text().isEmpty()) return;
    if (button.width() < need || outside(button))
      say(button, fmt::format("'{}' of {} px in {}", button.text().toStdString(), need, button.width()));
  }

  void lookAtBox(const QComboBox& box) {
    const int words = box.fontMetrics().horizontalAdvance(box.currentText());
    if (words + 24 * scale_ > box.width() || outside(box))
      say(box, fmt::format("'{}' of {} px in {}", box.currentText().toStdString(), words, box.width()));
  }

  void lookAtText(const LineView& text) {
    Theme theme;
    theme.scale = static_cast<float>(scale_);
    if (text.width() < width_of_columns(kLeastColumns, theme))
      say(text, fmt::format("{} px for {} characters", text.width(), kLeastColumns));
  }

  // A row and the sentence below it are whole.
  void lookAtRuns(const RunsTable& runs) {
    const auto* table = runs.findChild<const QTableView*>();
    if (table->model()->rowCount() > 0 && table->viewport()->height() < table->rowHeight(0))
      say(runs, fmt::format("rows of {} px in {}", table->rowHeight(0), table->viewport()->height()));
    for (const auto* words : runs.findChildren<const QLabel*>()) {
      if (words->property("role") == "verdict" && words->height() < words->heightForWidth(words->width()))
        say(runs,
            fmt::format("a sentence of {} px in {}", words->heightForWidth(words->width()), words->height()));
    }
  }

  const MainWindow& window_;
  const double scale_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> cut_short(const MainWindow& window) {
  return Finder(window).find();
}

}  // namespace shardscope
