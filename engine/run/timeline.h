// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/units.h"
#include "engine/hardware/lane.h"
#include "engine/mesh/mesh.h"
#include "engine/run/timed_collective.h"

namespace shardscope::inline run {

enum class EventKind : uint8_t { compute, transfer, copy };

// One piece of work on one lane of one device, [start, end). A transfer over several hops is one event on the
// source's first link; `hops` says how many links it crosses and `relayed` events (below) hold the others.
struct Event {
  Picoseconds start = 0;
  Picoseconds end = 0;
  int32_t device = 0;  // logical id; of a transfer the source (of a relayed hop: whose link it is)
  int16_t lane = 0;    // place in Timeline::lanes
  EventKind kind = EventKind::compute;
  bool relayed = false;     // a further hop of a transfer
  int32_t instruction = 0;  // Program::global_index
  int32_t step = -1;        // the program's step
  int32_t transfer_step = -1;
  int32_t peer = -1;   // final target of a transfer
  int32_t chunk = -1;  // first chunk of the collective's array, and how many travel
  int32_t chunk_count = 0;
  int32_t cause = -1;  // the event whose end let this one start (place in Timeline::events), -1: none
  int64_t bytes = 0;   // of a transfer: its size; of a compute event: bytes it reads and writes
  double flops = 0;
  bool operator==(const Event&) const = default;
};

// Where the time of the critical path went; the terms sum to the total (idle waits are none: every event
// starts when its cause ends).
struct CriticalPath {
  std::vector<int32_t> events;  // first to last
  Picoseconds compute = 0, memory = 0, latency = 0, bandwidth = 0, overhead = 0;
  bool operator==(const CriticalPath&) const = default;
};

// Sums of one device, as CONTRIBUTING.md defines the words.
struct DeviceTotals {
  Picoseconds compute = 0, comm = 0, exposed = 0, idle = 0;
  double flops = 0;
  double padded_flops = 0;
  int64_t bytes_sent = 0, bytes_received = 0, bytes_relayed = 0;
  int64_t peak_bytes = 0;
  bool operator==(const DeviceTotals&) const = default;
};

// Live bytes of one device from `time` on.
struct MemoryPoint {
  Picoseconds time = 0;
  int64_t bytes = 0;
  bool operator==(const MemoryPoint&) const = default;
};

// A value in a buffer. A sum into an accumulator that nobody else reads works in place: it takes over the
// buffer.
struct BufferValue {
  int32_t instruction = 0;  // global index
  // The dot that such a sum does as well, which has no buffer of its own; -1: none.
  int32_t product = -1;
  bool operator==(const BufferValue&) const = default;
};

// What is in a buffer, one value after the other: the first makes it. The same on every device.
struct BufferContents {
  std::vector<BufferValue> values;
  bool kept = false;  // to the end: an input, or the result
  int32_t maker() const { return values.front().instruction; }
  bool operator==(const BufferContents&) const = default;
};

// A buffer on one device: from when to when it lives.
struct BufferLife {
  int32_t device = 0;
  int32_t instruction = 0;  // global index of its maker
  int64_t bytes = 0;
  Picoseconds start = 0, end = 0;
  bool operator==(const BufferLife&) const = default;
};

// One kind of collective of the program: opcode over an axis by an algorithm.
struct CollectiveSummary {
  std::string opcode;
  std::string axis;  // "col", "row,col", or "" for groups that are no axes
  int64_t count = 0;
  int64_t steps = 0;  // transfer steps of all of them
  std::string algorithm;
  double bytes_sent_per_device = 0;  // mean
  std::string why = {};              // what made `auto` choose it; empty when it was asked for
  bool operator==(const CollectiveSummary&) const = default;
};

// How a program ran on simulated hardware. `events` are sorted by (start, device, lane, instruction, chunk)
// and empty when only totals were kept. The same input gives the same timeline, always.
struct Timeline {
  int32_t devices = 0;
  Picoseconds total = 0;
  std::vector<Lane> lanes;
  std::vector<Event> events;
  int64_t event_count = 0;
  std::vector<DeviceTotals> totals;  // per device
  CriticalPath critical_path;
  std::vector<std::vector<MemoryPoint>> memory;  // per device, by time
  std::vector<BufferLife> buffers;
  std::vector<BufferContents> contents;  // of the buffers, by maker, ascending
  std::vector<CollectiveSummary> collectives;
  // Of the collectives that went over links (not inside a kernel's call), by instruction.
  std::vector<TimedCollective> schedules;
  std::vector<std::string> assumptions;
  double mxu_utilisation = 1;  // unpadded over padded flops; 1 without dots
  bool operator==(const Timeline&) const = default;
};

// How a collective (Program::global_index) was carried out; none of what is no collective.
const TimedCollective* find_schedule(const Timeline& timeline, int32_t instruction);

// What is in the buffer that an instruction (Program::global_index) makes; none: it makes none.
const BufferContents* find_contents(const Timeline& timeline, int32_t maker);

// CONTRIBUTING.md's words, of the device with the largest exposed communication.
struct SimulatedSummary {
  double total_s = 0, compute_s = 0, comm_s = 0, exposed_comm_s = 0, idle_s = 0;
  std::optional<double> overlap;  // 1 − exposed/comm; none without comm
  std::string bound;              // "compute", "memory", "latency", "bandwidth", "overhead"
  int32_t device = 0;
};
SimulatedSummary summarise(const Timeline& timeline);

// Means over devices and the worst device.
struct PerDevice {
  double flops = 0, bytes_sent = 0, bytes_received = 0, bytes_relayed = 0, peak_bytes = 0;
};
PerDevice mean_per_device(const Timeline& timeline);
PerDevice max_per_device(const Timeline& timeline);

}  // namespace shardscope::inline run
