// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/machine/large_pages.h"
#include "engine/plan/memory.h"
#include "engine/plan/symmetry.h"
#include "engine/plan/work.h"
#include "engine/schedule/collective_run.h"
#include "engine/schedule/events/calendar.h"
#include "engine/schedule/events/lane_queue.h"
#include "engine/schedule/events/lockstep.h"
#include "engine/schedule/flights.h"
#include "engine/schedule/joint_calls.h"
#include "engine/schedule/lane_loads.h"
#include "engine/schedule/play_watch.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/routes.h"

namespace shardscope::inline scheduler {

// What a message takes on a link, as Moment::after adds it.
struct MessageSpans {
  int64_t bytes = -1;
  int32_t link_class = 0;
  const LinkPace* pace = nullptr;
  Moment passes, head, held;
  void set(const Fabric& fabric, int64_t bytes, int32_t link_class, const LinkPace* pace);
};

// Plays a WorkPlan on a Fabric, time after time: what ends at a time is passed on then, and when all of it
// has asked for its lanes, these choose. A lane that is free takes of the requests that wait for it the first
// by (ready time, source, instruction, step of the collective, chunk). What a device does in no time holds
// nobody up, so it waits for no lane: it is done when it is ready.
class Simulator {
 public:
  // `symmetry`: of each class one device is played, for all of it. `watch`: the works go on where others
  // ended, and it is told of it.
  Simulator(const WorkPlan& plan, const Fabric& fabric, bool overlap, EventRecorder& recorder,
            const Symmetry* symmetry, PlayWatch* watch = nullptr);
  // False: one device could not stand for its class, as a lane had to choose by what differs from device to
  // device.
  Result<bool> run(std::stop_token stop, const std::function<void(double)>& progress);
  // By work · devices + device, of the devices played, as Symmetry::played orders them.
  const std::vector<WorkSpan>& spans() const { return spans_; }
  // By work, of all devices.
  const std::vector<int64_t>& bytes_sent() const { return bytes_sent_; }

 private:
  friend class Locksteps;
  friend class JointCalls;
  // Of a lane for which nothing waits no more than the first cache line is looked at.
  struct LaneState {
    Moment free;               // when, and by what, it becomes free
    int32_t only = -1;         // in asks_: the only request, when none waits
    bool wakes = false;        // a wake at `free` is in the calendar
    bool touched = false;      // in touched_
    bool has_waiting = false;  // whether any are in `waiting`
    alignas(64) LaneQueue waiting;
    void wait_for(const LaneRequest& request, LaneStore& store) {
      waiting.push(request, store);
      has_waiting = true;
    }
    LaneRequest pop(int32_t number) {
      const LaneRequest first = waiting.pop(number);
      has_waiting = !waiting.empty();
      return first;
    }
  };
  size_t place(int32_t work, int32_t device) const {
    return static_cast<size_t>(work) * static_cast<size_t>(devices_) + static_cast<size_t>(played(device));
  }
  int32_t played(int32_t device) const { return symmetry_ == nullptr ? device : symmetry_->place(device); }
  void happen(const LaneRequest& event);
  void ready(int32_t work, int32_t device, const Moment& moment);
  void have_operand(int32_t work, int32_t device, const Moment& moment);
  void finish(int32_t work, int32_t device, const Moment& moment);
  void put_by(LaneRequest::Kind kind, int32_t work, int32_t device, const Moment& moment);
  LaneRequest& new_request();
  void ask(int32_t number);
  void serve_all();
  [[gnu::always_inline]] inline void fetch_ahead(size_t at) const;  // a call that only fetches is left out
  void serve(int32_t lane);
  void compute(const LaneRequest& request);
  void transfer(const LaneRequest& request);
  // `at`: the device whose link it is.
  int64_t record(const LaneRequest& request, const Flight& flight, const Moment& start, Picoseconds end);
  void pass_on(const LaneRequest& request, int32_t target, const Flight& flight, const Moment& tail);
  void deliver(const LaneRequest& request, CollectiveRun& run, const Flight& flight, Picoseconds start,
               const Moment& end);
  void arrive(const LaneRequest& request, int32_t target, const Moment& arrival);
  void route(LaneRequest& request, int32_t at, int32_t target, int direction) {
    const Route route = routes_.find(at, target, direction);
    const auto lanes = static_cast<size_t>(routes_.lane_count());
    if (lanes_.size() < lanes) lanes_.resize(lanes);
    request.lane = route.lane;
    request.next = route.next;
  }
  void take(int32_t work, int32_t run, const CollectiveRun::Ready& follows);

  const WorkPlan& plan_;
  const Fabric& fabric_;
  bool overlap_;
  EventRecorder& recorder_;
  const Symmetry* symmetry_;
  int32_t devices_;  // that are played
  bool chose_by_device_ = false;
  Calendar calendar_;
  Picoseconds now_ = 0;
  std::vector<LaneRequest> batch_;    // what happens now,
  std::vector<LaneRequest> asks_;     // and what asks for a lane by it
  bool serving_ = false;              // all that does so has: lanes choose
  std::vector<LaneRequest> at_once_;  // what takes no time: while it is done more may come
  Routes routes_;
  LaneLoads loads_;
  LaneStore store_;
  std::vector<LaneState, LargePages<LaneState>> lanes_;  // as routes_ numbers them
  std::vector<int32_t> touched_;                         // lanes to serve now
  // By place, of joins too:
  std::vector<int32_t> waiting_;                   // works and joins still waited for
  std::vector<Moment, LargePages<Moment>> ready_;  // the latest of them,
  std::vector<int32_t> ready_by_;                  // and the work that it is of: of equal ones the first
  std::vector<int32_t> reached_;                   // joins that are yet to be told of
  std::vector<Moment> to_come_;  // by number: of collectives, operands that are launched, and results
  std::vector<int32_t> spare_to_come_;
  std::vector<WorkSpan> spans_;
  std::vector<int64_t> bytes_sent_;
  std::vector<int32_t> first_run_;                    // by work
  std::vector<std::unique_ptr<CollectiveRun>> runs_;  // first_run_ + group; null: to come or done
  std::vector<std::unique_ptr<CollectiveRun>> spare_runs_;
  struct Begun {
    int32_t work = 0, run = 0;
  };
  std::vector<Begun> begun_;  // whose next steps are to be made now
  std::map<const CollectiveSchedule*, std::vector<int32_t>> last_steps_;  // those seen so far
  Flights flights_;
  MessageSpans message_;  // of the last one: messages of one size are the rule
  MessageSpans no_time_;
  Locksteps locksteps_;
  JointCalls calls_;
  int64_t finished_ = 0;
  PlayWatch* watch_ = nullptr;
};

}  // namespace shardscope::inline scheduler
