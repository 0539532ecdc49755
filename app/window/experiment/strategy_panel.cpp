// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/strategy_panel.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

QToolButton* text_button(const QString& text, const QString& tip, QWidget* parent) {
  QToolButton* button = small_button(text, tip, parent);
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

}  // namespace

StrategyPanel::StrategyPanel(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      list_(new StrategyList(document, this)),
      filter_(new QLineEdit(this)),
      all_(text_button("Tick all"_tr, "Tick every strategy that is listed"_tr, this)),
      runnable_(
          text_button("Those that can run"_tr, "Tick those, and only those, that can run here"_tr, this)),
      only_(text_button("Only this"_tr, "Tick the selected strategy or family and nothing else"_tr, this)),
      summary_(form_label("", this)) {
  filter_->setPlaceholderText("filter: ring, all-reduce, Cannon…"_tr);
  filter_->setAccessibleName("Filter strategies"_tr);
  filter_->setToolTip("Words of an id, a title, a paper or a reason; Down goes to the list, Esc clears"_tr);
  stands_for(filter_, "strategies.filter");
  filter_->setClearButtonEnabled(true);
  filter_->installEventFilter(this);
  auto* buttons = new FlowLayout(nullptr, 2);  // other languages have longer words
  for (QToolButton* button : {all_, runnable_, only_}) buttons->addWidget(button);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(filter_);
  layout->addLayout(buttons);
  layout->addWidget(summary_);
  layout->addWidget(list_);
  connect(filter_, &QLineEdit::textChanged, list_, &StrategyList::setFilter);
  connect(all_, &QToolButton::clicked, list_, &StrategyList::tickShown);
  connect(runnable_, &QToolButton::clicked, list_, &StrategyList::tickRunnable);
  connect(only_, &QToolButton::clicked, list_, &StrategyList::tickOnlyCurrent);
  connect(list_, &StrategyList::rowsChanged, this, &StrategyPanel::summarise);
  connect(list_, &QTreeWidget::currentItemChanged, this, &StrategyPanel::summarise);
  summarise();
}

void StrategyPanel::summarise() {
  QStringList parts{"%1 of %2 ticked"_tr.arg(list_->wantedCount()).arg(list_->rowCount())};
  if (list_->reasonsKnown()) parts << "%1 can run here"_tr.arg(list_->runnableCount());
  if (!filter_->text().trimmed().isEmpty()) {
    const auto shown = list_->shownStrategies().size();
    parts << (shown == 0 ? "none matches the filter"_tr : "%1 shown"_tr.arg(shown));
  }
  summary_->setText(parts.join(" · "));
  runnable_->setEnabled(list_->reasonsKnown());
  only_->setEnabled(list_->currentItem() != nullptr);
}

bool StrategyPanel::eventFilter(QObject* watched, QEvent* event) {
  // Else Esc would be the window's.
  if (watched == filter_ && event->type() == QEvent::ShortcutOverride && !filter_->text().isEmpty() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    event->accept();
    return true;
  }
  if (watched == filter_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Down) {
      list_->setFocus();
      for (QTreeWidgetItem* item = list_->topLevelItem(0); item != nullptr; item = list_->itemBelow(item)) {
        if (item->isHidden()) continue;
        list_->setCurrentItem(item);
        break;
      }
      return true;
    }
    if (key->key() == Qt::Key_Escape && !filter_->text().isEmpty()) {
      filter_->clear();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace shardscope::inline window
