// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/loader.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/base/machine/large_pages.h"
#include "engine/base/machine/memory_limit.h"
#include "engine/schedule/schedule.h"
#include "engine/trace/run_columns.h"

namespace shardscope::inline trace {
namespace {

constexpr int64_t kMaxEvents = int64_t{1} << 31;
constexpr int64_t kLeastRowBytes = 20;  // of a row of `event`: its header alone has 19

Result<void> read_devices(const Database& db, int64_t id, const Timeline& timeline, StoredParts& parts) {
  TRY(Statement devices,
      db.prepare("SELECT device, timeline, memory FROM device_timeline WHERE run = ? ORDER BY device"));
  devices.bind_all(id);
  while (true) {
    TRY(const bool more, devices.step());
    if (!more) break;
    if (devices.integer(0) != static_cast<int64_t>(parts.devices.size()))
      return damaged_run(db, id, "device numbers");
    parts.devices.push_back({devices.integer32(1), devices.integer32(2)});
  }
  if (static_cast<int64_t>(parts.devices.size()) != timeline.devices)
    return damaged_run(db, id, "number of devices");
  if (!timeline.totals.empty() && timeline.totals.size() != parts.devices.size())
    return damaged_run(db, id, "totals of devices");
  return {};
}

Result<void> read_lanes(const Database& db, int64_t id, const Timeline& timeline, StoredParts& parts) {
  TRY(Statement lanes, db.prepare("SELECT timeline, lane, first_event, event_count FROM lane WHERE run = ?"));
  TRY(Statement ends, db.prepare("SELECT count(*) FROM event WHERE id = ? OR id = ?"));
  TRY(const int64_t bytes,
      db.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
  lanes.bind_all(id);
  while (true) {
    TRY(const bool more, lanes.step());
    if (!more) return {};
    const LaneRows rows{lanes.integer32(1), lanes.integer(2), lanes.integer(3)};
    if (rows.lane < 0 || static_cast<size_t>(rows.lane) >= timeline.lanes.size() || rows.first < 0 ||
        rows.count < 0 || rows.count > kMaxEvents ||
        rows.first > std::numeric_limits<int64_t>::max() - rows.count)
      return damaged_run(db, id, "lanes");
    ends.bind_all(rows.first, rows.first + rows.count - 1);
    TRY(const bool counted, ends.step());
    if (!counted || ends.integer(0) != std::min<int64_t>(rows.count, 2) ||
        rows.count > bytes / kLeastRowBytes)
      return damaged_run(db, id, "events are missing");
    ends.reset();
    parts.lanes[lanes.integer32(0)].push_back(rows);
  }
}

Result<void> count_parts(const Database& db, int64_t id, StoredParts& parts) {
  std::map<int32_t, int64_t> buffers;  // by memory profile
  TRY(Statement counts, db.prepare("SELECT memory, count(*) FROM buffer WHERE run = ? GROUP BY memory"));
  counts.bind_all(id);
  while (true) {
    TRY(const bool more, counts.step());
    if (!more) break;
    buffers[counts.integer32(0)] = counts.integer(1);
  }
  for (const StoredParts::Device& device : parts.devices) {
    if (const auto lanes = parts.lanes.find(device.timeline); lanes != parts.lanes.end())
      for (const LaneRows& rows : lanes->second) parts.events += rows.count;
    if (const auto count = buffers.find(device.memory); count != buffers.end())
      parts.buffers += count->second;
    if (parts.events > kMaxEvents || parts.buffers > kMaxEvents)
      return damaged_run(db, id, "number of events");
  }
  TRY(Statement kept, db.prepare("SELECT events_kept FROM run WHERE id = ?"));
  kept.bind_all(id);
  TRY(const bool found, kept.step());
  if (!found || kept.integer(0) != parts.events) return damaged_run(db, id, "number of events");
  const double wanted = static_cast<double>(parts.events) * sizeof(Event) +
                        static_cast<double>(parts.buffers) * sizeof(BufferLife);
  return require_memory(wanted, "run " + std::to_string(id), "open it on a larger machine", db.path());
}

Result<void> load_memory(const Database& db, int64_t id, int32_t device, int32_t shared,
                         const DevicePermutations& permutations, Timeline& timeline) {
  TRY(Statement points,
      db.prepare("SELECT time, bytes FROM memory_point WHERE run = ? AND memory = ? ORDER BY place"));
  points.bind_all(id, shared);
  while (true) {
    TRY(const bool more, points.step());
    if (!more) break;
    if (timeline.memory.empty()) return damaged_run(db, id, "memory of a run without");
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
    if (place < 0 || place >= static_cast<int64_t>(timeline.buffers.size()))
      return damaged_run(db, id, "buffer place");
    timeline.buffers[static_cast<size_t>(place)] = {device, buffers.integer32(0), buffers.integer(1),
                                                    buffers.integer(2), buffers.integer(3)};
  }
}

Result<void> load_timeline(const Database& db, int64_t id, const Loading& loading, const Program& program,
                           Timeline& timeline) {
  StoredParts parts;
  TRY_VOID(read_devices(db, id, timeline, parts));
  TRY_VOID(read_lanes(db, id, timeline, parts));
  TRY_VOID(count_parts(db, id, parts));
  TRY(Statement kept, db.prepare("SELECT memory_kept FROM run WHERE id = ?"));
  kept.bind_all(id);
  TRY(const bool found, kept.step());
  const int64_t memory_kept = found ? kept.integer(0) : 0;
  kept.reset();
  if (memory_kept != 0 && memory_kept != timeline.devices) return damaged_run(db, id, "memory");
  timeline.memory.resize(static_cast<size_t>(memory_kept));
  timeline.events.reserve(static_cast<size_t>(parts.events));
  prefer_large_pages(timeline.events.data(), timeline.events.capacity() * sizeof(Event));
  timeline.events.resize(static_cast<size_t>(parts.events));
  timeline.buffers.resize(static_cast<size_t>(parts.buffers));
  const EventBounds bounds{timeline.devices, parts.events, program.instruction_count(), timeline.total};
  TRY_VOID(load_events(db, id, parts, bounds, loading, timeline.events));
  for (int32_t device = 0; device < timeline.devices; ++device) {
    if (loading.stop.stop_requested()) return cancelled();
    const StoredParts::Device& stored = parts.devices[static_cast<size_t>(device)];
    TRY(const DevicePermutations permutations, DevicePermutations::read(db, id, device));
    TRY_VOID(load_memory(db, id, device, stored.memory, permutations, timeline));
  }
  TRY(Statement path, db.prepare("SELECT number FROM critical_event WHERE run = ? ORDER BY place"));
  path.bind_all(id);
  while (true) {
    TRY(const bool more, path.step());
    if (!more) return {};
    if (path.integer(0) < 0 || path.integer(0) >= parts.events) return damaged_run(db, id, "critical path");
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
    permutations.values_.emplace(rows.integer(0), std::pair(rows.integer(1), rows.integer(2)));
  }
}

int64_t DevicePermutations::number(int64_t offset, int64_t permutation) const {
  if (permutation < 0) return offset;
  const auto found = values_.find(permutation);
  if (found == values_.end()) return -1;
  const auto [value, modulus] = found->second;
  const auto inside = [limit = modulus](int64_t number) { return number >= 0 && number < limit; };
  if (modulus > kMaxEvents || !inside(value) || !inside(offset)) return -1;
  return (value + offset) % modulus;
}

Error damaged_run(const Database& db, int64_t id, const std::string& what) {
  return io_error("database: run " + std::to_string(id) + " is damaged: " + what, db.path(),
                  "restore the file from a copy");
}

bool complete(Event& event, int32_t device, int lane, const EventPeers& peers, const EventBounds& bounds) {
  const auto reference = [](int64_t number, int64_t end) { return number >= -1 && number < end; };
  event.device = device;
  event.lane = static_cast<int16_t>(lane);
  event.peer = static_cast<int32_t>(peers.peer);
  event.chunk = static_cast<int32_t>(peers.chunk);
  event.cause = static_cast<int32_t>(peers.cause);
  return event.start >= 0 && event.start <= event.end && event.end <= bounds.total &&
         event.kind <= EventKind::copy && event.instruction >= 0 && event.instruction < bounds.instructions &&
         reference(peers.peer, bounds.devices) && reference(peers.cause, bounds.events);
}

// A record has the program and the buffers that were made: what was in them follows. A product that has its
// own, beside the sum that it goes into, is a kernel's.
Result<void> make_contents(const Database& db, int64_t id, Run& run) {
  Timeline& timeline = run.timeline;
  if (timeline.buffers.empty()) return {};
  const Error damaged = damaged_run(db, id, "buffer of an instruction that makes none");
  if (run.program.computations.empty()) return damaged;
  const int32_t first = run.program.global_index(run.program.entry, InstructionId(0));
  std::vector<bool> own(run.program.entry_computation().instructions.size(), false);
  for (const BufferLife& life : timeline.buffers) {
    const int64_t place = int64_t{life.instruction} - first;
    if (place < 0 || place >= static_cast<int64_t>(own.size())) return damaged;
    own[static_cast<size_t>(place)] = true;
  }
  timeline.contents = buffer_contents(run.program, own);
  for (size_t place = 0; place < own.size(); ++place)
    if (own[place] && find_contents(timeline, first + static_cast<int32_t>(place)) == nullptr) return damaged;
  return {};
}

// A record has the program with the algorithm of each collective, and the chip: its schedules follow.
Result<void> make_schedules(Run& run) {
  auto schedules = plan_collectives(run.program, run.hardware, run.experiment.overrides, run.collective);
  if (!schedules.ok()) return {};  // of another version of the program, or made by hand: there are none
  run.timeline.schedules = *std::move(schedules);
  return {};
}

namespace {

using MadeRun = std::shared_ptr<Run>;

// In one transaction: a removal in between is seen whole or not at all.
Result<MadeRun> at_once(const Database& db, const std::function<Result<MadeRun>()>& read) {
  TRY_VOID(db.execute("BEGIN"));
  Result<MadeRun> run = read();
  TRY_VOID(db.execute("COMMIT"));
  return run;
}

}  // namespace

Result<RunPtr> load_outline(const Database& db, int64_t id) {
  TRY(const MadeRun run, at_once(db, [&] { return read_run(db, id); }));
  TRY_VOID(make_schedules(*run));
  return RunPtr(run);
}

Result<RunPtr> load_run(const Database& db, int64_t id, const Loading& loading) {
  const auto read = [&]() -> Result<MadeRun> {
    TRY(MadeRun run, read_run(db, id));
    TRY_VOID(load_timeline(db, id, loading, run->program, run->timeline));
    return run;
  };
  TRY(const MadeRun run, at_once(db, read));
  TRY_VOID(make_schedules(*run));
  TRY_VOID(make_contents(db, id, *run));
  return RunPtr(run);
}

}  // namespace shardscope::inline trace
