// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <array>
#include <memory>

#include "app/window/document/background.h"
#include "app/window/document/workbench.h"
#include "app/window/widgets/job_bar.h"
#include "app/window/widgets/text_table_model.h"
#include "engine/session/profile/profile_beside.h"

namespace shardscope::inline window {

// A profile of a real run beside the simulation of its modules: where a step's time goes, what each
// instruction takes and takes longer than simulated, what would help. Read beside the GUI thread.
class ProfilePanel : public QWidget {
  Q_OBJECT
 public:
  explicit ProfilePanel(Workbench& bench, QWidget* parent = nullptr);
  void open(const QStringList& files);  // of one run: a file for each host or rank
  void setModule(const QString& path);  // the compiled one that was run; empty: what the profile holds
  const QStringList& files() const { return files_; }
  JobBar* job() { return job_; }
  void run();
  const ProfileBeside* shown() const { return shown_.get(); }
  QComboBox* chip() { return chip_; }
  QTabWidget* tabs() { return tabs_; }
  QString headline() const { return headline_->text(); }
  QString page() const;  // the whole as HTML
  void setTheme(const Theme& theme);
  QJsonObject state() const;               // what was opened
  void restore(const QJsonObject& state);  // read when somebody looks

 Q_SIGNALS:
  void filesRequested();   // to choose a profile
  void moduleRequested();  // to choose its module
  void htmlRequested();
  void kept();  // the trace is in the workspace

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  enum Table { overview, help, instructions, unmatched, reached, kTables };
  QLayout* makeForm();
  void makeTables();
  void show(std::shared_ptr<const ProfileBeside> beside);
  void refuse(const Error& error);
  void keep();
  void fit();

  Workbench& bench_;
  QStringList files_;
  QString module_;
  QComboBox* chip_;
  JobBar* job_;
  QLabel *headline_, *notes_;
  QTabWidget* tabs_;
  QToolButton *keep_, *save_;
  std::array<TextTableModel*, kTables> models_{};
  std::array<QTableView*, kTables> tables_{};
  std::shared_ptr<const ProfileBeside> shown_;
  bool asked_ = false;                      // the files were read, or are
  Background reading_work_, keeping_work_;  // last: their threads end first
};

}  // namespace shardscope::inline window
