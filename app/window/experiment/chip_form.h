// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <map>
#include <vector>

#include "app/window/document/experiment_document.h"
#include "app/window/experiment/chip_fields.h"

namespace shardscope::inline window {

// Writes `chip` into `folder` under its name; a number is added where a file of that name says something
// else, so that an experiment which names the older one keeps it. The path.
Result<QString> write_chip(const Hardware& chip, const QString& folder);
// The same beside this program's settings.
Result<QString> keep_chip(const Hardware& chip);

// Every number of the experiment's chip with its unit and source. What is impossible stays in its field,
// marked, with the reason below it. "Use" writes the chip as a file and makes the experiment run on it: one
// step of undo.
class ChipForm : public QDialog {
  Q_OBJECT
 public:
  explicit ChipForm(ExperimentDocument& document, QWidget* parent = nullptr);
  const Hardware& chip() const { return chip_; }  // as edited so far
  const std::vector<ChipField>& fields() const { return fields_; }
  QLineEdit* value(const std::string& key, const QString& label = "") const;  // null when there is none
  QLineEdit* source(const std::string& key) const;
  QLineEdit* name() const { return name_; }
  QString reason(const std::string& key) const;  // why its value was refused, "" when it was not
  Result<void> useIt();                          // written beside the settings of this program
  Result<void> saveAs(const QString& path);      // there, and used

 private:
  struct Row {
    QLineEdit* value = nullptr;
    QLabel* reason = nullptr;
  };
  void addHeader(QGridLayout& grid);
  void addFields();
  void readDocument();
  void fill();
  void editNumber(size_t field);
  void editSource(const std::string& key);
  void editTopology();
  void markEdited();
  void refreshButtons();
  void adopt(const QString& path);

  ExperimentDocument& document_;
  QGridLayout* grid_ = nullptr;
  std::vector<ChipField> fields_;
  std::vector<Row> rows_;  // per field
  std::map<std::string, QLineEdit*> sources_;
  std::vector<QWidget*> made_;  // of the fields: a chip with other collectives has others
  QLineEdit *name_, *title_;
  QComboBox* topology_;
  QLabel* status_;
  QPushButton *use_, *save_, *revert_;
  std::string shown_;  // the experiment's hardware that was read
  Hardware original_, chip_;
};

}  // namespace shardscope::inline window
