// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/workbench.h"
#include "app/window/module/hlo_options.h"
#include "app/window/module/hlo_sharding_box.h"
#include "app/window/module/hlo_summary.h"
#include "app/window/module/hlo_tables.h"
#include "app/window/module/hlo_text_view.h"
#include "app/window/widgets/job_bar.h"
#include "engine/session/hlo_run.h"

namespace shardscope {

// A module as HLO text beside what the partitioner makes of it, line to line; its collectives and why they
// are there; shardings that are edited in place. The text is read again after every pause. Typing and edits
// of shardings share the text's undo.
class HloPanel : public QWidget {
  Q_OBJECT
 public:
  explicit HloPanel(Workbench& bench, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);

  Result<void> open(const QString& path);
  void openPreset(const QString& name);
  void openText(const QString& text, const QString& name);
  void paste();  // the clipboard's text, as a module
  void run();    // executes and proves the module and shows the run; opens a preset when there is none
  // Whether `text` was taken as the sharding of an instruction of the module.
  bool setSharding(const QString& instruction, const QString& text);
  void chooseSource(const QString& instruction);
  void chooseMade(const QString& instruction);
  void chooseCollective(int collective);

  bool busy() const { return reads_ || runs_; }
  // What the shown text gives; null: nothing yet. Behind while busy() or while there is a problem().
  const ExplainedModule* explained() const { return reading_ ? &reading_->explained : nullptr; }
  QString partitionedText() const { return made_->toPlainText(); }
  QString moduleName() const { return name_; }
  QString csv() const;
  QString problem() const { return problem_->isHidden() ? QString() : problem_->text(); }
  QString summary() const { return summary_->text(); }
  QComboBox* presets() { return presets_; }
  HloOptionsForm* options() { return options_; }
  HloTextView* source() { return source_; }
  HloTextView* made() { return made_; }
  LineLinkCanvas* links() { return links_; }
  HloTables* tables() { return tables_; }
  HloShardingBox* sharding() { return sharding_; }
  JobBar* job() { return job_; }

 Q_SIGNALS:
  void openRequested();  // a file dialog is the window's
  void saveRequested();
  void csvRequested();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Reading {
    ExplainedModule explained;
    QString made;  // the partitioned program's text
  };
  struct Chosen {
    QSet<QString> sources, made;
    QString shown;  // whose sharding is drawn
    int collective = -1;
  };

  QList<QWidget*> makeButtons();
  QWidget* makeTexts();
  void connectParts();
  void setLow(bool low);  // little height: texts and tables side by side, the sharding among the tables
  void forget();
  void readSoon();
  void readNow();
  void showReading(std::shared_ptr<const Reading> reading);
  void showProblem(const Error& error, bool in_text);
  void execute();
  void choose(const Chosen& chosen);
  void drawLinks();
  std::optional<ShardedArray> arrayOf(const QString& source) const;
  QStringList wordsOfSource(const QString& instruction) const;
  QStringList wordsOfMade(const QString& instruction) const;
  void followClock();
  void tellClock(const QString& made);

  Workbench& bench_;
  QComboBox* presets_;
  HloOptionsForm* options_;
  JobBar* job_;
  QLabel *summary_, *problem_, *source_title_, *made_title_;
  HloTextView *source_, *made_;
  LineLinkCanvas* links_;
  HloTables* tables_;
  HloShardingBox* sharding_;
  QSplitter *split_, *lower_;
  QTimer pause_, patience_;  // before reading what is typed; before a reading shows that it takes long
  QString name_, read_text_;
  std::shared_ptr<const Reading> reading_;
  Chosen chosen_;
  std::optional<int64_t> run_id_;  // of the run that is this reading executed
  bool low_ = false, reads_ = false, runs_ = false, run_when_read_ = false, telling_ = false;
  Background reading_work_, running_work_;  // last: their threads end first
};

}  // namespace shardscope
