// SPDX-License-Identifier: Apache-2.0
#include "views/scene/holdings_now.h"

#include <algorithm>

#include "engine/collectives/collective.h"
#include "views/scene/event_text.h"

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

// Part `place` of `parts` of a box, cut along its first dimension as its bytes are.
IndexBox cut(IndexBox box, int64_t place, int64_t parts) {
  if (box.empty() || parts <= 1) return box;
  const int64_t size = box[0].size();
  const int64_t start = box[0].start;
  box[0] = {start + size * place / parts, start + size * (place + 1) / parts};
  return box;
}

void add_arrived_chunks(const ViewInput& input, const Finishes& finishes, const std::vector<Event>& events,
                        Picoseconds time, HoldingsNow& now) {
  const Computation& entry = input.run.program.entry_computation();
  int32_t known = -1;
  std::vector<std::vector<DeviceId>> groups;
  for (const Event& e : events) {
    if (!is_transfer(e) || e.relayed || e.end > time || e.chunk < 0 || e.peer < 0) continue;
    const int32_t i = e.instruction - finishes.first();
    if (i < 0 || static_cast<size_t>(i) >= entry.instructions.size()) continue;
    const Instruction& gather = entry.instructions[static_cast<size_t>(i)];
    if (gather.opcode != Opcode::all_gather || gather.operands.empty()) continue;
    if (finishes.at(static_cast<size_t>(i), static_cast<size_t>(e.peer)) <= time) continue;
    if (known != i) groups = device_groups(input.run.program, gather), known = i;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<DeviceId>& g) {
      return std::find(g.begin(), g.end(), DeviceId(e.peer)) != g.end();
    });
    if (group == groups.end()) continue;
    const auto ranks = static_cast<int64_t>(group->size());
    const auto algorithm = parse_collective_algorithm(gather.algorithm.empty() ? "auto" : gather.algorithm);
    if (!algorithm.ok()) continue;
    const auto lowered = lower(CollectiveKind::all_gather, *algorithm, static_cast<int32_t>(ranks));
    if (!lowered.ok()) continue;
    const int64_t chunks = (*lowered)->chunks();
    const int64_t per_rank = std::max<int64_t>(1, chunks / ranks);
    for (int64_t n = 0; n < std::max(1, e.chunk_count); ++n) {
      const int64_t chunk = (e.chunk + n) % chunks;
      const DeviceId owner = (*group)[static_cast<size_t>(std::min(chunk / per_rank, ranks - 1))];
      for (HeldPiece piece : input.holdings->at(gather.operands[0], owner)) {
        piece.box = cut(piece.box, chunk % per_rank, per_rank);
        add_piece(now.devices[static_cast<size_t>(e.peer)], piece);
      }
    }
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
