// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <vector>

#include "app/window/document/experiment_document.h"
#include "engine/request/fields.h"

namespace shardscope::inline window {

// The value of a field as a form shows it: of a run's field what the runs that read it have, "several" when
// they differ.
std::string shown_text(const Field& field, const Experiment& experiment);
// `experiment` with the field as it was typed; a run's field goes to every run that reads it. Refusals say
// what was expected.
Result<Experiment> with_text(const Field& field, const Experiment& experiment, const std::string& typed);

// The fields of some scopes as rows of a form: a list where the table knows all words, a line otherwise. A
// refused value stays in its field, marked, with the reason below.
class FieldRows : public QWidget {
  Q_OBJECT
 public:
  FieldRows(ExperimentDocument& document, const std::vector<Scope>& scopes, int columns,
            QWidget* parent = nullptr);
  QComboBox* list(const std::string& key) const;  // null when it is none
  QLineEdit* line(const std::string& key) const;
  QString error() const { return error_->text(); }
  void readDocument();

 private:
  struct Row {
    const Field* field = nullptr;
    QComboBox* list = nullptr;
    QLineEdit* line = nullptr;
  };
  QWidget* addRow(const Field& field);
  const Row* find(const std::string& key) const;
  void write(const Row& row);

  ExperimentDocument& document_;
  std::vector<Row> rows_;
  QLabel* error_;
};

}  // namespace shardscope::inline window
