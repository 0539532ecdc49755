// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <functional>
#include <vector>

#include "app/window/document/experiment_document.h"
#include "app/window/document/shown_run.h"

namespace shardscope {

// What a run may be told beside mesh and problem: which algorithm its collectives use, what its numbers are
// compared with, and the options that strategies read. A refused value stays in its field, marked, with the
// reason below.
class OptionsForm : public QWidget {
  Q_OBJECT
 public:
  explicit OptionsForm(ExperimentDocument& document, QWidget* parent = nullptr);
  void showRun(const ShownRunPtr& shown);  // whose choices of algorithms are told
  QComboBox* collective() { return collective_; }
  QComboBox* reference() { return reference_; }
  QLineEdit* option(const QString& name) const;  // "slices", "rtol"; null when there is none
  QLineEdit* roles() { return roles_; }
  QString chosen() const { return chosen_->text(); }
  QString error() const { return error_->text(); }

 private:
  // A number that may be left to the default.
  struct Number {
    QString name;
    QLineEdit* edit;
    bool whole;
    std::function<QString(const Experiment&)> text;
    std::function<void(Experiment&, std::optional<double>)> set;
  };
  void addNumber(const QString& name, const QString& tip, bool whole,
                 std::function<QString(const Experiment&)> text,
                 std::function<void(Experiment&, std::optional<double>)> set);
  void addOption(const QString& name, const QString& tip, std::optional<int64_t> StrategyOptions::*member);
  void readDocument();
  void writeChoices();
  void writeNumber(size_t which);
  void writeRoles();
  void refuse(const QString& reason);

  ExperimentDocument& document_;
  QComboBox *collective_, *reference_;
  std::vector<Number> numbers_;
  QLineEdit* roles_;
  QLabel *chosen_, *error_;
};

}  // namespace shardscope
