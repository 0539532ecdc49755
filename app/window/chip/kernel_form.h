// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "app/window/chip/kernel_choice.h"
#include "app/window/document/experiment_document.h"
#include "engine/kernels/catalogue/sizes.h"

namespace shardscope::inline window {

// A kernel, its mesh and schedule and, folded away, the sizes it reads, its types, limits and chip. Every
// change that can be read is told at once; one that cannot is said in place.
class KernelForm : public QWidget {
  Q_OBJECT
 public:
  explicit KernelForm(ExperimentDocument& document, QWidget* parent = nullptr);
  const KernelChoice& choice() const { return choice_; }
  void setChoice(const KernelChoice& choice);  // without telling
  void setProblem(const QString& text);        // why the choice could not be shown; empty: it could
  void fitFields();                            // to the font
  QString problem() const { return problem_->text(); }

  QComboBox* kernel() { return kernel_; }
  QLineEdit* mesh() { return mesh_; }
  QSpinBox* seed() { return seed_; }
  QComboBox* policy() { return policy_; }
  QComboBox* hardware() { return hardware_; }
  QToolButton* more() { return more_; }
  QLineEdit* size(const QString& name) const;  // null when there is none
  void addButton(QWidget* button);             // at the end of its first line

 Q_SIGNALS:
  void changed();

 private:
  QWidget* makeFirstLine();
  QWidget* makeSecondLine();
  void readFields();
  Result<KernelChoice> read() const;
  void readDocument();
  void showSizes();

  ExperimentDocument& document_;
  KernelChoice choice_;
  bool showing_ = false;
  bool unreadable_ = false;  // a field, so the choice is the one before
  QComboBox *kernel_, *policy_, *dtype_, *hardware_;
  QLineEdit *mesh_, *vmem_;
  QSpinBox* seed_;
  QToolButton* more_;
  QLabel* problem_;
  QWidget* second_;
  class FlowLayout* first_ = nullptr;
  std::vector<std::pair<kernels::KernelSize, QLineEdit*>> sizes_;
};

}  // namespace shardscope::inline window
