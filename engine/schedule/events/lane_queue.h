// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/schedule/events/calendar.h"

namespace shardscope {

// Requests that wait for a lane, the first by (ready, source, work, step, chunk, slot) in front.
class LaneQueue {
 public:
  bool empty() const { return all_.empty(); }
  void push(const LaneRequest& request) {
    all_.emplace_back();
    rise(all_.size() - 1, Waiting(request));
  }
  LaneRequest front(int32_t lane) const { return all_.front().request(lane); }
  LaneRequest pop(int32_t lane);
  // Fetch ahead what front reads, then what pop does.
  void fetch_front() const { __builtin_prefetch(all_.data()); }
  void fetch_next() const {
    __builtin_prefetch(all_.data() + 2);
    __builtin_prefetch(all_.data() + 4);
    __builtin_prefetch(&all_.back());
  }

 private:
  // A request in the words by which it is compared, and few more.
  struct Waiting {
    Picoseconds ready = 0;
    uint64_t source_work = 0, step_chunk = 0;
    int32_t slot = 0;
    int32_t run = 0, next = 0;
    int32_t flight = 0;  // or kComputes
    Waiting() = default;
    explicit Waiting(const LaneRequest& of);
    LaneRequest request(int32_t lane) const;
    bool before(const Waiting& o) const {
      if (ready != o.ready) return ready < o.ready;
      if (source_work != o.source_work) return source_work < o.source_work;
      return step_chunk != o.step_chunk ? step_chunk < o.step_chunk : slot < o.slot;
    }
  };
  static constexpr int32_t kComputes = -2;
  static constexpr size_t kBranches = 4;
  void rise(size_t at, const Waiting& it) {
    for (; at > 0 && it.before(all_[(at - 1) / kBranches]); at = (at - 1) / kBranches)
      all_[at] = all_[(at - 1) / kBranches];
    all_[at] = it;
  }

  std::vector<Waiting> all_;  // a heap
};

}  // namespace shardscope
