// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/collective_schedule.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "engine/backend/computation_rewrite.h"
#include "engine/base/check.h"
#include "engine/program/analysis/async_pairs.h"

namespace shardscope::inline backend {
namespace {

// An order in the making, from the front or from the back.
class Placed {
 public:
  explicit Placed(size_t count) : done_(count, false) {}
  bool has(size_t k) const { return done_[k]; }
  void add(size_t k) {
    done_[k] = true;
    order_.push_back(k);
  }
  std::vector<size_t> take() && { return std::move(order_); }

 private:
  std::vector<bool> done_;
  std::vector<size_t> order_;
};

std::vector<size_t> with_early_starts(const Computation& c, const ReadersOf& readers) {
  Placed placed(c.instructions.size());
  const auto is_ready = [&](size_t k) {
    bool ready = true;
    each_needed(c.instructions[k], [&](size_t needed) { ready = ready && placed.has(needed); });
    return ready;
  };
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    if (placed.has(k)) continue;
    placed.add(k);
    for (const size_t reader : readers[k])
      if (!placed.has(reader) && is_start(c.instructions[reader]) && is_ready(reader)) placed.add(reader);
  }
  return std::move(placed).take();
}

// Bottom up: what has no reader left to be placed waits in one of these.
class LatencyHider {
 public:
  explicit LatencyHider(const LatencyCase& c)
      : c_(c), readers_(followers_of(c.computation)), left_(readers_.size()), depth_(readers_.size()) {
    for (size_t k = 0; k < readers_.size(); ++k) left_[k] = readers_[k].size();
    set_depths();
  }

  Result<std::vector<size_t>> run(const std::stop_token& stop) {
    for (size_t k = 0; k < readers_.size(); ++k)
      if (left_[k] == 0) make_ready(k);
    std::vector<size_t> order;
    while (order.size() < readers_.size()) {
      if (order.size() % 1024 == 0 && stop.stop_requested()) return cancelled();
      const size_t k = take_next();
      order.push_back(k);
      place(k);
    }
    std::ranges::reverse(order);
    return order;
  }

 private:
  const Instruction& at(size_t k) const { return c_.computation.instructions[k]; }
  size_t start_of(size_t end) const { return static_cast<size_t>(at(end).operands.front().value); }
  bool is_end(size_t k) const {
    return ends_start(at(k)) && !at(k).operands.empty() && is_start(at(start_of(k)));
  }
  size_t link(size_t k) const { return static_cast<size_t>(c_.links[k]); }

  // Time of the collectives on the way from the first instructions to each.
  void set_depths() {
    for (size_t k = 0; k < depth_.size(); ++k) {
      each_needed(at(k), [&](size_t needed) { depth_[k] = std::max(depth_[k], depth_[needed]); });
      if (is_end(k)) depth_[k] += c_.times[start_of(k)];
    }
  }

  // First what leads to most time of collectives, then what an end stands in front of, then what stood last.
  // Leaves, which nothing comes in front of, last of all.
  using Key = std::tuple<bool, Picoseconds, bool, size_t>;
  Key key(size_t k) const {
    const bool leaf = at(k).operands.empty() && at(k).control_predecessors.empty();
    bool reads_end = false;
    each_needed(at(k), [&](size_t needed) { reads_end = reads_end || is_end(needed); });
    return {!leaf, depth_[k], reads_end, k};
  }

  void make_ready(size_t k) {
    if (is_start(at(k)))
      waiting_.emplace(open_until_[k], k);
    else if (is_end(k))
      ends_[link(k)].insert(key(k));
    else
      work_.insert(key(k));
  }

  bool is_free(uint8_t links) const {
    for (size_t l = 0; l < under_way_.size(); ++l)
      if ((links >> l & 1U) != 0 && under_way_[l] > 0) return false;
    return true;
  }

  static size_t pop(std::set<Key>& from, std::set<Key>::iterator at) {
    const size_t k = std::get<size_t>(*at);
    from.erase(at);
    return k;
  }

  // The best work that needs no link in use.
  std::set<Key>::iterator best_work() {
    for (auto k = work_.end(); k != work_.begin();) {
      --k;
      if (is_free(c_.inside.empty() ? 0 : c_.inside[std::get<size_t>(*k)])) return k;
    }
    return work_.end();
  }

  // Whether the start whose time is over comes in front of the best work: an end waits for its link, or it
  // leads to more. One that leads to no other collective waits.
  bool is_next(size_t start, std::set<Key>::iterator work) const {
    if (work == work_.end()) return true;
    const size_t on = link(start);
    if (under_way_[on] >= c_.in_flight && !ends_[on].empty()) return true;
    return depth_[start] > 0 && key(start) > *work;
  }

  size_t take_next() {
    for (size_t l = 0; l < ends_.size(); ++l)
      if (!ends_[l].empty() && under_way_[l] < c_.in_flight) return pop(ends_[l], std::prev(ends_[l].end()));
    const auto work = best_work();
    if (!waiting_.empty() && waiting_.begin()->first <= now_ && is_next(waiting_.begin()->second, work))
      return take_start();
    if (work != work_.end()) return pop(work_, work);
    if (waiting_.empty()) return take_any();
    // Nothing else is left: the rest of its time is in nobody's shade.
    now_ = std::max(now_, waiting_.begin()->first);
    return take_start();
  }

  // Whatever is ready, where an order by control holds up what would free a link.
  size_t take_any() {
    for (auto* ready : {&work_, &ends_[0], &ends_[1]})
      if (!ready->empty()) return pop(*ready, std::prev(ready->end()));
    CHECK(false, "nothing is ready");
    return 0;
  }

  size_t take_start() {
    const size_t k = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    return k;
  }

  void place(size_t k) {
    if (is_end(k)) {
      ++under_way_[link(k)];
      open_until_[start_of(k)] = now_ + c_.times[start_of(k)];
    } else if (is_start(at(k))) {
      --under_way_[link(k)];
    } else {
      now_ += c_.times[k];
    }
    std::vector<size_t> needed;
    each_needed(at(k), [&](size_t each) { needed.push_back(each); });
    std::ranges::sort(needed);
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    for (const size_t each : needed)
      if (--left_[each] == 0) make_ready(each);
  }

  const LatencyCase& c_;
  ReadersOf readers_;
  std::vector<size_t> left_;  // readers that are not placed
  std::vector<Picoseconds> depth_;
  std::map<size_t, Picoseconds> open_until_;  // by start: when, counted from the end, its time is over
  std::set<std::pair<Picoseconds, size_t>> waiting_;
  std::array<std::set<Key>, 2> ends_;
  std::set<Key> work_;
  std::array<int64_t, 2> under_way_{};
  Picoseconds now_ = 0;
};

}  // namespace

std::vector<size_t> early_and_late_order(const Computation& c) {
  const ReadersOf readers = followers_of(c);
  const std::vector<size_t> early = with_early_starts(c, readers);
  Placed placed(early.size());  // from the back
  for (size_t n = early.size(); n-- > 0;) {
    if (placed.has(early[n])) continue;
    placed.add(early[n]);
    each_needed(c.instructions[early[n]], [&](size_t needed) {
      if (placed.has(needed) || !ends_start(c.instructions[needed])) return;
      if (std::ranges::all_of(readers[needed], [&](size_t reader) { return placed.has(reader); }))
        placed.add(needed);
    });
  }
  std::vector<size_t> out = std::move(placed).take();
  std::ranges::reverse(out);
  return out;
}

Result<std::vector<size_t>> latency_hiding_order(const LatencyCase& c, const std::stop_token& stop) {
  return LatencyHider(c).run(stop);
}

}  // namespace shardscope::inline backend
