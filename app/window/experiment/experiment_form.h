// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>

#include "app/window/document/experiment_document.h"
#include "app/window/experiment/mesh_editor.h"
#include "app/window/experiment/options_form.h"
#include "app/window/experiment/problem_form.h"
#include "app/window/experiment/sharding_editor.h"
#include "app/window/experiment/strategy_panel.h"

namespace shardscope::inline window {

// The dock on the left: all that an experiment is, editable.
class ExperimentForm : public QScrollArea {
  Q_OBJECT
 public:
  explicit ExperimentForm(ExperimentDocument& document, QWidget* parent = nullptr);
  MeshEditor* mesh() { return mesh_; }
  ProblemForm* problem() { return problem_; }
  OptionsForm* options() { return options_; }
  ShardingEditor* sharding() { return sharding_; }
  QString formula() const { return formula_->text(); }  // with the arrays' sizes, where they are not m, k, n
  StrategyPanel* strategyPanel() { return strategies_; }
  StrategyList* strategies() { return strategies_->list(); }
  void setTheme(const Theme& theme);
  void find();  // in the list of strategies

 Q_SIGNALS:
  void chipRequested();  // "edit…" beside the hardware

 private:
  void readDocument();
  void readFormula();

  ExperimentDocument& document_;
  QLabel *title_, *notes_, *warnings_, *formula_, *chip_;
  MeshEditor* mesh_;
  ProblemForm* problem_;
  OptionsForm* options_;
  ShardingEditor* sharding_;
  StrategyPanel* strategies_;
};

}  // namespace shardscope::inline window
