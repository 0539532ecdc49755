// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/lane_queue.h"

#include <algorithm>

namespace shardscope::inline scheduler {

namespace {

// Heaps of what is told by before(), the first in front.
constexpr size_t kBranches = 4;

template <class T>
void push_heap(std::vector<T>& all, const T& it) {
  all.emplace_back();
  size_t at = all.size() - 1;
  for (; at > 0 && it.before(all[(at - 1) / kBranches]); at = (at - 1) / kBranches)
    all[at] = all[(at - 1) / kBranches];
  all[at] = it;
}

template <class T>
T pop_heap(std::vector<T>& all) {
  const T first = all.front();
  const T last = all.back();
  all.pop_back();
  const size_t count = all.size();
  // The hole goes down to where the last one fits.
  if (count == 0) return first;
  for (size_t hole = 0;;) {
    const size_t from = hole * kBranches + 1;
    size_t next = from;
    const size_t end = std::min(from + kBranches, count);
    for (size_t child = from + 1; child < end; ++child)
      if (all[child].before(all[next])) next = child;
    if (from >= count || !all[next].before(last)) {
      all[hole] = last;
      break;
    }
    all[hole] = all[next];
    hole = next;
  }
  return first;
}

}  // namespace

LaneRequest LaneQueue::request_of(const One& one, int32_t lane) const {
  LaneRequest out;
  out.ready = like_.ready;
  out.source = static_cast<int32_t>(one.source_chunk >> 32);
  out.work = like_.work;
  out.chunk = static_cast<int32_t>(one.source_chunk);
  out.lane = lane;
  out.run = like_.run;
  out.step = like_.step;
  out.slot = static_cast<int32_t>(one.slot_flight >> 32);
  out.next = like_.next;
  out.flight = static_cast<int32_t>(one.slot_flight);
  out.kind = LaneRequest::Kind::transfer;
  return out;
}

WaitingOne* LaneStore::take(unsigned power) {
  if (!spare_[power].empty()) {
    WaitingOne* const array = spare_[power].back();
    spare_[power].pop_back();
    return array;
  }
  constexpr size_t kLeast = size_t{1} << 8, kMost = size_t{1} << 17;
  const size_t size = size_t{1} << power;
  if (blocks_.empty() || used_ + size > blocks_.back().size()) {
    const size_t next = blocks_.empty() ? kLeast : std::min(2 * blocks_.back().size(), kMost);
    blocks_.emplace_back(std::max(next, size));
    used_ = 0;
  }
  used_ += size;
  return blocks_.back().data() + (used_ - size);
}

void LaneQueue::insert(const One& one, LaneStore& store) {
  ++count_;
  const size_t run = run_for(one);
  if (run < kRuns) return append(run, one, store);
  if (heap_ == nullptr) heap_ = std::make_unique<std::vector<One>>();
  push_heap(*heap_, one);
}

void LaneQueue::append(size_t number, const One& one, LaneStore& store) {
  lasts_[number] = one;
  if (firsts_[number].source_chunk == UINT64_MAX) {
    firsts_[number] = one;
    return;
  }
  Run& run = runs_[number];
  const uint32_t room = run.all == nullptr ? 0 : uint32_t{1} << room_[number];
  if (run.count == room) {
    const auto power = static_cast<uint8_t>(room == 0 ? 2 : room_[number] + 1);
    One* const more = store.take(power);
    for (uint32_t i = 0; i < run.count; ++i) more[i] = run.all[(run.begin + i) & (room - 1)];
    if (run.all != nullptr) store.give_back(run.all, room_[number]);
    run.all = more;
    run.begin = 0;
    room_[number] = power;
  }
  run.all[(run.begin + run.count++) & ((uint32_t{1} << room_[number]) - 1)] = one;
}

LaneQueue::One LaneQueue::take() {
  --count_;
  const size_t number = least();
  const One out = firsts_[number];
  if (heap_ != nullptr && !heap_->empty() && heap_->front().before(out)) return pop_heap(*heap_);
  Run& run = runs_[number];
  if (run.count == 0) {
    firsts_[number] = One::behind_all();
    lasts_[number] = One();
  } else {
    firsts_[number] = run.all[run.begin];
    run.begin = (run.begin + 1) & ((uint32_t{1} << room_[number]) - 1);
    --run.count;
  }
  return out;
}

LaneRequest LaneQueue::pop(int32_t lane) {
  return count_ > 0 ? request_of(take(), lane) : pop_heap(*any_);
}

// What differs from those that are here, or is no transfer.
void LaneQueue::push_unlike(const LaneRequest& request) {
  if (any_ == nullptr) any_ = std::make_unique<std::vector<LaneRequest>>();
  while (count_ > 0) push_any(request_of(take(), request.lane));
  push_any(request);
}

void LaneQueue::push_any(const LaneRequest& it) {
  push_heap(*any_, it);
}

}  // namespace shardscope::inline scheduler
