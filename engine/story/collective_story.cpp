// SPDX-License-Identifier: Apache-2.0
// What happens inside a collective: which pieces its transfers carry, and what its ranks hold meanwhile.
#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "engine/story/teller.h"

namespace shardscope::inline story {
namespace {

// What a rank has of a chunk from one arrival to the next.
struct Version {
  ShardValue value;
  Picoseconds from = 0;
  Picoseconds sent = 0;  // when the last transfer that carries it ends
  bool adds = false;     // made of the version before it, which is there until then
};

// Plays one group's schedule with pieces instead of numbers: a step's transfers carry what their sources had
// before the step.
class GroupPlay {
 public:
  GroupPlay(const ChunkPieces& chunks, const CollectiveSchedule& schedule, const Finishes& finishes,
            TraceState& state, const std::vector<ShardValue>& contributed)
      : chunks_(chunks),
        schedule_(schedule),
        finishes_(finishes),
        state_(state),
        contributed_(contributed),
        versions_(static_cast<size_t>(schedule.ranks()) * static_cast<size_t>(schedule.chunks())) {}

  // `taken`: by rank, since when it holds its own parts of a sum.
  template <typename EventOf, typename Carries>
  void play(const std::vector<Picoseconds>& taken, const EventOf& event_of, const Carries& carries) {
    taken_ = &taken;
    std::vector<Transfer> step;
    for (int32_t s = 0; s < schedule_.steps(); ++s) {
      step.clear();
      schedule_.append_step(s, step);
      std::vector<std::vector<ShardValue>> sent;
      std::vector<int32_t> events;
      std::vector<std::vector<int32_t>> of_transfer;  // the chunks
      for (const Transfer& t : step) {
        if (!state_.budget.take()) return;
        const int32_t event = events.emplace_back(event_of(t));
        std::vector<ShardValue>& values = sent.emplace_back();
        std::vector<int32_t>& chunks = of_transfer.emplace_back();
        schedule_.append_chunks(t, chunks);
        for (const int32_t chunk : chunks) values.push_back(send(t.source, chunk, event));
        if (event >= 0) carries(t, event, chunks, values);
      }
      for (const size_t k : by_arrival(events)) {
        for (size_t n = 0; n < of_transfer[k].size(); ++n)
          arrive(step[k], of_transfer[k][n], events[k], sent[k][n]);
      }
    }
  }
  const std::vector<Version>& versions(int32_t rank, int32_t chunk) const {
    return versions_[cell(rank, chunk)];
  }
  // What has arrived and is added only later, for what it is added to still travels.
  struct Waiting {
    int32_t rank = 0;
    ShardValue value;
    Picoseconds from = 0, to = 0;
  };
  const std::vector<Waiting>& waiting() const { return waiting_; }

 private:
  size_t cell(int32_t rank, int32_t chunk) const {
    return static_cast<size_t>(rank) * static_cast<size_t>(schedule_.chunks()) + static_cast<size_t>(chunk);
  }
  // Places in a step's list, those that arrive first first.
  std::vector<size_t> by_arrival(const std::vector<int32_t>& events) const {
    std::vector<size_t> order(events.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return end_of(events[a]) < end_of(events[b]); });
    return order;
  }
  Picoseconds end_of(int32_t event) const { return event < 0 ? 0 : finishes_.arrival(event); }
  // What the rank has of a chunk now; its own to begin with.
  std::vector<Version>& have(int32_t rank, int32_t chunk) {
    std::vector<Version>& versions = versions_[cell(rank, chunk)];
    if (!versions.empty()) return versions;
    const int32_t origin = chunks_.origin(chunk);
    if (origin < 0 || origin == rank)
      versions.push_back({chunks_.of(rank, chunk, contributed_), (*taken_)[static_cast<size_t>(rank)]});
    return versions;
  }
  ShardValue send(int32_t rank, int32_t chunk, int32_t event) {
    std::vector<Version>& versions = have(rank, chunk);
    if (versions.empty()) return state_.unknown;
    versions.back().sent = std::max(versions.back().sent, end_of(event));
    return versions.back().value;
  }
  void arrive(const Transfer& t, int32_t chunk, int32_t event, const ShardValue& value) {
    std::vector<Version>& versions = have(t.target, chunk);
    ShardValue now = value;
    Picoseconds from = end_of(event);
    if (t.adds && !versions.empty()) {
      now = sum(versions.back().value, value);
      if (versions.back().from != kNever && versions.back().from > from) {
        waiting_.push_back({t.target, value, from, versions.back().from});
        from = versions.back().from;
      }
    }
    versions.push_back({now, from, 0, t.adds});
  }
  ShardValue sum(const ShardValue& a, const ShardValue& b) {
    ShardPieces out = add_pieces(*a, *b, state_.sums());
    return shared_pieces(std::move(out));
  }

  const ChunkPieces& chunks_;
  const CollectiveSchedule& schedule_;
  const Finishes& finishes_;
  TraceState& state_;
  const std::vector<ShardValue>& contributed_;
  const std::vector<Picoseconds>* taken_ = nullptr;
  std::vector<std::vector<Version>> versions_;  // by rank and chunk
  std::vector<Waiting> waiting_;
};

// The events of a collective's transfers.
class TimedTransfers {
 public:
  TimedTransfers(const std::vector<int32_t>& events, const Timeline& timeline, const TimedCollective& timed)
      : timeline_(timeline), timed_(timed) {
    const auto rank = [&](int32_t device) { return timed.groups->rank_of[static_cast<size_t>(device)]; };
    for (const int32_t e : events) {
      const Event& event = timeline.events[static_cast<size_t>(e)];
      if (event.kind != EventKind::transfer || event.peer < 0) continue;
      const Transfer t{event.transfer_step, rank(event.device), rank(event.peer), event.chunk, 1, 0, false};
      by_key_[key_of(t)].push_back(e);
    }
  }
  // -1: it was not timed.
  int32_t event_of(const Transfer& t, int32_t group) const {
    const auto found = by_key_.find(key_of(t));
    if (found == by_key_.end()) return -1;
    for (const int32_t e : found->second) {
      const auto device = static_cast<size_t>(timeline_.events[static_cast<size_t>(e)].device);
      if (timed_.groups->group_of[device] == group) return e;
    }
    return -1;
  }

 private:
  int64_t key_of(const Transfer& t) const {
    const CollectiveSchedule& s = *timed_.schedule;
    return ((static_cast<int64_t>(t.step) * s.ranks() + t.source) * s.ranks() + t.target) * s.chunks() +
           t.chunk;
  }
  const Timeline& timeline_;
  const TimedCollective& timed_;
  std::unordered_map<int64_t, std::vector<int32_t>> by_key_;  // of all groups
};

}  // namespace

// By member of a group, when it works on a sum: from its first transfer out or in, when it has its own part
// by then, until all is there and sent.
std::vector<StoryTeller::AtWork> StoryTeller::times_at_work(size_t instruction,
                                                            const CollectiveGroups& groups, size_t group) {
  std::vector<AtWork> out;
  for (const int32_t d : groups.members[group])
    out.push_back({kNever, finishes_.at(instruction, static_cast<size_t>(d))});
  const auto of = [&](int32_t device) -> AtWork& {
    return out[static_cast<size_t>(groups.rank_of[static_cast<size_t>(device)])];
  };
  for (const int32_t e : finishes_.events_of(instruction)) {
    const Event& event = timeline_.events[static_cast<size_t>(e)];
    if (event.kind != EventKind::transfer || event.peer < 0 ||
        groups.group_of[static_cast<size_t>(event.device)] != static_cast<int32_t>(group))
      continue;
    AtWork& source = of(event.device);
    AtWork& target = of(event.peer);
    source = {std::min(source.since, event.start), std::max(source.until, event.end)};
    target.since = std::min(target.since, finishes_.arrival(e));
  }
  const auto operand = static_cast<size_t>(entry_.instructions[instruction].operands[0].value);
  for (const int32_t d : groups.members[group])
    of(d).since = std::max(of(d).since, finishes_.at(operand, static_cast<size_t>(d)));
  return out;
}

void StoryTeller::say_carried(const ChunkPieces& chunks, const std::vector<int32_t>& numbers, bool adds,
                              int32_t event, const std::vector<ShardValue>& values) {
  CarriedPieces& carried = carried_[static_cast<size_t>(event)];
  carried.adds = adds;
  if (values.size() == 1) {
    const std::span<const PieceId> pieces = pool_.of(values[0]);
    carried.pieces.assign(pieces.begin(), pieces.end());
    return;
  }
  std::map<int32_t, ShardPieces> by_home;  // what comes from one shard goes together
  for (size_t n = 0; n < values.size(); ++n) {
    ShardPieces& together = by_home[chunks.origin(numbers[n])];
    together.insert(together.end(), values[n]->begin(), values[n]->end());
  }
  for (auto& [home, together] : by_home) {
    merge_neighbours(together);
    for (const PieceId piece : pool_.of(together))
      if (std::find(carried.pieces.begin(), carried.pieces.end(), piece) == carried.pieces.end())
        carried.pieces.push_back(piece);
  }
}

// What a group's members bring to the collective; empty: it cannot be said.
std::vector<ShardValue> StoryTeller::brought(const Instruction& i, const ChunkPieces& chunks,
                                             const std::vector<int32_t>& members) {
  std::vector<DeviceId> group;
  for (const int32_t d : members) group.emplace_back(static_cast<int64_t>(d));
  if (chunks.reduces()) return contributions(state_, i, 0, group);
  std::vector<ShardValue> values;
  for (const int32_t d : members) values.push_back(state_.operand(i, 0, static_cast<size_t>(d)));
  return values;
}

void StoryTeller::take_over(size_t instruction, const std::vector<int32_t>& members,
                            const std::vector<AtWork>& times) {
  const InstructionId operand = entry_.instructions[instruction].operands[0];
  const auto buffer = static_cast<size_t>(buffer_of(static_cast<size_t>(operand.value)));
  if (entry_.instructions[buffer].opcode == Opcode::parameter) return;
  for (size_t m = 0; m < members.size(); ++m) {
    const auto device = static_cast<size_t>(members[m]);
    const size_t cell = buffer * finishes_.devices() + device;
    if (lives_[cell] <= times[m].until) taken_over_[cell] = times[m].since;
  }
}

void StoryTeller::say_collective(size_t instruction, const TimedCollective& timed) {
  const Instruction& i = entry_.instructions[instruction];
  const CollectiveSchedule& schedule = *timed.schedule;
  const ChunkPieces chunks(state_, i, timed);
  const std::vector<int32_t>& events = finishes_.events_of(instruction);
  const TimedTransfers transfers(events, timeline_, timed);
  for (size_t g = 0; g < timed.groups->members.size(); ++g) {
    const std::vector<int32_t>& members = timed.groups->members[g];
    if (members.size() < 2) continue;
    const std::vector<ShardValue> contributed = brought(i, chunks, members);
    if (contributed.empty()) continue;
    const std::vector<AtWork> times = times_at_work(instruction, *timed.groups, g);
    if (chunks.reduces()) take_over(instruction, members, times);
    std::vector<Picoseconds> since;
    for (const AtWork& t : times) since.push_back(t.since);
    GroupPlay play(chunks, schedule, finishes_, state_, contributed);
    play.play(
        since, [&](const Transfer& t) { return transfers.event_of(t, static_cast<int32_t>(g)); },
        [&](const Transfer& t, int32_t e, const std::vector<int32_t>& numbers,
            const std::vector<ShardValue>& values) { say_carried(chunks, numbers, t.adds, e, values); });
    for (const GroupPlay::Waiting& w : play.waiting())
      hold(static_cast<size_t>(members[static_cast<size_t>(w.rank)]), w.from, w.to, pool_.of(w.value));
    for (int32_t r = 0; r < schedule.ranks(); ++r) {
      const auto device = static_cast<size_t>(members[static_cast<size_t>(r)]);
      const Picoseconds done = finishes_.at(instruction, device);
      for (int32_t c = 0; c < schedule.chunks(); ++c) {
        const std::vector<Version>& versions = play.versions(r, c);
        for (size_t v = 0; v < versions.size(); ++v) {
          const bool own = !chunks.reduces() && v == 0 && chunks.origin(c) == r;
          if (own) continue;  // in the operand
          const bool last = v + 1 == versions.size();
          Picoseconds end = versions[v].sent;
          const bool used = !last && (versions[v + 1].adds || versions[v].sent == 0);
          if (used) end = std::max(end, versions[v + 1].from);
          if (last && chunks.ends_on(r, c)) end = std::max(end, done);
          hold(device, versions[v].from, end, pool_.of(versions[v].value));
        }
      }
    }
  }
}

}  // namespace shardscope::inline story
