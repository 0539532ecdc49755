// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "app/window/experiment/strategy_list.h"

namespace shardscope::inline window {

// The strategies with a field that narrows them and what ticks many at once.
class StrategyPanel : public QWidget {
  Q_OBJECT
 public:
  explicit StrategyPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  StrategyList* list() { return list_; }
  QLineEdit* filter() { return filter_; }
  QString summary() const { return summary_->text(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void summarise();

  StrategyList* list_;
  QLineEdit* filter_;
  QToolButton *all_, *runnable_, *only_;
  QLabel* summary_;
};

}  // namespace shardscope::inline window
