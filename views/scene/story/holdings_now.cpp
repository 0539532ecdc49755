// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/holdings_now.h"

#include <algorithm>
#include <map>

#include "engine/program/analysis/analysis.h"
#include "views/scene/story/collective_chunks.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr int64_t kMostEvents = 200'000;
constexpr int64_t kMostCells = 4'000'000;  // instructions × devices

bool contains(const IndexBox& outer, const IndexBox& inner) {
  if (outer.size() != inner.size()) return false;
  for (size_t i = 0; i < outer.size(); ++i) {
    if (outer[i].start > inner[i].start || outer[i].stop < inner[i].stop) return false;
  }
  return true;
}

void add_piece(std::vector<HeldPiece>& pieces, const HeldPiece& piece) {
  const auto covers = [](const HeldPiece& a, const HeldPiece& b) {
    return a.array == b.array && a.k_covered >= b.k_covered && contains(a.box, b.box);
  };
  for (const HeldPiece& p : pieces) {
    if (covers(p, piece)) return;
  }
  std::erase_if(pieces, [&](const HeldPiece& p) { return covers(piece, p); });
  pieces.push_back(piece);
}

std::vector<Event> all_events(const ViewInput& input) {
  std::vector<Event> events;
  const TimeRange whole{0, input.trace.total() + 1};
  for (int32_t d = 0; d < input.trace.devices(); ++d) {
    for (int lane = 0; lane < static_cast<int>(input.trace.lanes().size()); ++lane) {
      const auto numbers = input.trace.events(DeviceId(d), lane, whole);
      if (!numbers.ok()) continue;
      for (const int32_t number : *numbers) {
        if (const auto event = find_event(input, number)) events.push_back(*event);
      }
    }
  }
  return events;
}

// When each instruction of the entry is finished on each device.
class Finishes {
 public:
  Finishes(const ViewInput& input, const std::vector<Event>& events)
      : devices_(static_cast<size_t>(input.trace.devices())), program_(input.run.program) {
    const Computation& entry = program_.entry_computation();
    first_ = program_.global_index(program_.entry, InstructionId(0));
    ends_.assign(entry.instructions.size() * devices_, 0);
    std::vector<bool> own(ends_.size(), false);
    for (const Event& e : events) {
      note(e, e.device, own);
      if (is_transfer(e) && e.peer >= 0) note(e, e.peer, own);
    }
    for (size_t i = 0; i < entry.instructions.size(); ++i) {
      for (const InstructionId operand : entry.instructions[i].operands) {
        for (size_t d = 0; d < devices_; ++d) {
          if (own[i * devices_ + d]) continue;
          ends_[i * devices_ + d] =
              std::max(ends_[i * devices_ + d], ends_[static_cast<size_t>(operand.value) * devices_ + d]);
        }
      }
    }
  }
  Picoseconds at(size_t instruction, size_t device) const { return ends_[instruction * devices_ + device]; }
  int32_t first() const { return first_; }

 private:
  void note(const Event& e, int32_t device, std::vector<bool>& own) {
    const int32_t i = e.instruction - first_;
    if (i < 0 || static_cast<size_t>(i) * devices_ >= ends_.size()) return;
    const size_t cell = static_cast<size_t>(i) * devices_ + static_cast<size_t>(device);
    ends_[cell] = std::max(ends_[cell], e.end);
    own[cell] = true;
  }

  size_t devices_;
  const Program& program_;
  int32_t first_ = 0;
  std::vector<Picoseconds> ends_;
};

// What the devices of a running reduction have summed of each chunk: how many devices' parts.
class Sums {
 public:
  Sums(int32_t devices, int64_t chunks)
      : chunks_(static_cast<size_t>(chunks)), parts_(static_cast<size_t>(devices) * chunks_, 1) {}
  // Transfers of one step at a time, in order; all of them carry what their source had before the step.
  void arrive(const std::vector<const Event*>& step, const CollectiveChunks& shared) {
    const std::vector<int32_t> before = parts_;
    for (const Event* e : step) {
      const bool adds = shared.adds(*e);
      for (int32_t n = 0; n < std::max(1, e->chunk_count); ++n) {
        const size_t chunk = static_cast<size_t>(e->chunk + n) % chunks_;
        const int32_t brought = before[cell(e->device, chunk)];
        int32_t& here = parts_[cell(e->peer, chunk)];
        here = adds ? here + brought : brought;
      }
    }
  }
  int32_t parts(int32_t device, int64_t chunk) const {
    return parts_[cell(device, static_cast<size_t>(chunk))];
  }

 private:
  size_t cell(int32_t device, size_t chunk) const { return static_cast<size_t>(device) * chunks_ + chunk; }

  size_t chunks_;
  std::vector<int32_t> parts_;
};

void add_gathered(const CollectiveChunks& shared, const std::vector<const Event*>& arrived,
                  const std::vector<bool>& running, HoldingsNow& now) {
  for (const Event* e : arrived) {
    if (!running[static_cast<size_t>(e->peer)]) continue;
    for (int32_t n = 0; n < std::max(1, e->chunk_count); ++n) {
      for (const HeldPiece& piece : shared.pieces(e->peer, e->chunk + n))
        add_piece(now.devices[static_cast<size_t>(e->peer)], piece);
    }
  }
}

void add_summed(const CollectiveChunks& shared, std::vector<const Event*> arrived,
                const std::vector<bool>& running, HoldingsNow& now) {
  std::stable_sort(arrived.begin(), arrived.end(),
                   [](const Event* a, const Event* b) { return a->transfer_step < b->transfer_step; });
  Sums sums(static_cast<int32_t>(now.devices.size()), shared.chunks());
  for (size_t i = 0; i < arrived.size();) {
    std::vector<const Event*> step;
    const int32_t number = arrived[i]->transfer_step;
    for (; i < arrived.size() && arrived[i]->transfer_step == number; ++i) step.push_back(arrived[i]);
    sums.arrive(step, shared);
  }
  for (int32_t d = 0; d < static_cast<int32_t>(now.devices.size()); ++d) {
    if (!running[static_cast<size_t>(d)]) continue;
    for (int64_t chunk = 0; chunk < shared.chunks(); ++chunk) {
      const int32_t parts = sums.parts(d, chunk);
      if (parts <= 1) continue;
      for (HeldPiece piece : shared.pieces(d, chunk)) {
        piece.k_covered = std::min(piece.k_whole, piece.k_covered * parts);
        add_piece(now.devices[static_cast<size_t>(d)], piece);
      }
    }
  }
}

// Chunks of collectives that are under way.
void add_arrived_chunks(const ViewInput& input, const Finishes& finishes, const std::vector<Event>& events,
                        Picoseconds time, HoldingsNow& now) {
  const auto count = static_cast<int32_t>(input.run.program.entry_computation().instructions.size());
  std::map<int32_t, std::vector<const Event*>> by_instruction;
  for (const Event& e : events) {
    const int32_t i = e.instruction - finishes.first();
    if (is_transfer(e) && !e.relayed && e.end <= time && e.chunk >= 0 && e.peer >= 0 && i >= 0 && i < count)
      by_instruction[e.instruction].push_back(&e);
  }
  for (const auto& [instruction, arrived] : by_instruction) {
    std::vector<bool> running(now.devices.size());
    bool any = false;
    for (size_t d = 0; d < running.size(); ++d) {
      running[d] = finishes.at(static_cast<size_t>(instruction - finishes.first()), d) > time;
      any = any || running[d];
    }
    if (!any) continue;
    const auto shared = CollectiveChunks::make(input, instruction);
    if (!shared) continue;
    if (shared->reduces())
      add_summed(*shared, arrived, running, now);
    else
      add_gathered(*shared, arrived, running, now);
  }
}

void add_shards(const ViewInput& input, const ArrayInfo& info, HoldingsNow& now) {
  const auto sharding = NamedSharding::make(input.run.program.mesh, info.spec, info.unreduced);
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return;
  const int64_t parts = info.unreduced.empty() ? 1 : 2;
  for (size_t d = 0; d < now.devices.size(); ++d) {
    add_piece(now.devices[d],
              {info.role, sharding->slices(DeviceId(static_cast<int64_t>(d)), info.dims), 1, parts});
  }
}

}  // namespace

HoldingsNow holdings_now(const ViewInput& input, Picoseconds time) {
  HoldingsNow now;
  const Program& program = input.run.program;
  const auto devices = static_cast<size_t>(program.mesh.device_count());
  now.devices.resize(devices);
  if (program.computations.empty()) return now;
  const Computation& entry = program.entry_computation();
  const auto cells = static_cast<int64_t>(entry.instructions.size() * devices);
  now.exact = input.holdings != nullptr && static_cast<size_t>(input.trace.devices()) == devices &&
              input.trace.event_count() <= kMostEvents && cells <= kMostCells;
  if (!now.exact) {
    for (const ArrayInfo& info : program.inputs) add_shards(input, info, now);
    if (program.output && time >= input.trace.total()) add_shards(input, *program.output, now);
    return now;
  }
  const std::vector<Event> events = all_events(input);
  const Finishes finishes(input, events);
  const std::vector<int32_t> last = last_use(entry);
  const auto end = static_cast<int32_t>(entry.instructions.size()) - 1;
  for (size_t i = 0; i < entry.instructions.size(); ++i) {
    const bool input_array = entry.instructions[i].opcode == Opcode::parameter;
    const bool result = static_cast<int32_t>(i) == entry.root.value;
    for (size_t d = 0; d < devices; ++d) {
      const auto& pieces =
          input.holdings->at(InstructionId(static_cast<int64_t>(i)), DeviceId(static_cast<int64_t>(d)));
      if (pieces.empty() || finishes.at(i, d) > time) continue;
      const bool kept =
          input_array || result || last[i] >= end || time < finishes.at(static_cast<size_t>(last[i]), d);
      if (!kept) continue;
      for (const HeldPiece& piece : pieces) {
        if (piece.k_whole == 0 || piece.k_covered > 0) add_piece(now.devices[d], piece);
      }
    }
  }
  add_arrived_chunks(input, finishes, events, time, now);
  return now;
}

BoxCover cover(const std::vector<HeldPiece>& pieces, ArrayRole array, const IndexBox& box) {
  BoxCover out;
  double whole = 1;
  for (const IndexRange& r : box) whole *= static_cast<double>(std::max<int64_t>(1, r.size()));
  for (const HeldPiece& p : pieces) {
    if (p.array != array || p.box.size() != box.size()) continue;
    double part = 1;
    for (size_t i = 0; i < box.size(); ++i) {
      part *= static_cast<double>(std::max<int64_t>(
          0, std::min(p.box[i].stop, box[i].stop) - std::max(p.box[i].start, box[i].start)));
    }
    if (part <= 0) continue;
    out.area += part / whole;
    if (p.k_covered > out.k_covered || out.k_whole == 0) out.k_covered = p.k_covered, out.k_whole = p.k_whole;
  }
  out.area = std::min(1.0, out.area);
  return out;
}

}  // namespace shardscope
