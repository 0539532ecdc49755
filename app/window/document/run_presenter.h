// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "app/window/document/background.h"
#include "app/window/document/clock.h"
#include "app/window/document/run_store.h"
#include "app/window/document/window_state.h"

namespace shardscope::inline window {

struct PreparedRuns {
  std::vector<ShownRunPtr> runs;
  ShownComparisonPtr comparison;  // of several
};

// Which run the clock shows of one subject. A run is read and traced beside the GUI thread, shown at once,
// and its story, which may take long, told there meanwhile; the newest wish wins. One of many events is shown
// as its record has it, by its levels of detail, while they are read. The user's own choice stays when the
// job that runs has finished.
class RunPresenter : public QObject {
  Q_OBJECT
 public:
  enum class Follow { best, newest, nothing };  // which run a finished job leaves on the canvases

  RunPresenter(Clock& clock, RunStore& runs, Subject subject, QObject* parent = nullptr);
  void show(int64_t id);
  void compare(const std::vector<int64_t>& ids);  // two or more, against the first
  bool preparing() const { return wanted_.has_value(); }
  bool reading() const { return reading_; }  // many events, or telling what they were
  void stop();                               // ends that; what is shown of the run stays

  void follow(Follow what);  // of a job that begins
  void arrived(int64_t id);  // one of its runs
  void ended();              // it has timed all its runs
  void renew(int64_t id);    // a run in memory is another one now, with numbers: the moment stays
  void showBest();
  void restore(const ShownState& state);  // the runs and the moment that were shown, and no other later
  void forget();
  // Runs were labelled otherwise, or are there no more: what is shown is shown as it is now.
  void again();

 Q_SIGNALS:
  void shown(qint64 id);
  void refused(const QString& reason);  // a run could not be shown
  void restored();                      // what restore() asked for is there, or cannot be had
  void readingChanged(bool on);
  void progress(const QString& what, double fraction);  // of the reading

 private:
  struct Wish {
    std::vector<int64_t> ids;       // several: to compare
    std::optional<Selection> at{};  // where the clock stood
    bool restoring = true;          // of a window that was left; else nobody is told of it
    bool operator==(const Wish&) const = default;
  };
  void present(const Wish& wish);
  void showUntold(const ShownRunPtr& untold);
  void goBack(Wish& wish);  // to the moment that it names, once
  void setReading(bool on);
  void take(const Result<PreparedRuns>& told);
  void refuse(const Wish& wish, const Error& error);

  Clock& clock_;
  RunStore& runs_;
  Subject subject_;
  Follow follow_ = Follow::best;
  bool first_ = false;  // of the job's runs none has arrived yet
  std::optional<Wish> wanted_;
  bool reading_ = false;
  Background preparing_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
