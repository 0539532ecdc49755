// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/shared_buffers.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/program/memory/packing.h"

namespace shardscope::inline program {
namespace {

std::vector<Interval> merged(std::vector<Interval> all) {
  std::ranges::sort(all, {}, &Interval::first);
  std::vector<Interval> out;
  for (const Interval& next : all) {
    if (!out.empty() && next.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, next.last);
    } else {
      out.push_back(next);
    }
  }
  return out;
}

// Groups of values that are one buffer.
class Groups {
 public:
  explicit Groups(const ValueFlow& flow) : parent_(flow.values.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const FlowValue& v : flow.values) {
      const bool for_ever = flow.rules.keeps_tables && v.shape == nullptr && !v.result;
      lives_.push_back(
          {for_ever ? Interval{0, static_cast<int32_t>(flow.at.size())} : Interval{v.first, v.last}});
      homes_.push_back(v.home);
    }
    of_rounds_.assign(parent_.size(), false);
  }
  int32_t find(int32_t value) {
    int32_t& up = parent_[static_cast<size_t>(value)];
    return up == value ? value : up = find(up);
  }
  ValueHome home(int32_t value) { return homes_[static_cast<size_t>(find(value))]; }
  const std::vector<Interval>& lives(int32_t value) { return lives_[static_cast<size_t>(find(value))]; }
  bool is_writable(int32_t value) {
    return home(value) == ValueHome::made || home(value) == ValueHome::donated;
  }
  // Whether a loop hands it from round to round.
  bool is_of_rounds(int32_t value) { return of_rounds_[static_cast<size_t>(find(value))]; }
  void set_of_rounds(int32_t value) { of_rounds_[static_cast<size_t>(find(value))] = true; }
  void lengthen(int32_t value, Interval by) {
    auto& all = lives_[static_cast<size_t>(find(value))];
    all.push_back(by);
    all = merged(std::move(all));
  }
  void join(int32_t a, int32_t b) {
    a = find(a), b = find(b);
    if (a == b) return;
    parent_[static_cast<size_t>(b)] = a;
    auto& to = lives_[static_cast<size_t>(a)];
    auto& from = lives_[static_cast<size_t>(b)];
    to.insert(to.end(), from.begin(), from.end());
    to = merged(std::move(to));
    from.clear();
    ValueHome& home = homes_[static_cast<size_t>(a)];
    home = std::max(home, homes_[static_cast<size_t>(b)]);
    if (of_rounds_[static_cast<size_t>(b)]) of_rounds_[static_cast<size_t>(a)] = true;
  }

 private:
  std::vector<int32_t> parent_;
  std::vector<std::vector<Interval>> lives_;
  std::vector<ValueHome> homes_;
  std::vector<bool> of_rounds_;
};

class Sharing {
 public:
  Sharing(const ValueFlow& flow, bool given) : flow_(flow), given_(given), groups_(flow) {}

  // What must share first: updates and what loops carry, as they end; then what may.
  Result<SharedBuffers> run(const std::stop_token& stop) {
    size_t place = 0, loop = 0;
    const auto& places = flow_.in_place;
    while (place < places.size() || loop < flow_.carried.size()) {
      if (stop.stop_requested()) return cancelled();
      const bool next_is_loop = place == places.size() ||
                                (loop < flow_.carried.size() && flow_.carried[loop].end < places[place].time);
      if (next_is_loop) {
        carry(loop);
      } else {
        if (places[place].asked) stand_in(places[place]);
        ++place;
      }
    }
    alias();
    return flow_.rules.results_first ? with_results_first(stop) : with_all_in_place(stop);
  }

 private:
  const FlowValue& value(int32_t v) const { return flow_.values[static_cast<size_t>(v)]; }

  Result<SharedBuffers> with_all_in_place(const std::stop_token& stop) {
    for (const InPlace& p : flow_.in_place) {
      if (stop.stop_requested()) return cancelled();
      if (!p.asked) stand_in(p);
    }
    return collected();
  }

  // Of what finds no room in results a value stands in the place of a direct operand, where neither is one of
  // several already.
  Result<SharedBuffers> with_results_first(const std::stop_token& stop) {
    SharedBuffers must = collected();
    const std::vector<int32_t> buffer = buffer_;
    const auto of = [&](int32_t v) -> SharedBuffer& {
      return must.buffers[static_cast<size_t>(buffer[static_cast<size_t>(v)])];
    };
    for (const InPlace& p : flow_.in_place)
      if (&of(p.operand) != &of(p.made) && of(p.operand).lives.back().last == p.time) shorten(of(p.operand));
    TRY(const std::vector<int32_t> rest, beside_results(must, stop));
    std::vector<bool> in_heap(must.buffers.size(), false);
    for (const int32_t r : rest) in_heap[static_cast<size_t>(r)] = true;
    const auto is_free = [&](int32_t v) {
      return of(v).values.size() == 1 && in_heap[static_cast<size_t>(buffer[static_cast<size_t>(v)])];
    };
    for (const InPlace& p : flow_.in_place) {
      if (stop.stop_requested()) return cancelled();
      if (!p.asked && p.direct && is_free(p.operand) && is_free(p.made)) stand_in(p);
    }
    SharedBuffers out = collected();
    for (size_t v = 0; v < buffer.size(); ++v) {
      SharedBuffer& b = out.buffers[static_cast<size_t>(buffer_[v])];
      b.in_result = b.is_temporary() && !in_heap[static_cast<size_t>(buffer[v])];
    }
    return out;
  }

  // As if what is made in its place began when it has ended.
  static void shorten(SharedBuffer& b) {
    if (b.lives.back().last > b.lives.back().first) --b.lives.back().last;
  }

  void stand_in(const InPlace& p) {
    if (value(p.operand).bytes != value(p.made).bytes) return;
    if (groups_.find(p.operand) == groups_.find(p.made)) return;
    if (p.asked && given_) {
      if (groups_.is_writable(p.operand)) groups_.join(p.operand, p.made);
      return;
    }
    if (!p.asked && groups_.is_of_rounds(p.made) && groups_.lives(p.made).size() > 1) return;
    if (groups_.is_writable(p.operand) && groups_.is_writable(p.made) && apart(p.operand, p.made, p.time))
      groups_.join(p.operand, p.made);
  }

  // Whether `before` is read for the last time where `after` is made, at `time`.
  bool apart(int32_t before, int32_t after, int32_t time) {
    std::vector<Interval> lives = groups_.lives(before);
    for (Interval& live : lives)
      if (live.last == time) --live.last;
    std::erase_if(lives, [](const Interval& live) { return live.last < live.first; });
    return !overlap(lives, groups_.lives(after));
  }

  // All of one loop, together: a value that two carry is one's.
  void carry(size_t& at) {
    const LoopValue first = flow_.carried[at];
    std::set<int32_t> taken;
    for (; at < flow_.carried.size() && flow_.carried[at].start == first.start; ++at) {
      const LoopValue& c = flow_.carried[at];
      if (c.entering < 0) {
        join_if_apart(c.behind, c.leaving, c.end, taken);
        continue;
      }
      if (c.leaving == c.entering) {  // no round changes it
        groups_.join(c.before, c.entering);
        groups_.join(c.before, c.behind);
        groups_.lengthen(c.before, {c.start, c.end + 1});
        continue;
      }
      groups_.join(c.entering, c.behind);
      groups_.set_of_rounds(c.entering);
      const bool can_enter =
          given_ || (groups_.is_writable(c.before) && groups_.lives(c.before).back().last <= c.start &&
                     taken.insert(groups_.find(c.before)).second);
      if (c.copied && !given_)
        groups_.lengthen(c.entering, {c.end, c.end});
      else
        join_if_apart(c.entering, c.leaving, c.end, taken);
      if (can_enter) groups_.join(c.before, c.entering);
    }
  }

  void join_if_apart(int32_t to, int32_t from, int32_t end, std::set<int32_t>& taken) {
    if (groups_.find(to) == groups_.find(from)) return;
    const bool alone = given_ || (groups_.is_writable(from) && taken.insert(groups_.find(from)).second &&
                                  (!overlap(groups_.lives(to), groups_.lives(from)) || steps(to, from)));
    if (alone)
      groups_.join(to, from);
    else
      groups_.lengthen(to, {end, end});  // it is copied there
  }

  // Whether what a round gives may be made in the memory of what it was given.
  bool steps(int32_t to, int32_t from) {
    const int32_t time = value(from).first;
    const auto first = std::ranges::lower_bound(flow_.in_place, time, {}, &InPlace::time);
    const auto last = std::ranges::upper_bound(flow_.in_place, time, {}, &InPlace::time);
    return std::any_of(first, last, [&](const InPlace& p) {
      return p.made == from && groups_.find(p.operand) == groups_.find(to) && apart(to, from, time);
    });
  }

  void alias() {
    for (size_t r = 0; r < flow_.results.size() && r < flow_.aliased.size(); ++r) {
      const int32_t argument = flow_.aliased[r];
      if (argument < 0) continue;
      if (given_ || !overlap(groups_.lives(argument), groups_.lives(flow_.results[r])))
        groups_.join(argument, flow_.results[r]);
    }
  }

  SharedBuffers collected() {
    SharedBuffers out{flow_.rules, {}};
    std::vector<int32_t> number(flow_.values.size(), -1);  // by group
    buffer_.assign(flow_.values.size(), -1);
    for (size_t v = 0; v < flow_.values.size(); ++v) {
      const auto id = static_cast<int32_t>(v);
      const auto group = static_cast<size_t>(groups_.find(id));
      if (number[group] < 0) {
        number[group] = static_cast<int32_t>(out.buffers.size());
        out.buffers.push_back(
            {-1, id, groups_.home(id), false, false, true, false, groups_.lives(id), {}, {}});
      }
      buffer_[v] = number[group];
      SharedBuffer& b = out.buffers[static_cast<size_t>(number[group])];
      if (flow_.values[v].bytes > b.bytes) b.bytes = flow_.values[v].bytes, b.value = id;
      b.result = b.result || flow_.values[v].result;
      b.values.push_back({flow_.values[v].first, flow_.values[v].last});
      b.table = b.table && flow_.values[v].shape == nullptr;
      b.stored = b.stored || flow_.values[v].stored;
    }
    for (const LoopValue& c : flow_.carried)
      if (c.entering >= 0 && c.entering == c.leaving)
        out.buffers[static_cast<size_t>(buffer_[static_cast<size_t>(c.before)])].passed.push_back(
            {c.start, c.end});
    return out;
  }

  const ValueFlow& flow_;
  const bool given_;
  Groups groups_;
  std::vector<int32_t> buffer_;  // by value, as they were collected
};

}  // namespace

bool overlap(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i].last < b[k].first) {
      ++i;
    } else if (b[k].last < a[i].first) {
      ++k;
    } else {
      return true;
    }
  }
  return false;
}

Result<SharedBuffers> share_buffers(const ValueFlow& flow, bool given, const std::stop_token& stop) {
  return Sharing(flow, given).run(stop);
}

}  // namespace shardscope::inline program
