// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/numbered_events.h"

#include <algorithm>
#include <string>

#include "engine/run/trace_order.h"
#include "engine/trace/blocks/event_numbers.h"

namespace shardscope {
namespace {

constexpr size_t kMostEventsKept = 1 << 16;

}  // namespace

Result<std::unique_ptr<NumberedEvents>> NumberedEvents::of(const Database& db, int64_t run,
                                                           const EventBounds& bounds,
                                                           std::map<int64_t, LaneKey> lanes,
                                                           Permutations permutations) {
  TRY(Statement pieces, db.prepare("SELECT rows FROM event_number WHERE run = ? AND first_number <= ?"
                                   " ORDER BY first_number DESC"));
  TRY(Statement row, db.prepare(std::string("SELECT ") + kOwnEventColumns + ", " + kPermutationColumns +
                                " FROM event WHERE id = ?"));
  std::unique_ptr<NumberedEvents> out(new NumberedEvents(db, run, bounds, std::move(pieces), std::move(row)));
  out->lanes_ = std::move(lanes);
  out->permutations_ = std::move(permutations);
  return out;
}

Result<Event> NumberedEvents::event(int32_t number) {
  if (const auto known = kept_.find(number); known != kept_.end()) return known->second;
  TRY(const Event found, find(number));
  if (kept_.size() >= kMostEventsKept) kept_.clear();
  kept_.emplace(number, found);
  return found;
}

Result<int32_t> NumberedEvents::device_of(const SharedNumber& shared, int32_t timeline,
                                          int32_t number) const {
  if (!shared.permutation) return shared.offset == number ? timeline : -1;
  if (shared.offset < 0 || shared.offset > number) return -1;
  TRY(Statement devices,
      db_.prepare("SELECT device FROM permutation WHERE run = ? AND id = ? AND value = ?"));
  devices.bind_all(run_, *shared.permutation, number - shared.offset);  // the modulus exceeds every number
  TRY(const bool found, devices.step());
  return found ? devices.integer32(0) : -1;
}

Result<std::optional<Event>> NumberedEvents::event_in(int32_t row, int32_t number, Picoseconds& start) {
  const int64_t id = (lanes_.empty() ? 0 : lanes_.begin()->first) + row;
  const ResetAtEnd reset{row_};
  row_.bind_all(id);
  TRY(const bool there, row_.step());
  const auto behind = lanes_.upper_bound(id);
  if (!there || behind == lanes_.begin()) return damaged_run(db_, run_, "event numbers");
  const EventRow found = event_row(row_);
  start = found.event.start;
  const auto [timeline, lane] = std::prev(behind)->second;
  TRY(const int32_t device, device_of(found.number, timeline, number));
  if (device < 0) return std::optional<Event>();
  if (device >= bounds_.devices) return damaged_run(db_, run_, "device numbers");
  TRY(const DevicePermutations* numbers, permutations_(device));
  const std::optional<Event> event = event_of(found, device, lane, *numbers, bounds_);
  if (!event) return damaged_run(db_, run_, "event " + std::to_string(number));
  return event;
}

// Numbers ascend with the start. A shared row stands under its smallest number, and all its events start
// together; so the row sought is among those that start when the last one under `number` or less does.
Result<Event> NumberedEvents::find(int32_t number) {
  const ResetAtEnd reset{pieces_};
  pieces_.bind_all(run_, number);
  std::optional<Picoseconds> start;
  while (true) {
    TRY(const bool more, pieces_.step());
    if (!more) return no_such_event(number, bounds_.events);
    std::vector<NumberedRow> rows;
    if (!read_numbers(pieces_.blob(0), rows)) return damaged_run(db_, run_, "event numbers");
    auto row = std::upper_bound(rows.begin(), rows.end(), number,
                                [](int32_t n, const NumberedRow& r) { return n < r.number; });
    while (row != rows.begin()) {
      --row;
      Picoseconds here = 0;
      TRY(const std::optional<Event> event, event_in(row->row, number, here));
      if (event) return *event;
      if (here != start.value_or(here)) return no_such_event(number, bounds_.events);
      start = here;
    }
  }
}

}  // namespace shardscope
