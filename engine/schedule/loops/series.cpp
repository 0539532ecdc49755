// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/run/spans.h"

namespace shardscope::inline scheduler {
namespace {

constexpr int64_t kMostSteps = 1 << 23;  // entries that are taken one by one; a second of them

struct Covered : CoveredTime {
  // What was added in a period comes `times` over.
  void repeat(const Covered& before, int64_t times, Picoseconds period) {
    length += (length - before.length) * times;
    until += period * times;
  }
  // Whether a period from `now` on begins as the one from `now` - period on did.
  bool like(const Covered& before, Picoseconds now, Picoseconds period) const {
    return std::max(until, now) - period == std::max(before.until, now - period);
  }
};

// All entries in the order of (at, with).
class Sweep {
 public:
  explicit Sweep(std::vector<Series> all) : waiting_(std::move(all)) {
    std::erase_if(waiting_, [](const Series& s) { return s.count <= 0; });
    std::ranges::sort(waiting_, [](const Series& a, const Series& b) { return later(b, a); });
    std::ranges::reverse(waiting_);
  }

  std::optional<Covered> run() {
    for (int64_t steps = 0; take_waiting() || !active_.empty(); ++steps) {
      if (steps == kMostSteps) return std::nullopt;
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
    sum_.add({s.at, s.with});
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
      if (s.by != period || s.with_by != period || s.at >= until) return false;
      times = std::min(times, s.count - 2);
    }
    if (!waiting_.empty()) times = std::min(times, (waiting_.back().at - until) / period - 1);
    if (times < kWorthIt) return false;
    const Covered before = sum_;
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
  Covered sum_;
  Picoseconds tried_at_ = std::numeric_limits<Picoseconds>::min();
};

bool of_one_length(const Series& s) {
  return s.count > 1 && s.by > 0 && s.with_by == s.by;
}

// Spans of one length of which each begins before the one before it is over, as one span.
bool joins(const Series& s) {
  return of_one_length(s) && s.with >= s.at + s.by;
}

Picoseconds end_of(const Series& s) {
  return s.with + s.with_by * (s.count - 1);
}

// Entries [first, end) of a series.
Series part_of(const Series& s, int64_t first, int64_t end) {
  return {s.at + s.by * first, s.by, s.with + s.with_by * first, s.with_by, end - first};
}

// Without those spans of a series that lie within [from, to].
void add_outside(const Series& s, Picoseconds from, Picoseconds to, std::vector<Series>& out) {
  if (!of_one_length(s) || s.at > to || end_of(s) < from) {
    out.push_back(s);
    return;
  }
  const int64_t first = s.at >= from ? 0 : std::min(s.count, (from - s.at + s.by - 1) / s.by);
  const int64_t end = s.with > to ? first : std::clamp((to - s.with) / s.by + 1, first, s.count);
  if (first > 0) out.push_back(part_of(s, 0, first));
  if (end < s.count) out.push_back(part_of(s, end, s.count));
}

// Joins what is one span, and takes what that holds out of the others.
std::vector<Series> simplified(std::vector<Series> spans) {
  const auto rest = std::partition(spans.begin(), spans.end(), joins);
  std::vector<Series> whole(spans.begin(), rest), others(rest, spans.end()), next;
  for (Series& s : whole) {
    s = {s.at, 0, end_of(s), 0, 1};
    next.clear();
    for (const Series& other : others) add_outside(other, s.at, s.with, next);
    others.swap(next);
  }
  others.insert(others.end(), whole.begin(), whole.end());
  return others;
}

// What is there at a time, of changes of which some go on at their paces.
class Level {
 public:
  explicit Level(const std::vector<Series>& changes) : changes_(changes) {
    for (const Series& s : changes_) {
      breaks_.push_back(s.at);
      if (s.count > 1) breaks_.push_back(s.at + s.by * (s.count - 1) + 1);
    }
    std::ranges::sort(changes_, {}, &Series::at);
    std::ranges::sort(breaks_);
    breaks_.erase(std::unique(breaks_.begin(), breaks_.end()), breaks_.end());
  }

  // Between two breaks each change that goes on adds its line to within one change of it, so all of them
  // stay within the sum of their sizes of one line: the most is where that is highest.
  std::optional<int64_t> most() {
    size_t next = 0;
    for (size_t b = 0; b < breaks_.size(); ++b) {
      const Picoseconds from = breaks_[b];
      std::erase_if(active_, [&](const Series& s) {
        const bool over = s.at + s.by * (s.count - 1) < from;
        if (over) ended_ += s.with * s.count;
        return over;
      });
      for (; next < changes_.size() && changes_[next].at <= from; ++next) {
        const Series& s = changes_[next];
        if (s.count == 1 || s.by == 0) ended_ += s.with * s.count;
        if (s.count > 1 && s.by != 0) active_.push_back(s);
      }
      look_at(from);
      if (b + 1 < breaks_.size() && !active_.empty() && !look_between(from, breaks_[b + 1]))
        return std::nullopt;
    }
    return most_;
  }

 private:
  void look_at(Picoseconds time) {
    int64_t bytes = ended_;
    for (const Series& s : active_) bytes += s.with * ((time - s.at) / s.by + 1);
    most_ = std::max(most_, bytes);
  }

  // False: it is level, but of several paces.
  bool look_between(Picoseconds from, Picoseconds to) {
    long double slope = 0, size = 0;
    Picoseconds longest = 0, shortest = std::numeric_limits<Picoseconds>::max();
    for (const Series& s : active_) {
      slope += static_cast<long double>(s.with) / static_cast<long double>(s.by);
      size += std::abs(static_cast<long double>(s.with));
      longest = std::max(longest, s.by);
      shortest = std::min(shortest, s.by);
    }
    if (longest == shortest)
      return look_through(from, from + longest, to) && look_through(std::max(from, to - longest), to, to);
    const long double wide = slope == 0 ? 0x1p62L : std::min(0x1p62L, 1.01L * size / std::abs(slope) + 1);
    const auto width = std::min(to - from, static_cast<Picoseconds>(wide));
    return slope > 0 ? look_through(to - width, to, to) : look_through(from, from + width, to);
  }

  // Every time in [from, until) and before `to` at which something comes.
  bool look_through(Picoseconds from, Picoseconds until, Picoseconds to) {
    until = std::min(until, to);
    for (const Series& s : active_) {
      if (s.with <= 0) continue;
      const int64_t first = from <= s.at ? 0 : (from - s.at + s.by - 1) / s.by;
      for (Picoseconds t = s.at + first * s.by; t < until; t += s.by) {
        if (++looks_ > kMostSteps / std::ssize(active_)) return false;
        look_at(t);
      }
    }
    return true;
  }

  std::vector<Series> changes_, active_;
  std::vector<Picoseconds> breaks_;
  int64_t ended_ = 0;  // what all that are over left
  int64_t most_ = 0, looks_ = 0;
};

}  // namespace

std::optional<Picoseconds> covered_time(std::vector<Series> spans) {
  const std::optional<Covered> all = Sweep(simplified(std::move(spans))).run();
  return all ? std::optional(all->length) : std::nullopt;
}

std::optional<int64_t> most_at_once(std::vector<Series> changes) {
  std::erase_if(changes, [](const Series& s) { return s.count <= 0; });
  return Level(changes).most();
}

}  // namespace shardscope::inline scheduler
