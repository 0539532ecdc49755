// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/numbered_events.h"

#include <algorithm>
#include <string>

#include "engine/run/trace_order.h"
#include "engine/trace/blocks/event_numbers.h"

namespace shardscope::inline trace {
namespace {

constexpr size_t kMostEventsKept = 1 << 16;
constexpr const char* kRowColumns =
    "start, end, kind, instruction, step, transfer_step, chunk_count, bytes, flops, number,"
    " number_permutation, peer, peer_permutation, chunk, chunk_permutation, cause, cause_permutation";

// A row of `event` without what differs from device to device.
Event event_of_row(const Statement& row) {
  Event out;
  out.start = row.integer(0);
  out.end = row.integer(1);
  out.kind = static_cast<EventKind>(row.integer32(2) & 3);
  out.relayed = (row.integer32(2) & 4) != 0;
  out.instruction = row.integer32(3);
  out.step = row.integer32(4);
  out.transfer_step = row.integer32(5);
  out.chunk_count = row.integer32(6);
  out.bytes = row.integer(7);
  out.flops = row.real(8);
  return out;
}

}  // namespace

Result<std::unique_ptr<NumberedEvents>> NumberedEvents::of(const Database& db, int64_t run,
                                                           const EventBounds& bounds,
                                                           std::map<int64_t, LaneKey> lanes,
                                                           Permutations permutations) {
  TRY(Statement pieces, db.prepare("SELECT rows FROM event_number WHERE run = ? AND first_number <= ?"
                                   " ORDER BY first_number DESC"));
  TRY(Statement row, db.prepare(std::string("SELECT ") + kRowColumns + " FROM event WHERE id = ?"));
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
  Event event = event_of_row(row_);
  start = event.start;
  const SharedNumber shared{row_.integer(9),
                            row_.is_null(10) ? std::nullopt : std::optional(row_.integer(10))};
  const auto [timeline, lane] = std::prev(behind)->second;
  TRY(const int32_t device, device_of(shared, timeline, number));
  if (device < 0) return std::optional<Event>();
  if (device >= bounds_.devices) return damaged_run(db_, run_, "device numbers");
  TRY(const DevicePermutations* numbers, permutations_(device));
  const EventPeers peers{numbers->number(row_, 11), numbers->number(row_, 13), numbers->number(row_, 15)};
  if (!complete(event, device, lane, peers, bounds_))
    return damaged_run(db_, run_, "event " + std::to_string(number));
  return std::optional(event);
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

}  // namespace shardscope::inline trace
