// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "app/window/document/language.h"
#include "app/window/document/run_presenter.h"

namespace shardscope::inline window {

// The runs of a job as they come: with their times first, then with their numbers.
class RunArrivals {
 public:
  RunArrivals(RunStore& runs, Clock& clock, RunPresenter& presenter)
      : runs_(runs), clock_(clock), presenter_(presenter) {}

  const std::set<int64_t>& proving() const { return proving_; }  // timed, their numbers on the way

  void timed(const RunPtr& run) {
    runs_.add(run);
    proving_.insert(*run->id);
    presenter_.arrived(*run->id);
  }
  void finished(const RunPtr& run) {
    if (proving_.erase(*run->id) == 0) {  // computed without numbers
      runs_.add(run);
      presenter_.arrived(*run->id);
    } else if (runs_.row(*run->id) != nullptr) {  // not deleted meanwhile
      runs_.add(run);
      presenter_.renew(*run->id);
    }
  }
  void withdrawn(const RunPtr& run) {
    proving_.erase(*run->id);
    runs_.forget(*run->id);
    const ShownRunPtr& shown = clock_.of(Subject::runs).run;
    if (shown && shown->run->id == run->id) presenter_.again();
  }
  QString cancelled() const {
    if (proving_.empty()) return "Cancelled; the runs that were finished stay.";
    const qsizetype all = std::ssize(runs_.current());
    return "Cancelled; the times of %1 are kept, %2 of them with numbers."_tr.arg(counted_tr(all, "run"))
        .arg(all - std::ssize(proving_));
  }
  void end() { proving_.clear(); }

 private:
  RunStore& runs_;
  Clock& clock_;
  RunPresenter& presenter_;
  std::set<int64_t> proving_;
};

}  // namespace shardscope::inline window
