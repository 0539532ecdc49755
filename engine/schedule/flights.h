// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/schedule/collective_run.h"
#include "engine/schedule/events/moment.h"

namespace shardscope::inline scheduler {

// A message at a link: when its head is there, the device whose link it is, and what the link asks of it.
struct alignas(64) Flight {
  Moment head;
  int32_t at = 0;      // a device
  int32_t target = 0;  // a rank
  int32_t count = 0;   // of chunks
  int32_t direction = 0;
  Flight() = default;
  Flight(const Moment& is_there, int32_t device, const Cell& cell)
      : head(is_there), at(device), target(cell.target), count(cell.count), direction(cell.direction) {}
};
static_assert(sizeof(Flight) == 64, "one cache line");

// The messages on their way beyond their first link, by number.
class Flights {
 public:
  // Whether links are not all alike: then the end of a message may come later than its head says.
  explicit Flights(bool keeps_tails) : keeps_tails_(keeps_tails) {}
  const Flight& operator[](int32_t number) const { return all_[static_cast<size_t>(number)]; }
  // When its end has left the link before.
  const Moment& tail(int32_t number) const { return tails_[static_cast<size_t>(number)]; }
  int32_t add(const Flight& flight, const Moment& tail) {
    if (spare_.empty()) {
      spare_.push_back(static_cast<int32_t>(all_.size()));
      all_.emplace_back();
      if (keeps_tails_) tails_.emplace_back();
    }
    const int32_t number = spare_.back();
    spare_.pop_back();
    all_[static_cast<size_t>(number)] = flight;
    if (keeps_tails_) tails_[static_cast<size_t>(number)] = tail;
    return number;
  }
  void remove(int32_t number) { spare_.push_back(number); }

 private:
  bool keeps_tails_;
  std::vector<Flight, LargePages<Flight>> all_;
  std::vector<Moment> tails_;
  std::vector<int32_t> spare_;
};

}  // namespace shardscope::inline scheduler
