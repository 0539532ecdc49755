// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/schedule/loops/written_rounds.h"

namespace shardscope::inline scheduler {
namespace {

constexpr Picoseconds kNot = std::numeric_limits<Picoseconds>::max();

Picoseconds starts_at(const PlayedEvent& event) {
  return event.start.time;
}

// What one period of a loop adds: so many rounds of it.
struct Period {
  int64_t rounds = 0;
  Moment distance;                    // by how much all that comes after it comes later
  Picoseconds from = 0;               // it begins behind this time
  size_t begin = 0, end = 0;          // the events played in it, as the trace lists them
  std::vector<DeviceTotals> devices;  // all but memory
};

// A simulator looks at nothing but the past, so what it does from a time on follows from what is under way
// then: works that some of what they wait for has come to, and which are not over. All of that happened since
// the oldest of these was reached. Where the same happened a period later, each time and each part of it
// (what it consists of) by the same distance, all that follows does, as long as there are rounds.
class SteadyState {
 public:
  SteadyState(const LoopPlan& loops, const WrittenRounds& written, const RoundsTrace& trace)
      : loops_(loops),
        written_(written),
        trace_(trace),
        devices_(trace.spans.size() / written.plan().count()) {
    measure_works();
    done_order_.resize(trace_.done.size());
    std::iota(done_order_.begin(), done_order_.end(), size_t{0});
    std::ranges::stable_sort(done_order_, {}, [&](size_t place) { return trace_.done[place].time; });
  }
  // Of the rounds that a block repeats; none: not seen in so few of them.
  std::optional<Period> of(size_t block) const {
    const int64_t all = loops_.blocks[block].times;
    for (const int64_t rounds : kPeriods) {
      for (int64_t r = all - rounds - 1; r >= 0; --r) {
        const Cut now = cut(block, r), next = cut(block, r + rounds);
        Moment distance = next.at.since(now.at);
        distance.event = 0;  // a span has none
        if (distance.time <= 0 || !ends_alike(block, now, next)) continue;
        const auto begin = oldest(block, now, next);
        if (!begin) continue;
        if (since(*begin, now) == since(*begin + distance.time, next)) return period(rounds, now, distance);
        break;  // what is under way at earlier cuts began still earlier
      }
    }
    return std::nullopt;
  }

 private:
  // Of a work, over all devices: when the first of the rounds that it waits for reached it, when it first had
  // all that it waits for, and when nothing of it was left.
  struct Extent {
    Picoseconds reached = kNot, asked = kNot, over = 0;
  };
  // The time at which a round's first work is done, and that work's number.
  struct Cut {
    size_t first = 0;
    Moment at;
  };
  // What happened, and when, counted from a cut.
  using Happened = std::array<int64_t, 20>;

  size_t begin_of(size_t block) const {
    return to_index(written_.number(block, static_cast<int32_t>(loops_.blocks[block].begin)));
  }
  size_t end_of(size_t block) const {
    return begin_of(block) + loops_.blocks[block].size() * to_index(loops_.blocks[block].times);
  }
  void measure_works() {
    const WorkPlan& plan = written_.plan();
    works_.resize(plan.count());
    // By number, from which one on it waits for rounds of its loop.
    std::vector<size_t> rounds_from(plan.count(), plan.count());
    for (size_t b = 0; b < loops_.blocks.size(); ++b) {
      const LoopBlock& block = loops_.blocks[b];
      for (size_t n = begin_of(b); block.repeats() && n < end_of(b); ++n)
        rounds_from[n] = n - (n - begin_of(b)) % block.size() - kReach * block.size();
    }
    std::vector<Picoseconds> asked(trace_.done.size(), 0);
    for (size_t n = 0; n < plan.count(); ++n)
      for (int32_t i = plan.first_reader[n]; i < plan.first_reader[n + 1]; ++i) {
        const size_t reader = to_index(plan.readers[to_index(i)]);
        for (size_t d = 0; d < devices_; ++d) {
          const Picoseconds done = trace_.done[n * devices_ + d].time;
          Picoseconds& latest = asked[reader * devices_ + d];
          latest = std::max(latest, done);
          if (n >= rounds_from[reader]) works_[reader].reached = std::min(works_[reader].reached, done);
        }
      }
    for (size_t at = 0; at < asked.size(); ++at) {
      Extent& it = works_[at / devices_];
      it.asked = std::min(it.asked, asked[at]);
      it.over = std::max({it.over, trace_.done[at].time, trace_.spans[at].over()});
    }
    for (const PlayedEvent& event : trace_.events) {
      Extent& it = works_[to_index(event.work)];
      it.over = std::max(it.over, event.end.time);
    }
  }
  Cut cut(size_t block, int64_t round) const {
    const size_t first = begin_of(block) + loops_.blocks[block].size() * to_index(round);
    return {first, trace_.done[first * devices_]};
  }
  // All of a round as much later as the first of it.
  bool ends_alike(size_t block, const Cut& now, const Cut& next) const {
    for (size_t k = 0; k < loops_.blocks[block].size() * devices_; ++k)
      if (trace_.done[now.first * devices_ + k].since(now.at) !=
          trace_.done[next.first * devices_ + k].since(next.at))
        return false;
    return true;
  }
  // Since when all happened that at both times is under way, counted to the first. None: some of it is of
  // other works than the loop's rounds, or the last of these have begun, behind which rounds are left out.
  std::optional<Picoseconds> oldest(size_t block, const Cut& now, const Cut& next) const {
    const size_t begin = begin_of(block), end = end_of(block);
    const size_t last = end - loops_.blocks[block].size() * kReach;
    Picoseconds out = now.at.time;
    for (size_t n = begin; n < end; ++n) {
      const Extent& it = works_[n];
      if (n >= last && it.asked <= next.at.time) return std::nullopt;
      for (const Cut* cut : {&now, &next})
        if (it.reached <= cut->at.time && it.over > cut->at.time)
          out = std::min(out, it.reached - (cut->at.time - now.at.time));
    }
    for (size_t n = 0; n < works_.size(); ++n) {
      const bool other = n < begin || n >= end;
      if (other && works_[n].over >= out && works_[n].asked <= next.at.time) return std::nullopt;
    }
    return out;
  }
  // In an order that does not depend on when it was.
  std::vector<Happened> since(Picoseconds begin, const Cut& until) const {
    std::vector<Happened> out;
    const auto add = [&](size_t work, const Moment& start, const Moment& end, bool is_event, auto... what) {
      const Moment a = start.since(until.at), b = end.since(until.at);
      const int64_t behind = static_cast<int64_t>(work) - static_cast<int64_t>(until.first);
      out.push_back({a.time, a.compute, a.memory, a.latency, a.bandwidth, b.time, b.compute, b.memory,
                     b.latency, b.bandwidth, behind, is_event, what...});
    };
    for (auto e = std::ranges::lower_bound(trace_.events, begin, {}, starts_at);
         e != trace_.events.end() && e->start.time <= until.at.time; ++e)
      add(to_index(e->work), e->start, e->end, true, e->lane, e->step, e->slot, e->computes, e->sends,
          e->relays, e->receives, e->bytes);
    const auto done_at = [&](size_t place) { return trace_.done[place].time; };
    for (auto at = std::ranges::lower_bound(done_order_, begin, {}, done_at);
         at != done_order_.end() && done_at(*at) <= until.at.time; ++at)
      add(*at / devices_, trace_.done[*at], trace_.done[*at], false, static_cast<int64_t>(*at % devices_));
    std::ranges::sort(out);
    return out;
  }
  Period period(int64_t rounds, const Cut& now, const Moment& distance) const {
    const auto first_behind = [&](Picoseconds at) {
      return static_cast<size_t>(std::ranges::upper_bound(trace_.events, at, {}, starts_at) -
                                 trace_.events.begin());
    };
    const Picoseconds from = now.at.time, to = from + distance.time;
    Period out{rounds, distance, from, first_behind(from), first_behind(to), {}};
    std::vector<DeviceTally> sums(devices_);
    for (const PlayedEvent& e : trace_.events) {
      const TimeRange inside{std::max(e.start.time, from), std::min(e.end.time, to)};
      if (e.computes >= 0) sums[to_index(e.computes)].any.add(inside);
      for (const int32_t device : {e.sends, e.receives})
        if (device >= 0) sums[to_index(device)].communicates(inside);
    }
    for (size_t k = out.begin; k < out.end; ++k) {
      const PlayedEvent& e = trace_.events[k];
      if (e.computes >= 0) sums[to_index(e.computes)].totals.compute += e.end.time - e.start.time;
      if (e.sends >= 0) sums[to_index(e.sends)].totals.bytes_sent += e.bytes;
      if (e.relays >= 0) sums[to_index(e.relays)].totals.bytes_relayed += e.bytes;
      if (e.receives >= 0) sums[to_index(e.receives)].totals.bytes_received += e.bytes;
    }
    for (const DeviceTally& of_device : sums) out.devices.push_back(of_device.in(distance.time));
    return out;
  }

  const LoopPlan& loops_;
  const WrittenRounds& written_;
  const RoundsTrace& trace_;
  size_t devices_;
  std::vector<Extent> works_;       // by number
  std::vector<size_t> done_order_;  // places in RoundsTrace::done, by time
};

// A period that comes so many times more than it was played.
struct Repeated {
  Period period;
  int64_t times = 0;
};

// As many rounds of each loop that a play of them tells of any period that may be left out.
LoopPlan shortened(const LoopPlan& loops, int64_t rounds) {
  const int64_t all_periods = kPeriods.back();
  LoopPlan out = loops;
  for (LoopBlock& block : out.blocks)
    if (block.times >= rounds + all_periods) block.times = rounds + (block.times - rounds) % all_periods;
  return out;
}

Moment moved(Moment m, const Moment& by, int64_t times) {
  for (Picoseconds Moment::*part :
       {&Moment::time, &Moment::compute, &Moment::memory, &Moment::latency, &Moment::bandwidth})
    m.*part += by.*part * times;
  return m;
}

}  // namespace

Result<std::optional<RoundsPlayed>> play_steadily(const RoundsRequest& asked, int64_t rounds,
                                                  const std::stop_token& stop) {
  const LoopPlan few = shortened(asked.loops, rounds);
  if (few.blocks == asked.loops.blocks || !can_be_played(few, asked.fabric))
    return std::optional<RoundsPlayed>();
  const WrittenRounds written(few);
  RoundsTrace trace;
  const RoundsRequest asked_few{few, asked.fabric, asked.buffers, asked.options};
  TRY(auto played, play_rounds(asked_few, written, stop, &trace));
  if (!played) return std::optional<RoundsPlayed>();
  const SteadyState steady(few, written, trace);
  std::vector<Repeated> repeated;
  std::vector<RoundsLeftOut> left_out;
  for (size_t b = 0; b < few.blocks.size(); ++b) {
    const int64_t left = asked.loops.blocks[b].times - few.blocks[b].times;
    if (left == 0) continue;
    auto period = steady.of(b);
    if (!period) return std::optional<RoundsPlayed>();
    const int64_t times = left / period->rounds;
    left_out.push_back({b, period->from, left});
    repeated.push_back({*std::move(period), times});
  }
  find_peaks(asked_few, written, trace.spans, left_out, *played);
  std::ranges::sort(repeated, {}, [](const Repeated& r) { return r.period.begin; });
  for (const auto& [period, times] : repeated) {
    played->events += static_cast<int64_t>(period.end - period.begin) * times;
    played->last.end = moved(played->last.end, period.distance, times);
    for (size_t d = 0; d < played->devices.size(); ++d)
      add_times(period.devices[d], times, played->devices[d]);
  }
  return played;
}

}  // namespace shardscope::inline scheduler
