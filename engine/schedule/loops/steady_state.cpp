// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/steady_state.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace shardscope {
namespace {

constexpr Picoseconds kNot = std::numeric_limits<Picoseconds>::max();

// Events by what they are: where and of which message, not of which round.
auto place_of(const PlayedEvent& e) {
  return std::tie(e.lane, e.step, e.slot, e.computes, e.sends, e.relays, e.receives, e.bytes);
}

}  // namespace

SteadyState::Extent::Extent() : asked(kNot), first_played(kNot), start(kNot), first_done(kNot) {}

void SteadyState::Extent::add(const Extent& other) {
  for (Picoseconds Extent::*first :
       {&Extent::asked, &Extent::first_played, &Extent::start, &Extent::first_done})
    this->*first = std::min(this->*first, other.*first);
  for (Picoseconds Extent::*last : {&Extent::last_played, &Extent::end, &Extent::last_done})
    this->*last = std::max(this->*last, other.*last);
}

SteadyState::SteadyState(const LoopPlan& loops, const WrittenRounds& written, const RoundsTrace& trace)
    : loops_(loops), written_(written), trace_(trace), devices_(trace.spans.size() / written.plan().count()) {
  measure_works();
}

void SteadyState::measure_works() {
  const WorkPlan& plan = written_.plan();
  std::vector<Picoseconds> asked(trace_.done.size(), 0);
  for (size_t n = 0; n < plan.count(); ++n)
    for (int32_t r = plan.first_reader[n]; r < plan.first_reader[n + 1]; ++r)
      for (size_t d = 0; d < devices_; ++d) {
        Picoseconds& at = asked[to_index(plan.readers[to_index(r)]) * devices_ + d];
        at = std::max(at, trace_.done[n * devices_ + d].time);
      }
  works_.resize(plan.count());
  events_.resize(plan.count());
  for (size_t n = 0; n < plan.count(); ++n)
    for (size_t at = n * devices_; at < (n + 1) * devices_; ++at) {
      Extent one;
      one.asked = asked[at];
      one.first_played = one.last_played = trace_.done[at].time;
      one.start = trace_.spans[at].start;
      one.end = trace_.spans[at].over();
      one.first_done = one.last_done = trace_.done[at].time;
      works_[n].add(one);
    }
  for (size_t e = 0; e < trace_.events.size(); ++e) {
    const PlayedEvent& event = trace_.events[e];
    Extent one;
    one.first_played = one.last_played = event.start.time;
    one.start = event.start.time;
    one.end = event.end.time;
    works_[to_index(event.work)].add(one);
    events_[to_index(event.work)].push_back(e);
  }
  // What is played at one time comes in no order.
  const auto order = [&](size_t e) {
    return std::tuple_cat(std::tie(trace_.events[e].start.time), place_of(trace_.events[e]));
  };
  for (std::vector<size_t>& events : events_) std::ranges::sort(events, {}, order);
}

int64_t SteadyState::round_of(size_t block, int32_t work) const {
  const LoopBlock& b = loops_.blocks[block];
  const int64_t from = written_.number(block, static_cast<int32_t>(b.begin));
  const auto size = static_cast<int64_t>(b.size());
  return work < from || work >= from + size * b.times ? -1 : (work - from) / size;
}

size_t SteadyState::first_of(size_t block, int64_t round) const {
  const LoopBlock& b = loops_.blocks[block];
  return to_index(written_.number(block, static_cast<int32_t>(b.begin))) + b.size() * to_index(round);
}

// Else all rounds would begin at once.
bool SteadyState::waits_for_rounds(const LoopBlock& block) const {
  for (size_t w = block.begin; w < block.end; ++w)
    if (std::ranges::none_of(loops_.all_needs[w],
                             [&](int32_t need) { return to_index(need) >= block.first_needed(); }))
      return false;
  return true;
}

bool SteadyState::are_like(const Like& like, int64_t round) const {
  const size_t size = loops_.blocks[like.block].size();
  const size_t first = first_of(like.block, round), then = first_of(like.block, round + like.period);
  const Moment& by = like.distance;
  const auto later = [&](const Moment& a, const Moment& b) { return a.after(by) == b; };
  for (size_t k = 0; k < size * devices_; ++k) {
    const size_t a = first * devices_ + k, b = then * devices_ + k;
    const WorkSpan &x = trace_.spans[a], &y = trace_.spans[b];
    if (!later(trace_.done[a], trace_.done[b])) return false;
    if (x.start + by.time != y.start || x.over() + by.time != y.over()) return false;
  }
  for (size_t k = 0; k < size; ++k)
    if (!std::ranges::equal(events_of(first + k), events_of(then + k), [&](size_t x, size_t y) {
          const PlayedEvent &a = trace_.events[x], &b = trace_.events[y];
          return place_of(a) == place_of(b) && later(a.start, b.start) && later(a.end, b.end);
        }))
      return false;
  return true;
}

std::optional<SteadyState::Like> SteadyState::like(size_t block, int64_t period) const {
  const int64_t rounds = loops_.blocks[block].times, middle = (rounds - period) / 2;
  if (middle <= 0) return std::nullopt;
  Like out{block, middle, middle + 1, period, {}};
  out.distance = trace_.done[first_of(block, middle + period) * devices_].since(
      trace_.done[first_of(block, middle) * devices_]);
  out.distance.event = 0;  // a span has none
  if (out.distance.time <= 0 || !are_like(out, middle)) return std::nullopt;
  while (out.begin > 0 && are_like(out, out.begin - 1)) --out.begin;
  while (out.end + period < rounds && are_like(out, out.end)) ++out.end;
  if (out.end - out.begin < std::max(period, reach_of(block))) return std::nullopt;
  return out;
}

SteadyState::Around SteadyState::around(size_t block) const {
  const auto rounds = to_index(loops_.blocks[block].times);
  Around out{
      std::vector<Extent>(rounds + 1), std::vector<Extent>(rounds + 1), std::vector<Extent>(rounds), {}};
  for (size_t n = 0; n < works_.size(); ++n) {
    const int64_t round = round_of(block, static_cast<int32_t>(n));
    if (round >= 0) {
      out.rounds[to_index(round)].add(works_[n]);
    } else {
      out.others.push_back(works_[n]);
    }
  }
  for (size_t r = 0; r < rounds; ++r) {
    out.before[r + 1] = out.before[r];
    out.before[r + 1].add(out.rounds[r]);
  }
  for (size_t r = rounds; r > 0; --r) {
    out.from[r - 1] = out.from[r];
    out.from[r - 1].add(out.rounds[r - 1]);
  }
  return out;
}

// Where a round begins: whether what it finds is known from the rounds that are alike, and likewise a period
// later.
std::optional<SteadyState::Stretch> SteadyState::stretch(const Like& like, const Around& all,
                                                         int64_t round) const {
  const Picoseconds at = all.rounds[to_index(round)].first_played, next = at + like.distance.time;
  const int64_t rounds = std::ssize(all.rounds), reach = reach_of(like.block);
  if (all.before[to_index(like.begin + reach)].last_played >= at) return std::nullopt;
  const int64_t later = like.begin + like.period + reach;
  if (later > rounds || all.before[to_index(later)].last_played >= next) return std::nullopt;
  const Extent &end = all.from[to_index(like.end)], &after = all.from[to_index(like.end + like.period)];
  if (end.asked < at || after.asked < next) return std::nullopt;
  // Rounds that are not there would not have begun either.
  if (all.from[to_index(rounds - reach)].asked < next) return std::nullopt;
  Stretch out{at, after.asked};
  for (const Extent& e : all.others) {
    const bool is_over = e.last_played < at && e.last_done <= at;
    if (is_over) continue;
    out.until = std::min(out.until, e.asked);
    if (e.first_done <= at) return std::nullopt;
  }
  if (after.first_done <= at || out.until < next) return std::nullopt;
  return out;
}

// What rounds wait for from before the loop was there before all that they make.
bool SteadyState::waits_for_no_constant(const Like& like, const Around& all) const {
  const LoopBlock& block = loops_.blocks[like.block];
  for (size_t w = block.begin; w < block.end; ++w)
    for (const int32_t need : loops_.all_needs[w])
      if (to_index(need) < block.first_needed() &&
          works_[to_index(written_.number_after(need))].last_done > all.from[to_index(like.begin)].first_done)
        return false;
  return true;
}

// Of each lane that is used, the last event before the stretch, and before the next period of it, is of
// rounds that are alike.
bool SteadyState::lanes_repeat(const Like& like, const Stretch& stretch) const {
  std::vector<char> known, known_next;
  const Picoseconds next = stretch.at + like.distance.time;
  for (const PlayedEvent& e : trace_.events) {
    if (e.start.time >= stretch.until) break;
    if (e.lane < 0) continue;  // it waited for none
    const int64_t round = round_of(like.block, e.work);
    const size_t lane = to_index(e.lane);
    if (known.size() <= lane) {
      known.resize(lane + 1, false);
      known_next.resize(lane + 1, false);
    }
    if (e.start.time >= stretch.at && !known[lane]) return false;
    if (e.start.time >= next && !known_next[lane]) return false;
    if (e.start.time < stretch.at) known[lane] = round >= like.begin && round < like.end;
    if (e.start.time < next)
      known_next[lane] = round >= like.begin + like.period && round < like.end + like.period;
  }
  return true;
}

// A time from which on spans of devices and buffers repeat: of what is not of such rounds none is there for a
// part of the period that begins then.
std::optional<Picoseconds> SteadyState::window(const Like& like, const Around& all,
                                               const Stretch& stretch) const {
  const Picoseconds by = like.distance.time;
  Picoseconds ended = all.before[to_index(like.begin)].end;
  Picoseconds started = all.from[to_index(like.end + like.period)].start;
  for (const Extent& e : all.others) {
    const bool is_over = e.last_played < stretch.at;
    if (is_over) ended = std::max(ended, e.end);
    if (!is_over) started = std::min(started, e.start);
  }
  const Picoseconds first_end = all.before[to_index(like.begin + like.period)].end;
  const Picoseconds last_start = all.from[to_index(like.end)].start;
  for (Picoseconds t = stretch.at; t + by <= stretch.until; t += by)
    if (ended <= t && started >= t + by && first_end <= t + by && last_start >= t) return t;
  return std::nullopt;
}

Period SteadyState::period(const Like& like, const Stretch& stretch, Picoseconds window) const {
  const auto first = [&](Picoseconds at) {
    return static_cast<size_t>(
        std::ranges::lower_bound(trace_.events, at, {}, [](const PlayedEvent& e) { return e.start.time; }) -
        trace_.events.begin());
  };
  const Picoseconds by = like.distance.time;
  Period out{like.period, like.distance, first(stretch.at), first(stretch.at + by), window, {}, {}};
  std::vector<Spans> comm(devices_), any(devices_);
  for (const PlayedEvent& e : trace_.events) {
    const Picoseconds start = std::max(e.start.time, window), end = std::min(e.end.time, window + by);
    if (start >= end) continue;
    if (e.computes >= 0) any[to_index(e.computes)].add({start, end});
    for (const int32_t device : {e.sends, e.receives}) {
      if (device < 0) continue;
      comm[to_index(device)].add({start, end});
      any[to_index(device)].add({start, end});
    }
  }
  for (size_t d = 0; d < devices_; ++d) {
    out.comm.push_back(comm[d].length());
    out.any.push_back(any[d].length());
  }
  return out;
}

std::optional<Period> SteadyState::of(size_t block) const {
  if (!waits_for_rounds(loops_.blocks[block])) return std::nullopt;
  std::optional<Around> all;
  for (const int64_t rounds : kPeriods) {
    const auto found = like(block, rounds);
    if (!found) continue;
    if (!all) all = around(block);
    if (!waits_for_no_constant(*found, *all)) continue;
    for (int64_t r = found->begin + reach_of(block); r < found->end; ++r) {
      const auto from = stretch(*found, *all, r);
      if (!from || !lanes_repeat(*found, *from)) continue;
      if (const auto at = window(*found, *all, *from)) return period(*found, *from, *at);
    }
  }
  return std::nullopt;
}

}  // namespace shardscope
