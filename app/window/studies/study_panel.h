// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QTreeWidget>
#include <string>

#include "app/window/document/background.h"
#include "app/window/document/in_window.h"
#include "app/window/widgets/job_bar.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/base/result.h"
#include "engine/request/experiment.h"

namespace shardscope::inline window {

// A study of many runs: a form that asks, a job that answers in a chart and a table while it works, a verdict
// below. Double click or Enter opens a row of the table as an experiment.
class StudyPanel : public QWidget {
  Q_OBJECT
 public:
  void setTheme(const Theme& theme);
  JobBar* job() { return job_; }
  PictureCanvas* chart() { return chart_; }
  QTreeWidget* table() { return table_; }
  QString purpose() const { return purpose_->text(); }
  QString error() const { return error_->text(); }
  virtual void run() = 0;

 Q_SIGNALS:
  void openRequested(const shardscope::Experiment& experiment);

 protected:
  // `start`: the job's button; `what`: what the empty chart says. What the page is for stands above the form.
  StudyPanel(const QString& start, const QString& what, QWidget* parent);
  void place(QLayout* form, int chart_share, int table_share);
  void sayPurpose(const QString& text);
  void showError(const QString& text);  // empty: none
  void showVerdict(const QString& text, const QStringList& whole);
  virtual void open(const QTreeWidgetItem* item) = 0;

  // Runs study(execution, stop) -> Result<Answer>, `Execution` with `progress` and `partial`; show(answer)
  // for what there is so far and at the end, said(answer) is the job's last word.
  template <class Execution, class Study, class Show, class Said>
  void begin(const QString& meanwhile, Study study, Show show, Said said) {
    job_->begin();
    chart_->setPicture({});
    chart_->setMessage(meanwhile, false);
    work_.startReporting(
        [this, study = std::move(study), show](std::stop_token stop, auto post) {
          Execution execution;
          execution.progress = [this, post](const std::string& what, double fraction) {
            post(
                [this, text = QString::fromStdString(what), fraction] { job_->setProgress(text, fraction); });
          };
          execution.partial = [post, show](const auto& so_far) { post([show, so_far] { show(so_far); }); };
          return study(execution, stop);
        },
        [this, show, said = std::move(said)](const auto& answer) {
          if (answer.ok()) {
            show(*answer);
            return job_->end(said(*answer));
          }
          const QString reason = in_window(answer.error());
          job_->end(reason, true);
          chart_->setMessage(reason, true);
        });
  }

  QLabel *purpose_, *error_, *verdict_;
  JobBar* job_;
  PictureCanvas* chart_;
  QTreeWidget* table_;

 private:
  float scale_ = 0;  // that the columns fit
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
