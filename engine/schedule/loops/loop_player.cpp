// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/schedule/loops/block_play.h"
#include "engine/schedule/loops/series.h"

namespace shardscope::inline scheduler {
namespace {

constexpr int64_t kFewestTimes = 4;
constexpr int64_t kLongestWait = 256;  // rounds between two tries

std::vector<int64_t> minus(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> out(a.size());
  for (size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

std::vector<int64_t> moved(std::vector<int64_t> from, int64_t times, const std::vector<int64_t>& by) {
  for (size_t i = 0; i < from.size(); ++i) from[i] += times * by[i];
  return from;
}

// Whether b is between a and c as 1 is between 0 and `last`.
bool on_a_line(const std::vector<int64_t>& a, const std::vector<int64_t>& b, const std::vector<int64_t>& c,
               int64_t last) {
  return a.size() == b.size() && b.size() == c.size() && moved(a, last, minus(b, a)) == c;
}

// Of all that was played.
struct LoopTotals : RoundsPlayed {
  std::vector<std::vector<Series>> computing, sending;  // spans by device; sending: and receiving
  std::vector<std::vector<Series>> memory;              // changes by device, of what rounds make
  std::vector<WorkSpan> spans;  // by work · devices + device; of rounds that repeat the last
};

// Rounds whose clocks differ by one vector d each time: if a round that begins x + i · d
// later, part by part, ends so for i = 0, 1 and R - 1, by the same decisions (what each lane took, one after
// the other, and whether it had waited for it), all of the R do. Under fixed decisions each time is the
// latest of sums of the clocks, so convex in i; a convex function that meets a line at 0, 1 and R - 1 is that
// line between. Decisions compare such lines: those that hold at both ends hold between. Moments are compared
// by time, then by their parts, which is an order of vectors in which the same is true.
class LoopPlayer {
 public:
  LoopPlayer(const RoundsRequest& asked, std::stop_token stop)
      : loops_(asked.loops),
        player_(asked.loops, asked.fabric, asked.options.overlap, std::move(stop)),
        buffers_(asked.buffers),
        clocks_(player_.start()) {
    const size_t devices = to_index(asked.fabric.devices()), works = loops_.plan.works.size();
    totals_.devices.resize(devices);
    for (auto* series : {&totals_.computing, &totals_.sending, &totals_.memory}) series->resize(devices);
    totals_.bytes_sent.resize(works);
    totals_.spans.resize(works * devices);
  }
  // False: only a play in full can tell, or `most_played` rounds were played one by one.
  Result<bool> run(int64_t most_played) {
    most_played_ = most_played;
    for (const LoopBlock& block : loops_.blocks) {
      if (block.repeats()) {
        TRY(const bool played, repeat(block));
        if (!played) return false;
        player_.leave(block, clocks_);
        continue;
      }
      if (block.begin == block.end) continue;
      BlockPlay play;
      TRY(const bool in_order, player_.play(block, clocks_, play));
      if (!in_order) return false;
      add(block, play, nullptr, 1);
    }
    return true;
  }
  // None: they cannot be summed in closed form.
  std::optional<RoundsPlayed> summed() const {
    RoundsPlayed out = totals_;
    for (size_t d = 0; d < out.devices.size(); ++d) {
      DeviceTotals& t = out.devices[d];
      std::vector<Series> any = totals_.computing[d];
      any.insert(any.end(), totals_.sending[d].begin(), totals_.sending[d].end());
      const auto busy = covered_time(std::move(any)), comm = covered_time(totals_.sending[d]);
      const auto peak = peak_of(d);
      if (!busy || !comm || !peak) return std::nullopt;
      t.comm = *comm;
      t.exposed = *busy - t.compute;
      t.idle = out.last.end.time - *busy;
      t.peak_bytes = *peak;
    }
    return out;
  }

 private:
  Result<bool> repeat(const LoopBlock& block) {
    before_ = {clocks_.numbers()};
    int64_t wait = 0, longer = 1;
    for (int64_t left = block.times; left > 0;) {
      if (wait == 0 && moves_evenly()) {
        TRY(const int64_t far, leap(block, left));
        left -= far;
        if (far > 0) {
          before_ = {clocks_.numbers()};
          longer = 1;
          continue;
        }
        wait = longer;
        longer = std::min(2 * longer, kLongestWait);
      }
      BlockPlay play;
      TRY(const bool in_order, player_.play(block, clocks_, play));
      if (!in_order || rounds_played_ == most_played_) return false;
      add(block, play, nullptr, 1);
      ++rounds_played_;
      --left;
      wait = std::max<int64_t>(wait - 1, 0);
      before_.push_back(clocks_.numbers());
      if (before_.size() > 3) before_.erase(before_.begin());
    }
    return true;
  }
  // Whether all clocks have moved as far as in the round before.
  bool moves_evenly() const {
    return before_.size() == 3 && minus(before_[2], before_[1]) == minus(before_[1], before_[0]);
  }
  // As many of the `left` rounds as can be shown to follow `clocks_` at the distance that its last ones had;
  // 0: none.
  Result<int64_t> leap(const LoopBlock& block, int64_t left) {
    for (int64_t times = left; times >= kFewestTimes; times /= 2) {
      TRY(const bool shown, plays_as_line(block, times));
      if (shown) return times;
    }
    return 0;
  }
  Result<bool> plays_as_line(const LoopBlock& block, int64_t times) {
    const std::vector<int64_t> x = clocks_.numbers(), d = minus(x, before_[1]);
    BlockPlay plays[3];
    const int64_t at[] = {0, 1, times - 1};
    for (size_t k = 0; k < 3; ++k) {
      Clocks clocks = clocks_;
      clocks.set(moved(x, at[k], d));
      TRY(const bool in_order, player_.play(block, clocks, plays[k]));
      if (!in_order || clocks.numbers() != moved(x, at[k] + 1, d)) return false;
    }
    const auto& [first, second, last] = plays;
    if (!first.like(second) || !first.like(last)) return false;
    if (!on_a_line(first.times(), second.times(), last.times(), times - 1)) return false;
    if (!on_a_line(ends_of_buffers(block, first), ends_of_buffers(block, second),
                   ends_of_buffers(block, last), times - 1))
      return false;
    if (second.last.end.time < first.last.end.time) return false;
    add(block, first, &second, times);
    if (second.last.end.time > first.last.end.time) add(block, last, nullptr, 0);
    clocks_.set(moved(x, times, d));
    return true;
  }
  // `times` plays, each as much after the one before as `next` is after `play`; 0: only what happened last.
  void add(const LoopBlock& block, const BlockPlay& play, const BlockPlay* next, int64_t times) {
    totals_.last.take(play.last);
    const size_t devices = totals_.devices.size();
    std::ranges::copy(play.spans, totals_.spans.begin() + std::ptrdiff_t(block.begin * devices));
    if (times == 0) return;
    totals_.events += play.events * times;
    for (size_t d = 0; d < devices; ++d) add_times(play.devices[d], times, totals_.devices[d]);
    std::ranges::copy(play.bytes_sent, totals_.bytes_sent.begin() + std::ptrdiff_t(block.begin));
    add_spans(play, next, times);
    if (block.repeats()) add_memory(block, play, next, times);
  }
  void add_spans(const BlockPlay& play, const BlockPlay* next, int64_t times) {
    for (size_t i = 0; i < play.watch.events.size(); ++i) {
      const PlayedEvent& a = play.watch.events[i];
      const PlayedEvent& b = next == nullptr ? a : next->watch.events[i];
      const Series span{a.start.time, b.start.time - a.start.time, a.end.time, b.end.time - a.end.time,
                        times};
      if (a.computes >= 0) totals_.computing[to_index(a.computes)].push_back(span);
      for (const int32_t device : {a.sends, a.receives})
        if (device >= 0) totals_.sending[to_index(device)].push_back(span);
    }
  }
  // When what the round makes is read for the last time, buffer by buffer, by device.
  std::vector<int64_t> ends_of_buffers(const LoopBlock& block, const BlockPlay& play) const {
    std::vector<int64_t> out;
    const size_t devices = totals_.devices.size();
    for (const RoundBuffer& buffer : buffers_) {
      if (!block.has(buffer.maker)) continue;
      for (size_t d = 0; d < devices; ++d) {
        const auto over = [&](int32_t work) {
          return play.spans[(to_index(work) - block.begin) * devices + d].over();
        };
        out.push_back(over(buffer.maker));
        for (const int32_t reader : buffer.readers) out.back() = std::max(out.back(), over(reader));
      }
    }
    return out;
  }
  void add_memory(const LoopBlock& block, const BlockPlay& play, const BlockPlay* next, int64_t times) {
    const BlockPlay& second = next == nullptr ? play : *next;
    const std::vector<int64_t> ends = ends_of_buffers(block, play), later = ends_of_buffers(block, second);
    const size_t devices = totals_.devices.size();
    size_t at = 0;
    for (const RoundBuffer& buffer : buffers_) {
      if (!block.has(buffer.maker)) continue;
      for (size_t d = 0; d < devices; ++d, ++at) {
        if (!is_held_by(buffer, loops_, d)) continue;
        const size_t place = (to_index(buffer.maker) - block.begin) * devices + d;
        const Picoseconds made = play.spans[place].start;
        auto& changes = totals_.memory[d];
        changes.push_back({made, second.spans[place].start - made, buffer.bytes, 0, times});
        if (!buffer.kept) changes.push_back({ends[at], later[at] - ends[at], -buffer.bytes, 0, times});
      }
    }
  }

  std::optional<int64_t> peak_of(size_t device) const {
    const size_t devices = totals_.devices.size();
    std::vector<Series> changes = totals_.memory[device];
    const auto span = [&](int32_t work) -> const WorkSpan& {
      return totals_.spans[to_index(work) * devices + device];
    };
    for (const RoundBuffer& b : buffers_) {
      if (b.maker < 0) {
        changes.push_back({0, 0, b.bytes, 0, 1});
        continue;
      }
      const auto block = loops_.block_of(b.maker);
      if (block == loops_.blocks.end() || block->repeats()) continue;
      if (!is_held_by(b, loops_, device)) continue;
      changes.push_back({span(b.maker).start, 0, b.bytes, 0, 1});
      Picoseconds end = span(b.maker).over();
      for (const int32_t reader : b.readers) end = std::max(end, span(reader).over());
      if (!b.kept) changes.push_back({end, 0, -b.bytes, 0, 1});
    }
    return most_at_once(std::move(changes));
  }

  const LoopPlan& loops_;
  BlockPlayer player_;
  const std::vector<RoundBuffer>& buffers_;
  LoopTotals totals_;
  Clocks clocks_;
  std::vector<std::vector<int64_t>> before_;  // the clocks of the last rounds, the newest last
  int64_t rounds_played_ = 0, most_played_ = 0;
};

bool chips_are_alike(const Fabric& fabric) {
  if (fabric.link_classes() > 1) return false;
  for (int32_t d = 0; d < fabric.devices(); ++d)
    if (fabric.speed(d) != 1) return false;
  return true;
}

}  // namespace

Result<std::optional<RoundsPlayed>> play_as_lines(const RoundsRequest& asked, int64_t most_played,
                                                  const std::stop_token& stop) {
  const auto& [loops, fabric, buffers, options] = asked;
  const auto paced = [](const Work& work) { return work.pace.has_value(); };
  // What has zero cost is served by no lane, after all of the blocks before.
  const auto at_once = [](const Work& work) {
    return work.kind == WorkKind::compute && work.cost.total() == 0;
  };
  // Beside a slow chip or link products of rounds overtake each other, of which works wait for the last only.
  // What rounds make is summed where they read it themselves.
  if (!chips_are_alike(fabric) || !are_read(loops, buffers, ReadBy::own_rounds))
    return std::optional<RoundsPlayed>();
  if (!options.overlap || fabric.has_pair_links() || std::ranges::any_of(loops.plan.works, paced) ||
      std::ranges::any_of(loops.plan.works, at_once))
    return std::optional<RoundsPlayed>();
  LoopPlayer player(asked, stop);
  TRY(const bool played, player.run(most_played));
  if (!played) return std::optional<RoundsPlayed>();
  return player.summed();
}

}  // namespace shardscope::inline scheduler
