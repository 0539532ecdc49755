// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/written_rounds.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/machine/memory_limit.h"
#include "engine/plan/memory.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {
namespace {

// What a simulation of the written plan did.
class PlayedRounds {
 public:
  PlayedRounds(const LoopPlan& loops, const WrittenRounds& written, const std::vector<WorkSpan>& spans)
      : loops_(loops), written_(written), spans_(spans), devices_(spans_.size() / count()) {}

  // Each product for which earlier ones were left out ended after them.
  bool ended_in_order() const {
    std::vector<Picoseconds> latest(devices_, -1);
    for (int32_t n = 0; n < static_cast<int32_t>(count()); ++n) {
      const size_t kind = to_index(written_.plan().kinds[to_index(n)]);
      const bool is_left = loops_.is_left[kind], stands_for_left = loops_.stands_for_left[kind];
      if (!is_left && !stands_for_left) continue;
      for (size_t d = 0; d < devices_; ++d) {
        const Picoseconds end = span(n, d).end;
        if (stands_for_left && end <= latest[d]) return false;
        if (is_left) latest[d] = std::max(latest[d], end);
      }
    }
    return true;
  }

  int64_t peak_of(const std::vector<RoundBuffer>& buffers, const std::vector<RoundsLeftOut>& left_out,
                  size_t device) const {
    std::vector<MemoryChange> changes;
    for (const RoundBuffer& b : buffers) {
      if (b.maker < 0) {
        changes.emplace_back(0, b.bytes);
        continue;
      }
      const auto block = loops_.block_of(b.maker);
      if (block == loops_.blocks.end() || !is_held_by(b, loops_, device)) continue;
      const Picoseconds read = b.kept ? kEnd : read_elsewhere(b, device);
      add(b, *block, device, read, changes);
      if (read < 0) continue;
      for (const RoundsLeftOut& left : left_out) {
        if (&loops_.blocks[left.block] != &*block) continue;
        changes.emplace_back(left.at, b.bytes * left.rounds);
        if (!b.kept) changes.emplace_back(read, -b.bytes * left.rounds);
      }
    }
    return peak_of_changes(changes);
  }

 private:
  static constexpr Picoseconds kEnd = std::numeric_limits<Picoseconds>::max();

  size_t count() const { return written_.plan().count(); }
  const WorkSpan& span(int32_t number, size_t device) const {
    return spans_[to_index(number) * devices_ + device];
  }
  size_t number_of(const LoopBlock& block) const {
    return static_cast<size_t>(&block - loops_.blocks.data());
  }
  // Whether both are of rounds of one loop: then as far from each other in all of them.
  bool are_of_one_loop(int32_t maker, int32_t reader) const {
    return std::ranges::any_of(loops_.blocks, [&](const LoopBlock& b) {
      return b.repeats() && b.has_in_rounds(maker, kPlannedRounds) && b.has_in_rounds(reader, kPlannedRounds);
    });
  }
  // When it was read for the last time, but by rounds of its own loop; -1: never.
  Picoseconds read_elsewhere(const RoundBuffer& b, size_t device) const {
    Picoseconds end = -1;
    for (const int32_t reader : b.readers) {
      const auto block = loops_.block_of(reader);
      if (block == loops_.blocks.end()) continue;  // as the round that is played for it
      if (are_of_one_loop(b.maker, reader)) continue;
      if (!block->repeats()) end = std::max(end, span(written_.number_after(reader), device).over());
      const int32_t first = written_.number(number_of(*block), reader);
      for (int32_t r = 0; block->repeats() && r < block->times; ++r)
        end = std::max(end, span(first + r * static_cast<int32_t>(block->size()), device).over());
    }
    return end;
  }
  // `read`: when it was read elsewhere.
  void add(const RoundBuffer& b, const LoopBlock& block, size_t device, Picoseconds read,
           std::vector<MemoryChange>& changes) const {
    const size_t number = number_of(block);
    const auto size = static_cast<int32_t>(block.size());
    const int32_t maker = written_.number(number, b.maker);
    for (int32_t r = 0; r < block.times; ++r)
      changes.emplace_back(span(maker + r * size, device).start, b.bytes);
    if (b.kept) return;
    for (int32_t r = 0; r < block.times; ++r) {
      Picoseconds end = std::max(read, span(maker + r * size, device).over());
      for (const int32_t reader : b.readers)
        if (are_of_one_loop(b.maker, reader))
          end = std::max(end, span(maker + (reader - b.maker) + r * size, device).over());
      changes.emplace_back(end, -b.bytes);
    }
  }

  const LoopPlan& loops_;
  const WrittenRounds& written_;
  const std::vector<WorkSpan>& spans_;
  size_t devices_;
};

}  // namespace

int64_t WrittenRounds::count(const LoopPlan& loops) {
  int64_t works = 0;
  for (const LoopBlock& block : loops.blocks)
    works += static_cast<int64_t>(block.end - block.begin) * block.times;
  return works;
}

WrittenRounds::WrittenRounds(const LoopPlan& loops, Picoseconds enough) : loops_(loops) {
  plan_.give_up_after = enough;
  int32_t next = 0;
  plan_.works = loops.plan.works;
  plan_.kinds.reserve(static_cast<size_t>(count(loops)));
  for (const LoopBlock& block : loops.blocks) {
    shift_.push_back(next - static_cast<int32_t>(block.begin));
    for (int64_t r = 0; r < block.times; ++r)
      for (size_t w = block.begin; w < block.end; ++w) plan_.kinds.push_back(static_cast<int32_t>(w));
    next = static_cast<int32_t>(plan_.kinds.size());
  }
  const auto each_need = [&](const auto& done) {
    int32_t number = 0;
    for (const LoopBlock& block : loops.blocks)
      for (int64_t r = 0; r < block.times; ++r)
        for (size_t w = block.begin; w < block.end; ++w, ++number)
          for (const int32_t need : loops.needs[w])
            done(need_of(block, static_cast<int32_t>(w), number, need), number);
  };
  link_readers(plan_.kinds.size(), each_need, plan_);
}

// Rounds follow each other: what is as far before a work in the plan is so when all rounds are written.
int32_t WrittenRounds::need_of(const LoopBlock& block, int32_t work, int32_t number, int32_t need) const {
  if (block.repeats() && to_index(need) >= block.first_needed()) return number - (work - need);
  return number_after(need);
}

int32_t WrittenRounds::number_after(int32_t work) const {
  const auto after = std::ranges::upper_bound(loops_.blocks, to_index(work), {}, &LoopBlock::begin);
  const auto block = after - loops_.blocks.begin() - 1;
  const bool repeats = loops_.blocks[to_index(block)].repeats();
  return work + shift_[to_index(repeats ? block + 1 : block)];
}

bool can_be_played(const LoopPlan& loops, const Fabric& fabric) {
  constexpr int64_t kMostWorks = 2'000'000;  // as a program written out may have
  constexpr double kBytesEach = 140;         // by work and device
  const int64_t works = WrittenRounds::count(loops);
  if (works > kMostWorks) return false;
  return require_memory(kBytesEach * static_cast<double>(works) * fabric.devices(), "its rounds", "").ok();
}

void find_peaks(const RoundsRequest& asked, const WrittenRounds& written, const std::vector<WorkSpan>& spans,
                const std::vector<RoundsLeftOut>& left_out, RoundsPlayed& played) {
  const PlayedRounds rounds(asked.loops, written, spans);
  for (size_t d = 0; d < played.devices.size(); ++d)
    played.devices[d].peak_bytes = rounds.peak_of(asked.buffers, left_out, d);
}

Result<std::optional<RoundsPlayed>> play_rounds(const RoundsRequest& asked, const WrittenRounds& written,
                                                const std::stop_token& stop, RoundsTrace* trace) {
  const Fabric& fabric = asked.fabric;
  if (trace != nullptr) trace->tells = PlayWatch::Tells::events;
  EventRecorder recorder(fabric.devices(), false, 0, nullptr);
  Simulator simulator(written.plan(), fabric, asked.options.overlap, recorder, nullptr, trace);
  TRY_VOID(simulator.run(stop, asked.options.progress));
  const PlayedRounds played(asked.loops, written, simulator.spans());
  if (!played.ended_in_order()) return std::optional<RoundsPlayed>();
  RoundsPlayed out;
  Timeline sums;
  recorder.finish(written.plan(), sums);
  out.devices = std::move(sums.totals);
  out.events = sums.event_count;
  out.last = recorder.last();
  const LoopPlan& loops = asked.loops;
  out.bytes_sent.resize(loops.plan.works.size());
  for (size_t b = 0; b < loops.blocks.size(); ++b)
    for (size_t w = loops.blocks[b].begin; w < loops.blocks[b].end; ++w)
      out.bytes_sent[w] = simulator.bytes_sent()[to_index(written.number(b, static_cast<int32_t>(w)))];
  if (trace != nullptr) {
    trace->spans = simulator.spans();
  } else {
    find_peaks(asked, written, simulator.spans(), {}, out);
  }
  return std::optional(std::move(out));
}

}  // namespace shardscope::inline scheduler
