// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/results/runs_list.h"

namespace shardscope::inline window {

// Which runs of another workspace file are wanted: its list, read beside this thread, all selected at first.
class BringIn : public QDialog {
  Q_OBJECT
 public:
  explicit BringIn(const QString& path, QWidget* parent = nullptr);
  QTableView* view() { return view_; }
  RunsList* list() { return list_; }
  QString message() const { return message_->text(); }
  void accept() override;

 Q_SIGNALS:
  void wanted(const QString& path, const std::vector<shardscope::RunSummary>& rows);

 private:
  void take(const Result<std::vector<RunSummary>>& rows);
  std::vector<RunSummary> chosen() const;

  QString path_;
  RunsModel* model_;
  RunsList* list_;
  QTableView* view_;
  QLabel* message_;
  QPushButton* bring_;
  Background reading_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
