// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <memory>

#include "app/window/document/experiment_document.h"
#include "app/window/studies/study_panel.h"
#include "engine/measure/calibrate.h"
#include "engine/study/calibration.h"
#include "views/scene/charts/calibration.h"

namespace shardscope::inline window {

// A chip's numbers fitted to measurements: which points, of which chip, how many are held out to judge by.
// Predicted over measured as a picture, points, groups and numbers as tables; the fitted chip is saved or
// becomes the experiment's.
class CalibrationPanel : public StudyPanel {
  Q_OBJECT
 public:
  enum Shown { points, groups, parameters };

  explicit CalibrationPanel(ExperimentDocument& document, QWidget* parent = nullptr);
  QLineEdit* file() { return file_; }
  QComboBox* hardware() { return hardware_; }
  QComboBox* shown() { return shown_; }
  QComboBox* group() { return group_; }
  QCheckBox* before() { return before_; }
  QToolButton* useButton() { return use_; }
  const std::shared_ptr<const Calibration>& result() const { return result_; }
  void showResult(const Calibration& result);
  void run() override;

 Q_SIGNALS:
  void saveRequested(const shardscope::Hardware& chip);
  void useRequested(const shardscope::Hardware& chip);

 private:
  QLayout* makeForm();
  Result<CalibrateRequest> request() const;
  void readDocument();
  void draw();
  void fillGroups();
  void fillTable();
  void fillPoints();
  void fillErrors();
  void fillParameters();
  void choose(const ItemId& item);
  void open(const QTreeWidgetItem* item) override;
  QStringList words(const ItemId& item) const;

  ExperimentDocument& document_;
  QLineEdit* file_;
  QComboBox *hardware_, *shown_, *group_;
  QSpinBox *held_out_, *seed_;
  QCheckBox* before_;
  QToolButton *save_, *use_;
  bool filling_ = false;
  std::shared_ptr<const Calibration> result_;
};

}  // namespace shardscope::inline window
