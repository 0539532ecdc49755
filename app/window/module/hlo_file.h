// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QTimer>

#include "app/window/document/background.h"
#include "app/window/module/hlo_edits.h"

namespace shardscope::inline window {

// A module's text, whatever the form of its file (engine/program/forms).
Result<IndexedTextPtr> read_module_text(const QString& path);

// The module that is open as a document: what it is called, the file it is of, whether that lacks edits. A
// large one is read beside the GUI thread.
class HloFile : public QObject {
  Q_OBJECT
 public:
  explicit HloFile(HloEdits& edits, QObject* parent = nullptr);
  // Error: it cannot be read. Of a large file that is told later.
  Result<void> open(const QString& path);
  void openText(const QString& text, const QString& name);
  Result<void> save(const QString& path);  // it is its file then
  void cancel();                           // of reading

  const QString& name() const { return name_; }
  const QString& path() const { return path_; }  // "": of no file
  bool isOfText() const;                         // not of a binary file, whose text is never written over it
  IndexedTextPtr text() const { return edits_.texts().text(); }  // as it is now
  bool modified() const;
  const IndexedTextPtr& before() const {
    return before_;
  }  // as it was opened, or saved last; null: nothing yet
  bool busy() const { return busy_; }

  // For the journal: the text, or its file and the lines that were changed.
  QJsonObject state() const;
  void restore(const QJsonObject& state);

 Q_SIGNALS:
  void replacing();  // another module is on its way in
  void takesLong(const QString& name);
  void failed(const shardscope::Error& error);
  void changed();  // its name, its file, or whether that lacks edits

 private:
  struct Opening {
    QString name, path;
    QJsonObject state;  // to be gone on with; empty: none
  };
  void load(const QString& path, const Opening& as);
  void take(const IndexedTextPtr& text, const Opening& as);

  HloEdits& edits_;
  QString name_, path_;
  IndexedTextPtr before_;
  bool busy_ = false;
  Background reading_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
