// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/trace/loader.h"

namespace shardscope::inline trace {

using LaneKey = std::pair<int32_t, int>;  // timeline or device, lane

// Finds a run's events by their numbers, and keeps some of those that were asked for: a picture names the
// same ones frame after frame.
class NumberedEvents {
 public:
  using Permutations = std::function<Result<const DevicePermutations*>(int32_t device)>;
  // `lanes`: by a lane's first row, without empty ones. `db` outlives it.
  static Result<std::unique_ptr<NumberedEvents>> of(const Database& db, int64_t run,
                                                    const EventBounds& bounds,
                                                    std::map<int64_t, LaneKey> lanes,
                                                    Permutations permutations);
  Result<Event> event(int32_t number);

 private:
  NumberedEvents(const Database& db, int64_t run, const EventBounds& bounds, Statement pieces, Statement row)
      : db_(db), run_(run), bounds_(bounds), pieces_(std::move(pieces)), row_(std::move(row)) {}
  Result<Event> find(int32_t number);
  // The row, counted from the run's first, when it holds the event `number`, else none; `start` becomes the
  // row's.
  Result<std::optional<Event>> event_in(int32_t row, int32_t number, Picoseconds& start);
  // The device of the timeline for which a row with `shared` has `number`; -1: none.
  Result<int32_t> device_of(const SharedNumber& shared, int32_t timeline, int32_t number) const;

  const Database& db_;
  int64_t run_;
  EventBounds bounds_;
  Statement pieces_, row_;
  std::map<int64_t, LaneKey> lanes_;
  Permutations permutations_;
  std::unordered_map<int32_t, Event> kept_;  // by number
};

}  // namespace shardscope::inline trace
