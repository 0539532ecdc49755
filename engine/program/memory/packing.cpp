// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/packing.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/base/units.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kMostPacked = 4000;

struct Piece {
  int64_t from = 0, to = 0;
};

int64_t lowest_place(std::vector<Piece>& busy, int64_t bytes, int64_t step) {
  std::ranges::sort(busy, {}, &Piece::from);
  int64_t at = 0, best = -1, best_gap = 0;
  for (const Piece& p : busy) {
    const int64_t gap = p.from - at;
    if (gap >= bytes && (best < 0 || gap < best_gap)) best = at, best_gap = gap;
    at = std::max(at, round_up(p.to, step));
  }
  return best < 0 ? at : best;
}

// How high it gets when `order` is placed one after the other.
Result<int64_t> height(const SharedBuffers& shared, const std::vector<int32_t>& order,
                       const std::stop_token& stop) {
  std::vector<Piece> places, busy;
  int64_t high = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    if (stop.stop_requested()) return cancelled();
    const SharedBuffer& b = shared.at(order[k]);
    busy.clear();
    for (size_t o = 0; o < k; ++o)
      if (overlap(b.lives, shared.at(order[o]).lives)) busy.push_back(places[o]);
    const int64_t at = lowest_place(busy, b.bytes, shared.rules.place_step);
    places.push_back({at, at + b.bytes});
    high = std::max(high, at + b.bytes);
  }
  return high;
}

// The heap of XLA:TPU as a program runs: memory that buffers have left is given to others in one piece, from
// one still taken to the next; what only keeps buffers at their multiples is no part of a piece's end.
class RunningHeap {
 public:
  explicit RunningHeap(const SharedBuffers& shared) : shared_(shared) {}

  void place(int32_t buffer) {
    const SharedBuffer& b = shared_.at(buffer);
    int64_t at = 0, best = -1, best_gap = 0;
    const auto offer = [&](int64_t end) {
      if (end - at >= b.bytes && (best < 0 || end - at < best_gap)) best = at, best_gap = end - at;
    };
    int64_t left = 0;  // as far as buffers reached that are gone
    for (const Placed& p : placed_) {
      if (!overlap(b.lives, shared_.at(p.buffer).lives)) {
        left = std::max(left, p.to);
        continue;
      }
      offer(std::min(left, p.from));
      at = std::max(at, round_up(p.to, shared_.rules.place_step));
    }
    offer(left);
    const int64_t from = best < 0 ? at : best;
    high_ = std::max(high_, from + b.bytes);
    placed_.insert(std::ranges::upper_bound(placed_, from, {}, &Placed::from),
                   {from, from + b.bytes, buffer});
  }
  int64_t high() const { return high_; }

 private:
  struct Placed {
    int64_t from = 0, to = 0;
    int32_t buffer = 0;
  };
  const SharedBuffers& shared_;
  std::vector<Placed> placed_;  // by where they begin
  int64_t high_ = 0;
};

// In the order of their making; tables have places of their own.
Result<int64_t> running_height(const SharedBuffers& shared, std::vector<int32_t> some,
                               const std::stop_token& stop) {
  std::ranges::stable_sort(some, {}, [&](int32_t b) { return shared.at(b).lives.front().first; });
  RunningHeap heap(shared);
  int64_t tables = 0;
  for (const int32_t b : some) {
    if (stop.stop_requested()) return cancelled();
    if (shared.at(b).table)
      tables += round_up(shared.at(b).bytes, shared.rules.place_step);
    else
      heap.place(b);
  }
  return heap.high() + tables;
}

// How long buffers live as XLA's heap counts it: places that are taken or given back one after the other,
// those that are taken at a time first, each value's by itself.
struct Life {
  int64_t first_value = 0;  // of the first value
  int64_t all = 0;          // from its beginning to the last one's end
};
std::vector<Life> lives_in_turns(const SharedBuffers& shared, const std::vector<int32_t>& some) {
  struct Turn {
    int32_t time = 0;
    bool ends = false;
    int32_t made = 0;
    size_t buffer = 0, value = 0;
  };
  std::vector<Turn> turns;
  for (size_t b = 0; b < some.size(); ++b) {
    const auto& values = shared.at(some[b]).values;
    for (size_t v = 0; v < values.size(); ++v) {
      turns.push_back({values[v].first, false, values[v].first, b, v});
      turns.push_back({values[v].last, true, values[v].first, b, v});
    }
  }
  std::ranges::stable_sort(turns, {},
                           [](const Turn& turn) { return std::tuple(turn.time, turn.ends, turn.made); });
  std::vector<Life> out(some.size());
  std::vector<int64_t> start(some.size(), -1);
  for (size_t t = 0; t < turns.size(); ++t) {
    const Turn& turn = turns[t];
    const auto now = static_cast<int64_t>(t);
    if (!turn.ends && start[turn.buffer] < 0) start[turn.buffer] = now;
    if (!turn.ends) continue;
    if (turn.value == 0) out[turn.buffer].first_value = now - start[turn.buffer];
    out[turn.buffer].all = now - start[turn.buffer];
  }
  return out;
}

class BytesByTime {
 public:
  explicit BytesByTime(size_t times) : out_(times + 2, 0) {}
  void add(const Interval& during, int64_t bytes) {
    out_[static_cast<size_t>(during.first)] += bytes;
    out_[std::min(static_cast<size_t>(during.last) + 1, out_.size() - 1)] -= bytes;
  }
  std::vector<int64_t> sums() && {
    for (size_t t = 1; t < out_.size(); ++t) out_[t] += out_[t - 1];
    return std::move(out_);
  }

 private:
  std::vector<int64_t> out_;
};

}  // namespace

Result<std::vector<int32_t>> beside_results(const SharedBuffers& shared, const std::stop_token& stop) {
  std::vector<int32_t> homes, rest;
  for (size_t k = 0; k < shared.buffers.size(); ++k) {
    const SharedBuffer& b = shared.buffers[k];
    if (b.home == ValueHome::constant || b.home == ValueHome::argument || b.bytes == 0) continue;
    if (b.result)
      homes.push_back(static_cast<int32_t>(k));
    else if (b.is_temporary())
      rest.push_back(static_cast<int32_t>(k));
  }
  const auto larger = [&](int32_t a, int32_t b) { return shared.at(a).bytes > shared.at(b).bytes; };
  std::ranges::stable_sort(homes, larger);
  std::ranges::stable_sort(rest, larger);
  std::vector<std::vector<Interval>> busy;
  for (const int32_t h : homes) busy.push_back(shared.at(h).lives);
  std::vector<int32_t> out;
  for (const int32_t r : rest) {
    if (stop.stop_requested()) return cancelled();
    const SharedBuffer& b = shared.at(r);
    size_t h = (shared.rules.tiled || shared.rules.keeps_tables) && b.table ? 0 : homes.size();
    while (h > 0 && (shared.at(homes[h - 1]).bytes < b.bytes || overlap(busy[h - 1], b.lives))) --h;
    if (h == 0) {
      out.push_back(r);
      continue;
    }
    std::vector<Interval>& taken = busy[h - 1];
    taken.insert(taken.end(), b.lives.begin(), b.lives.end());
    std::ranges::sort(taken, {}, &Interval::first);
  }
  return out;
}

std::vector<int64_t> bytes_by_time(const SharedBuffers& shared, const std::vector<int32_t>& some,
                                   size_t times) {
  BytesByTime out(times);
  for (const int32_t k : some)
    for (const Interval& live : shared.at(k).lives) out.add(live, shared.at(k).bytes);
  return std::move(out).sums();
}

std::vector<int64_t> bytes_used_by_time(const SharedBuffers& shared, const std::vector<int32_t>& some,
                                        size_t times) {
  BytesByTime out(times);
  for (const int32_t k : some) {
    for (const Interval& live : shared.at(k).lives)
      out.add({live.first, std::max(live.first, live.last - 1)}, shared.at(k).bytes);
    for (const Interval& rounds : shared.at(k).passed) out.add(rounds, -shared.at(k).bytes);
  }
  return std::move(out).sums();
}

void take_fast_memory(SharedBuffers& shared, int64_t fast_bytes, size_t times) {
  constexpr size_t kMostMoments = 4096;  // more are taken together
  std::vector<size_t> order;
  for (size_t k = 0; k < shared.buffers.size(); ++k) {
    const SharedBuffer& b = shared.buffers[k];
    if (b.is_temporary()) order.push_back(k);
  }
  std::ranges::stable_sort(order, {}, [&](size_t k) { return shared.buffers[k].bytes; });
  const size_t together = times / kMostMoments + 1;
  std::vector<int64_t> taken(times / together + 2, 0);
  const auto moment = [&](int32_t time) {
    return std::min(static_cast<size_t>(time) / together, taken.size() - 1);
  };
  for (const size_t k : order) {
    SharedBuffer& b = shared.buffers[k];
    const bool has_room = std::ranges::all_of(b.lives, [&](const Interval& life) {
      for (size_t m = moment(life.first); m <= moment(life.last); ++m)
        if (taken[m] + b.bytes > fast_bytes) return false;
      return true;
    });
    if (!has_room) continue;
    size_t next = 0;  // lives that share a moment take it once
    for (const Interval& life : b.lives)
      for (next = std::max(next, moment(life.first)); next <= moment(life.last); ++next)
        taken[next] += b.bytes;
    b.bytes = 0;
  }
}

int64_t with_gaps(const SharedBuffers& shared, const std::vector<int32_t>& some, int64_t packed,
                  int64_t live) {
  if (!shared.rules.counts_gaps) return packed;
  const bool stored = std::ranges::any_of(some, [&](int32_t k) { return shared.at(k).stored; });
  return stored ? 2 * round_up(packed, shared.rules.place_step) - live : 0;
}

namespace {

// Those that share places.
Result<int64_t> heap_bytes(const SharedBuffers& shared, const std::vector<int32_t>& some, size_t times,
                           const std::stop_token& stop) {
  if (some.size() > kMostPacked) return std::ranges::max(bytes_by_time(shared, some, times));
  const std::vector<Life> lives = lives_in_turns(shared, some);
  std::vector<size_t> by_number(some.size());
  std::iota(by_number.begin(), by_number.end(), size_t{0});
  const auto in_order_of = [&](const auto& key) {
    std::vector<size_t> order = by_number;
    std::ranges::stable_sort(order, std::greater<>(), key);
    std::vector<int32_t> out;
    for (const size_t b : order) out.push_back(some[b]);
    return out;
  };
  const auto bytes = [&](size_t b) { return shared.at(some[b]).bytes; };
  TRY(const int64_t by_size,
      height(shared, in_order_of([&](size_t b) { return std::pair(bytes(b), lives[b].first_value); }), stop));
  TRY(const int64_t by_life,
      height(shared, in_order_of([&](size_t b) { return std::pair(lives[b].all, bytes(b)); }), stop));
  return std::min(by_size, by_life);
}

// One behind the other, `heap` among them.
int64_t with_tables(std::vector<int64_t> tables, int64_t heap, const MemoryRules& rules) {
  std::ranges::sort(tables);
  if (heap > 0) tables.insert(rules.ends_with_table ? tables.begin() : tables.end(), heap);
  int64_t out = 0;
  for (const int64_t bytes : tables) out = round_up(out, rules.place_step) + bytes;
  return out;
}

}  // namespace

Result<int64_t> packed_bytes(const SharedBuffers& shared, const std::vector<int32_t>& some, size_t times,
                             const std::stop_token& stop) {
  if (shared.rules.compiled_for_tpu() && some.size() <= kMostPacked)
    return running_height(shared, some, stop);
  if (!shared.rules.keeps_tables || shared.rules.tiled) return heap_bytes(shared, some, times, stop);
  std::vector<int64_t> tables;
  std::vector<int32_t> arrays;
  for (const int32_t b : some)
    if (shared.at(b).table)
      tables.push_back(shared.at(b).bytes);
    else
      arrays.push_back(b);
  TRY(const int64_t heap, heap_bytes(shared, arrays, times, stop));
  return with_tables(std::move(tables), heap, shared.rules);
}

}  // namespace shardscope::inline program
