// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/machine/large_pages.h"
#include "engine/schedule/events/calendar.h"

namespace shardscope::inline scheduler {

// A request that waits, by what it differs in from others of its step of a collective.
struct WaitingOne {
  uint64_t source_chunk = 0, slot_flight = 0;
  WaitingOne() = default;
  explicit WaitingOne(const LaneRequest& of)
      : source_chunk(static_cast<uint64_t>(of.source) << 32 | static_cast<uint32_t>(of.chunk)),
        slot_flight(static_cast<uint64_t>(of.slot) << 32 | static_cast<uint32_t>(of.flight)) {}
  bool before(const WaitingOne& o) const {
    return source_chunk != o.source_chunk ? source_chunk < o.source_chunk : slot_flight < o.slot_flight;
  }
  static WaitingOne behind_all() {
    WaitingOne out;
    out.source_chunk = out.slot_flight = UINT64_MAX;
    return out;
  }
};

// Where the queues of all lanes keep what does not fit into themselves: arrays by the power of two that is
// their size, side by side, so that few pages hold them.
class LaneStore {
 public:
  WaitingOne* take(unsigned power);
  void give_back(WaitingOne* array, unsigned power) { spare_[power].push_back(array); }

 private:
  std::vector<std::vector<WaitingOne, LargePages<WaitingOne>>> blocks_;
  size_t used_ = 0;  // of the last block
  std::array<std::vector<WaitingOne*>, 32> spare_;
};

// Requests that wait for a lane, the first by (ready, source, work, step, chunk, slot) in front.
//
// Those of one step of a collective, which fill a queue, are kept by what they differ in alone. As links take
// them in order, they come in a few runs that are in order already, so a queue is that many runs, of which it
// looks at first and last only; what fits none of them goes to a heap. Other requests that come among them
// make all of them words of their own (Any).
class LaneQueue {
 public:
  bool empty() const { return count_ == 0 && (any_ == nullptr || any_->empty()); }
  void push(const LaneRequest& request, LaneStore& store) {
    if (any_ != nullptr && !any_->empty()) return push_any(request);
    const bool passes = request.kind == LaneRequest::Kind::transfer;
    if (count_ == 0 && passes) like_ = Like(request);
    if (!passes || !(like_ == Like(request))) return push_unlike(request);
    insert(One(request), store);
  }
  LaneRequest front(int32_t lane) const { return count_ > 0 ? request_of(first(), lane) : any_->front(); }
  LaneRequest pop(int32_t lane);
  // Fetches ahead what push and pop look at.
  [[gnu::always_inline]] void fetch() const {
    for (size_t line = 0; line < sizeof(LaneQueue) / 64; ++line)
      __builtin_prefetch(reinterpret_cast<const char*>(this) + 64 * line);
  }

 private:
  static constexpr size_t kRuns = 4;
  using One = WaitingOne;
  // What requests have alike; WaitingOne is in what they differ.
  struct Like {
    Picoseconds ready = 0;
    int32_t work = 0, step = 0, run = 0, next = 0;
    Like() = default;
    explicit Like(const LaneRequest& of)
        : ready(of.ready), work(of.work), step(of.step), run(of.run), next(of.next) {}
    bool operator==(const Like&) const = default;
  };
  // What stands behind the first of a run, round a ring of as many places as a power of two says.
  struct Run {
    One* all = nullptr;  // of the store
    uint32_t begin = 0, count = 0;
  };
  // Of the runs that it may follow the one that ends last; an empty one where there is no other; kRuns: none.
  size_t run_for(const One& one) const {
    size_t run = kRuns;
    for (size_t r = 0; r < kRuns; ++r) {
      if (!one.before(lasts_[r]) && (run == kRuns || lasts_[run].before(lasts_[r]))) run = r;
    }
    return run;
  }
  size_t least() const {
    const size_t a = firsts_[1].before(firsts_[0]) ? 1 : 0;
    const size_t b = firsts_[3].before(firsts_[2]) ? 3 : 2;
    return firsts_[b].before(firsts_[a]) ? b : a;
  }
  const One& first() const {
    const One& of_runs = firsts_[least()];
    return heap_ != nullptr && !heap_->empty() && heap_->front().before(of_runs) ? heap_->front() : of_runs;
  }
  LaneRequest request_of(const One& one, int32_t lane) const;
  void insert(const One& one, LaneStore& store);
  One take();
  void append(size_t run, const One& one, LaneStore& store);
  void push_unlike(const LaneRequest& request);
  void push_any(const LaneRequest& it);

  alignas(64) Like like_;
  uint32_t count_ = 0;                 // of ones
  std::array<uint8_t, kRuns> room_{};  // of the runs, as powers of two
  std::unique_ptr<std::vector<One>> heap_;
  std::unique_ptr<std::vector<LaneRequest>> any_;  // a heap; empty while there are ones
  // Of a run that is empty: behind all, before all.
  alignas(64) std::array<One, kRuns> firsts_{One::behind_all(), One::behind_all(), One::behind_all(),
                                             One::behind_all()};
  std::array<One, kRuns> lasts_;
  std::array<Run, kRuns> runs_;
};

}  // namespace shardscope::inline scheduler
