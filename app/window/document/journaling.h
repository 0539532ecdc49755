// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/window/document/workbench.h"
#include "engine/session/journal.h"

namespace shardscope::inline window {

QString journal_folder();  // of the user's data

// Keeps what the window is in a journal: edits and runs at once, a moment or a view that moves at most four
// times a second. Gathering is this thread's, a millisecond at most; writing is the journal's own thread's.
class Journaling : public QObject {
  Q_OBJECT
 public:
  explicit Journaling(Workbench& bench, QObject* parent = nullptr);
  ~Journaling() override;

  Result<void> begin(const QString& folder);  // a journal of its own
  // Goes on as another window was, in the journal that it left; the own one stays when something is in it.
  // Error: another window was faster, or the runs' file is not there (the rest is).
  Result<void> restore(const QString& left);
  // No journal grows beyond it: then its oldest runs of earlier experiments go.
  void setMostBytes(int64_t most) { most_bytes_ = most; }
  // Whether docks hold edits that are in no file.
  void setHolds(std::function<bool()> holds) { holds_ = std::move(holds); }
  void later();            // something of a dock's or a page's state has changed
  void write();            // now; nothing where nothing has changed
  void end(bool discard);  // the window closes; `discard`: edits that its file lacks are not wanted
  const Journal* journal() const { return journal_.get(); }

 private:
  bool somethingInIt() const;  // that is in no file
  void letGo();
  void bound();

  Workbench& bench_;
  std::unique_ptr<Journal> journal_;
  QTimer soon_, later_;
  QByteArray written_;
  std::function<bool()> holds_;
  int64_t most_bytes_ = int64_t{1} << 30;
  bool saved_ = false;  // its runs are in a file
  Background bounding_;
};

}  // namespace shardscope::inline window
