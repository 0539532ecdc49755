// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/series.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardscope {
namespace {

struct Covered {
  Picoseconds length = 0, end = std::numeric_limits<Picoseconds>::min();
  void add(Picoseconds start, Picoseconds stop) {
    if (stop <= std::max(start, end)) return;
    length += stop - std::max(start, end);
    end = stop;
  }
  void begin_period() {}
  // What was added in a period comes `times` over.
  void repeat(const Covered& before, int64_t times, Picoseconds period) {
    length += (length - before.length) * times;
    end += period * times;
  }
  // Whether a period from `now` on begins as the one from `now` - period on did.
  bool like(const Covered& before, Picoseconds now, Picoseconds period) const {
    return std::max(end, now) - period == std::max(before.end, now - period);
  }
};

struct Live {
  int64_t bytes = 0, most = 0, most_before = 0;  // before the period
  void add(Picoseconds, int64_t change) {
    bytes += change;
    most = std::max(most, bytes);
  }
  void begin_period() {
    most_before = most;
    most = bytes;
  }
  void repeat(const Live& before, int64_t times, Picoseconds) {
    const int64_t more = (bytes - before.bytes) * times;
    bytes += more;
    most = std::max({most_before, most, most + more});  // where each is fuller than the one before, the last
  }
  bool like(const Live&, Picoseconds, Picoseconds) const { return true; }
};

// All entries in the order of (at, with).
template <class Sum>
class Sweep {
 public:
  explicit Sweep(std::vector<Series> all) : waiting_(std::move(all)) {
    std::erase_if(waiting_, [](const Series& s) { return s.count <= 0; });
    std::ranges::sort(waiting_, [](const Series& a, const Series& b) { return later(b, a); });
    std::ranges::reverse(waiting_);
  }

  Sum run() {
    while (take_waiting() || !active_.empty()) {
      if (!leap()) step();
    }
    return sum_;
  }

 private:
  static bool later(const Series& a, const Series& b) {
    return std::tie(a.at, a.with) > std::tie(b.at, b.with);
  }

  bool take_waiting() {
    bool took = false;
    while (!waiting_.empty() && (active_.empty() || !later(waiting_.back(), active_.front()))) {
      active_.push_back(waiting_.back());
      waiting_.pop_back();
      std::ranges::push_heap(active_, later);
      took = true;
    }
    return took;
  }

  void step() {
    std::ranges::pop_heap(active_, later);
    Series& s = active_.back();
    sum_.add(s.at, s.with);
    s.at += s.by;
    s.with += s.with_by;
    if (--s.count == 0) {
      active_.pop_back();
    } else {
      std::ranges::push_heap(active_, later);
    }
  }

  // Where all go on at one pace one period is gone through, and those like it are taken at once.
  bool leap() {
    constexpr int64_t kWorthIt = 4;  // periods that are worth it
    const Picoseconds period = active_.front().by;
    int64_t times = std::numeric_limits<int64_t>::max();
    if (period <= 0 || tried_at_ > active_.front().at) return false;
    tried_at_ = active_.front().at + period;
    const Picoseconds until = active_.front().at + period;
    for (const Series& s : active_) {
      if (s.by != period || (s.with_by != period && s.with_by != 0) || s.at >= until) return false;
      times = std::min(times, s.count - 2);
    }
    if (!waiting_.empty()) times = std::min(times, (waiting_.back().at - until) / period - 1);
    if (times < kWorthIt) return false;
    const Sum before = sum_;
    sum_.begin_period();
    for (size_t n = active_.size(); n > 0; --n) step();
    if (!sum_.like(before, until, period)) return true;
    sum_.repeat(before, times, period);
    for (Series& s : active_) {
      s.at += period * times;
      s.with += s.with_by * times;
      s.count -= times;
    }
    tried_at_ = active_.front().at;
    return true;
  }

  std::vector<Series> waiting_, active_;  // the next in front: a heap
  Sum sum_;
  Picoseconds tried_at_ = std::numeric_limits<Picoseconds>::min();
};

}  // namespace

Picoseconds covered_time(const std::vector<Series>& spans) {
  return Sweep<Covered>(spans).run().length;
}

int64_t most_at_once(const std::vector<Series>& changes) {
  return Sweep<Live>(changes).run().most;
}

}  // namespace shardscope
