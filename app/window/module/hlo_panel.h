// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QSplitter>
#include <QWidget>

#include "app/window/document/workbench.h"
#include "app/window/module/hlo_file.h"
#include "app/window/module/hlo_selector.h"
#include "app/window/module/hlo_stages.h"
#include "app/window/module/hlo_status.h"
#include "app/window/module/hlo_work.h"

namespace shardscope::inline window {

// A module as HLO text beside what the partitioner makes of it, line to line; its collectives and why they
// are there; shardings that are edited in place. The text is read again after every pause. Typing, edits of
// shardings and options share one undo.
class HloPanel : public QWidget {
  Q_OBJECT
 public:
  explicit HloPanel(Workbench& bench, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);

  void openPreset(const QString& name);
  void paste();  // the clipboard's text, as a module
  void run();    // executes and proves the module and shows the run; opens a preset when there is none
  void find() { texts_->find(); }

  HloFile& file() { return file_; }
  QUndoStack& undoStack() { return edits_.stack(); }
  QJsonObject state() const;  // the module, and the run that proved it
  void restore(const QJsonObject& state);
  bool busy() const { return reader_.busy() || proof_.busy() || file_.busy(); }
  const HloReadingPtr& reading() const { return reading_; }  // to be kept by who works on it
  // What the shown text gives; null: nothing yet. Behind while busy() or while there is a problem.
  const ExplainedModule* explained() const { return reading_ ? &reading_->explained : nullptr; }
  QString partitionedText() const;
  QComboBox* presets() { return presets_; }
  JobBar* job() { return status_->job(); }

 Q_SIGNALS:
  void requested(const QString& command);  // of the window, by its id: files are the window's
  void stateChanged();                     // that is kept with the window's

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectWork();
  void forget();
  void read();
  void execute();
  Result<void> setSharding(const QString& instruction, const QString& text);

  Workbench& bench_;
  QComboBox* presets_;
  HloOptionsForm* options_;
  HloStatus* status_;
  HloTexts* texts_;
  HloStages* stages_;
  HloTables* tables_;
  HloShardingBox* sharding_;
  HloOutline* outline_;
  QSplitter *split_, *upper_, *lower_;
  HloEdits edits_;
  HloSelector selector_;
  HloFile file_;
  HloReadingPtr reading_;
  std::optional<ShownState> restoring_;  // the run that proved it, when it has been read
  bool low_ = false;  // little height: texts and tables side by side, the sharding among the tables
  bool run_when_read_ = false;
  HloReader reader_;
  HloProof proof_;
  HloCheck check_;
};

}  // namespace shardscope::inline window
