// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QListWidget>
#include <QPushButton>
#include <QTextBrowser>
#include <QTimer>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/workbench.h"
#include "engine/report/document/audience.h"

namespace shardscope::inline window {

// What goes into a report, as it is chosen: runs by their numbers, for whom and how much, the format.
struct ReportChoice {
  std::vector<int64_t> runs;
  ReportExtent extent;
  std::string format;
  bool operator==(const ReportChoice&) const = default;
};

// Runs, sections and format of a report, and what it will say: texts and tables as they are written, made
// beside this thread after each change. The experiment's runs are chosen at first.
class ReportDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ReportDialog(Workbench& bench, QWidget* parent = nullptr);
  QListWidget* runs() { return runs_; }
  QListWidget* parts() { return parts_; }
  QComboBox* audience() { return audience_; }
  QComboBox* format() { return format_; }
  QPushButton* exportButton() { return export_; }
  QString preview() const { return preview_->toPlainText(); }
  bool preparing() const { return preparing_ || soon_.isActive(); }
  ReportChoice choice() const;
  void accept() override;

 Q_SIGNALS:
  void wanted(const shardscope::ReportChoice& choice);

 private:
  struct Made {
    Result<std::string> text = invalid("nothing is made");  // Markdown
    std::map<int64_t, RunPtr> read;                         // runs that were not in memory
  };
  void fill();
  void chooseAudience();  // ticks what it is told
  void read();
  void prepare();

  Workbench& bench_;
  QListWidget *runs_, *parts_;
  QComboBox *audience_, *format_;
  QTextBrowser* preview_;
  QPushButton* export_;
  QTimer soon_;
  bool preparing_ = false;
  std::map<int64_t, RunPtr> read_;
  Background making_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
