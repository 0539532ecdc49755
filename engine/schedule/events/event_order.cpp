// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/event_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/machine/large_pages.h"

namespace shardscope::inline scheduler {

void EventOrder::expect(int64_t events) {
  events_.reserve(static_cast<size_t>(events));
  prefer_large_pages(events_.data(), events_.capacity() * sizeof(Event));
}

void EventOrder::begin(Picoseconds start) {
  seal();
  if (start < start_) by_time_ = false;
  start_ = start;
}

// The events that start together are all there.
void EventOrder::seal() {
  if (!in_order_) sort_together();
  if (!places_.empty()) {
    while (places_.size() < events_.size()) places_.push_back(static_cast<int32_t>(places_.size()));
    for (size_t i = begin_; i < events_.size(); ++i)
      if (events_[i].cause >= 0) events_[i].cause = places_[static_cast<size_t>(events_[i].cause)];
  }
  begin_ = events_.size();
  in_order_ = true;
}

// By device in one go, then what is left of each.
void EventOrder::sort_together() {
  const size_t count = events_.size() - begin_;
  const Event* const events = events_.data() + begin_;
  if (places_.empty()) {
    places_.reserve(events_.capacity());
    places_.resize(begin_);
    std::iota(places_.begin(), places_.end(), 0);
  }
  order_.resize(count);
  const auto before = [&](int32_t a, int32_t b) {
    if (comes_before(events[a], events[b])) return true;
    return a < b && !comes_before(events[b], events[a]);
  };
  if (count < static_cast<size_t>(devices_) / 4) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), before);
  } else {
    first_.assign(static_cast<size_t>(devices_) + 1, 0);
    for (size_t i = 0; i < count; ++i) ++first_[static_cast<size_t>(events[i].device) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    for (size_t i = 0; i < count; ++i)
      order_[static_cast<size_t>(first_[static_cast<size_t>(events[i].device)]++)] = static_cast<int32_t>(i);
    for (size_t d = 0; d < static_cast<size_t>(devices_); ++d) {
      const int32_t from = d == 0 ? 0 : first_[d - 1];
      if (first_[d] - from > 1) std::sort(order_.begin() + from, order_.begin() + first_[d], before);
    }
  }
  moved_.assign(events, events + count);
  places_.resize(events_.size());
  for (size_t i = 0; i < count; ++i) {
    const auto from = static_cast<size_t>(order_[i]);
    events_[begin_ + i] = moved_[from];
    places_[begin_ + from] = static_cast<int32_t>(begin_ + i);
  }
}

void EventOrder::sort_all() {
  std::vector<int32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
    const Event& one = events_[static_cast<size_t>(a)];
    const Event& other = events_[static_cast<size_t>(b)];
    return one.start != other.start ? one.start < other.start : comes_before(one, other);
  });
  std::vector<int32_t> place(events_.size());
  std::vector<Event> sorted;
  sorted.reserve(events_.size());
  for (const int32_t i : order) {
    place[static_cast<size_t>(i)] = static_cast<int32_t>(sorted.size());
    sorted.push_back(events_[static_cast<size_t>(i)]);
  }
  for (Event& event : sorted)
    if (event.cause >= 0) event.cause = place[static_cast<size_t>(event.cause)];
  events_ = std::move(sorted);
  if (places_.empty()) {
    places_ = std::move(place);
  } else {
    for (int32_t& at : places_) at = place[static_cast<size_t>(at)];
  }
}

std::vector<Event> EventOrder::finish() {
  seal();
  if (!by_time_) sort_all();
  return std::move(events_);
}

}  // namespace shardscope::inline scheduler
