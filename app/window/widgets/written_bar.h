// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QToolBar>
#include <functional>

#include "app/window/settings/settings.h"
#include "engine/base/result.h"

namespace shardscope::inline window {

// A file that is to be written: what it is called, and what writes it.
struct NewFile {
  QString title;   // of the question where
  QString name;    // proposed
  QString filter;  // "Tables (*.csv)"
  std::function<Result<void>(const QString& path)> write;
};

// Says where a file was written, with its folder to open and its path to copy, until it is closed or another
// one is. One in each main window.
class WrittenBar : public QToolBar {
  Q_OBJECT
 public:
  explicit WrittenBar(Settings& settings, QWidget* parent = nullptr);
  void tell(const QString& path);
  const QString& path() const { return path_; }
  QString said() const { return text_->text(); }
  QPushButton* copyButton() { return copy_; }
  Settings& settings() const { return settings_; }

 private:
  Settings& settings_;
  QLabel* text_;
  QPushButton *folder_, *copy_;
  QString path_;
};

// Every export goes this way: asks where, beginning in the folder of the last file with that ending, writes,
// and says where it is in the bar of the window that `from` belongs to. Nothing happens when nobody answers.
Result<void> write_new_file(QWidget* from, const NewFile& file);

// The first of that alone, for a file that is written later; empty: nobody answered.
QString ask_for_new_file(QWidget* from, const NewFile& file);

// Where a file is to be written, under a name with `ending` when none is typed; empty: nobody answered.
// Before a file there is replaced the user is asked, once, about that very file.
QString ask_where(QWidget* from, const QString& title, const QString& proposed, const QString& filter,
                  const QString& ending);
// The same where nothing is replaced: a file there is added to.
QString ask_where_to_add(QWidget* from, const QString& title, const QString& proposed, const QString& filter,
                         const QString& ending);

void tell_written(QWidget* from, const QString& path);  // the same of a file that was written already

// The folder of the last file with `ending` that was opened or written; empty: none yet.
QString folder_of(const Settings& settings, const QString& ending);
void remember_folder(Settings& settings, const QString& path);

}  // namespace shardscope::inline window
