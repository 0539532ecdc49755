// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "engine/schedule/calendar.h"
#include "engine/schedule/collective_run.h"
#include "engine/schedule/recorder.h"
#include "engine/schedule/work.h"

namespace shardscope {

// When one piece of work begins and ends on one device.
struct Span {
  Picoseconds start = std::numeric_limits<Picoseconds>::max();
  Picoseconds end = 0;
};

// Plays a WorkPlan on a Fabric. A lane serves requests in the order (ready time, source, work, chunk).
// Requests are taken in that order from a calendar, and what follows from one is never earlier than it; so
// when a lane is next free is all that needs to be known of it, and an event's end is known when it starts.
class Simulator {
 public:
  Simulator(const WorkPlan& plan, const Fabric& fabric, bool overlap, Recorder& recorder);
  Result<void> run(std::stop_token stop, const std::function<void(double)>& progress);
  // By work · devices + device.
  const std::vector<Span>& spans() const { return spans_; }
  // By work, of all devices.
  const std::vector<int64_t>& bytes_sent() const { return bytes_sent_; }

 private:
  // A message between its first and its last link.
  struct Flight {
    Request request;
    int32_t at = 0;  // the device that it has come to
    Moment ready;
  };
  size_t place(int32_t work, int32_t device) const {
    return static_cast<size_t>(work) * static_cast<size_t>(fabric_.devices()) + static_cast<size_t>(device);
  }
  const Work& work(int32_t w) const { return plan_.works[static_cast<size_t>(w)]; }
  CollectiveRun& run_of(int32_t work, int32_t group);
  void ready(int32_t work, int32_t device, const Moment& moment);
  void finish(int32_t work, int32_t device, const Moment& moment);
  void compute(const Request& request);
  void transfer(const Request& request);
  void go_on(int32_t flight);
  void cross(const Request& request, const Cell& cell, int32_t at, const Moment& ready, bool relayed);
  CollectiveRun::Ready borrow();
  void take(int32_t work, int32_t run, CollectiveRun::Ready follows);
  void free_when_done(int32_t run);
  Moment& lane(const Hop& hop);

  const WorkPlan& plan_;
  const Fabric& fabric_;
  bool overlap_;
  Recorder& recorder_;
  Calendar calendar_;
  Picoseconds now_ = 0;
  std::vector<Moment> lanes_;                   // when each is free next: device · lanes + lane
  std::unordered_map<uint64_t, Moment> pairs_;  // a full mesh: by (source, target)
  std::vector<int32_t> waiting_;                // by place: works still waited for
  std::vector<Moment> ready_;                   // by place: the latest of them
  std::vector<Span> spans_;
  std::vector<int64_t> bytes_sent_;
  std::vector<int32_t> first_run_;                    // by work
  std::vector<std::unique_ptr<CollectiveRun>> runs_;  // first_run_ + group
  std::vector<Flight> flights_;
  std::vector<int32_t> spare_flights_;
  std::vector<CollectiveRun::Ready> spare_ready_;
  int64_t cost_bytes_ = -1;  // what link_cost_ is of: messages of one size are the rule
  Cost link_cost_;
  int64_t finished_ = 0;
};

}  // namespace shardscope
