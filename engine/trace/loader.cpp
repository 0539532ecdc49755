// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/loader.h"

#include <algorithm>

#include "engine/trace/run_columns.h"

namespace shardscope {
namespace {

Error damaged(const Database& db, int64_t id, const char* what) {
  return io_error("database: run " + std::to_string(id) + " is damaged: " + what, db.path(),
                  "restore the file from a copy");
}

Result<void> load_events(const Database& db, int64_t id, int32_t device, int32_t shared,
                         const DevicePermutations& permutations, std::vector<Event>& events) {
  TRY(Statement lanes,
      db.prepare("SELECT lane, first_event, event_count FROM lane WHERE run = ? AND timeline = ?"));
  TRY(Statement rows, db.prepare(std::string("SELECT ") + kEventColumnNames +
                                 " FROM event WHERE id >= ? AND id < ? ORDER BY id"));
  lanes.bind_all(id, shared);
  while (true) {
    TRY(const bool more, lanes.step());
    if (!more) return {};
    rows.bind_all(lanes.integer(1), lanes.integer(1) + lanes.integer(2));
    while (true) {
      TRY(const bool row, rows.step());
      if (!row) break;
      const int64_t number = permutations.number(rows, kNumberColumn);
      if (number < 0 || number >= static_cast<int64_t>(events.size())) return damaged(db, id, "event number");
      events[static_cast<size_t>(number)] = read_event(rows, device, lanes.integer32(0), permutations);
    }
    rows.reset();
  }
}

Result<void> load_memory(const Database& db, int64_t id, int32_t device, int32_t shared,
                         const DevicePermutations& permutations, Timeline& timeline) {
  TRY(Statement points,
      db.prepare("SELECT time, bytes FROM memory_point WHERE run = ? AND memory = ? ORDER BY place"));
  points.bind_all(id, shared);
  while (true) {
    TRY(const bool more, points.step());
    if (!more) break;
    timeline.memory.resize(static_cast<size_t>(timeline.devices));
    timeline.memory[static_cast<size_t>(device)].push_back({points.integer(0), points.integer(1)});
  }
  TRY(Statement buffers,
      db.prepare("SELECT instruction, bytes, start, end, place, place_permutation FROM buffer"
                 " WHERE run = ? AND memory = ? ORDER BY number"));
  buffers.bind_all(id, shared);
  while (true) {
    TRY(const bool more, buffers.step());
    if (!more) return {};
    const int64_t place = permutations.number(buffers, 4);
    if (place < 0 || place > int64_t{1} << 31) return damaged(db, id, "buffer place");
    if (timeline.buffers.size() <= static_cast<size_t>(place))
      timeline.buffers.resize(static_cast<size_t>(place) + 1);
    timeline.buffers[static_cast<size_t>(place)] = {device, buffers.integer32(0), buffers.integer(1),
                                                    buffers.integer(2), buffers.integer(3)};
  }
}

Result<void> load_timeline(const Database& db, int64_t id, Timeline& timeline) {
  TRY(Statement kept, db.prepare("SELECT events_kept FROM run WHERE id = ?"));
  kept.bind_all(id);
  TRY(const bool found, kept.step());
  const int64_t events = found ? kept.integer(0) : 0;
  if (events < 0 || events > int64_t{1} << 31) return damaged(db, id, "number of events");
  timeline.events.resize(static_cast<size_t>(events));
  TRY(Statement devices,
      db.prepare("SELECT device, timeline, memory FROM device_timeline WHERE run = ? ORDER BY device"));
  devices.bind_all(id);
  while (true) {
    TRY(const bool more, devices.step());
    if (!more) break;
    const int32_t device = devices.integer32(0);
    if (device < 0 || device >= timeline.devices) return damaged(db, id, "device number");
    TRY(const DevicePermutations permutations, DevicePermutations::read(db, id, device));
    TRY_VOID(load_events(db, id, device, devices.integer32(1), permutations, timeline.events));
    TRY_VOID(load_memory(db, id, device, devices.integer32(2), permutations, timeline));
  }
  TRY(Statement path, db.prepare("SELECT number FROM critical_event WHERE run = ? ORDER BY place"));
  path.bind_all(id);
  while (true) {
    TRY(const bool more, path.step());
    if (!more) return {};
    timeline.critical_path.events.push_back(path.integer32(0));
  }
}

}  // namespace

Result<DevicePermutations> DevicePermutations::read(const Database& db, int64_t run, int32_t device) {
  DevicePermutations permutations;
  TRY(Statement rows, db.prepare("SELECT id, value, modulus FROM permutation WHERE run = ? AND device = ?"));
  rows.bind_all(run, device);
  while (true) {
    TRY(const bool more, rows.step());
    if (!more) return permutations;
    permutations.values_.emplace(rows.integer(0),
                                 std::pair(rows.integer(1), std::max<int64_t>(1, rows.integer(2))));
  }
}

int64_t DevicePermutations::number(int64_t offset, int64_t permutation) const {
  if (permutation < 0) return offset;
  const auto found = values_.find(permutation);
  if (found == values_.end()) return -1;
  return (found->second.first + offset) % found->second.second;
}

Event read_event(const Statement& row, int32_t device, int lane, const DevicePermutations& permutations) {
  Event event;
  event.start = row.integer(0);
  event.end = row.integer(1);
  event.device = device;
  event.lane = static_cast<int16_t>(lane);
  event.kind = static_cast<EventKind>(row.integer32(2) & 3);
  event.relayed = (row.integer32(2) & 4) != 0;
  event.instruction = row.integer32(3);
  event.step = row.integer32(4);
  event.transfer_step = row.integer32(5);
  event.chunk_count = row.integer32(6);
  event.bytes = row.integer(7);
  event.flops = row.real(8);
  event.peer = static_cast<int32_t>(permutations.number(row, 11));
  event.chunk = static_cast<int32_t>(permutations.number(row, 13));
  event.cause = static_cast<int32_t>(permutations.number(row, 15));
  return event;
}

Result<RunPtr> load_run(const Database& db, int64_t id) {
  // One transaction: a removal in between is seen whole or not at all.
  TRY_VOID(db.execute("BEGIN"));
  auto run = read_run(db, id);
  if (run.ok()) {
    if (auto events = load_timeline(db, id, (*run)->timeline); !events.ok()) run = events.error();
  }
  TRY_VOID(db.execute("COMMIT"));
  if (!run.ok()) return run.error();
  return RunPtr(*run);
}

}  // namespace shardscope
