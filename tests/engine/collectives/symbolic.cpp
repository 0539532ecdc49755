// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/collectives/symbolic.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <sstream>

namespace shardscope {

namespace {

using Kind = CollectiveKind;
using Mask = uint64_t;  // of contributing ranks

Mask one(int32_t rank) {
  return Mask{1} << rank;
}

Mask at_first(const CollectiveSchedule& s, int32_t rank, int32_t chunk) {
  switch (s.kind()) {
    case Kind::all_gather:
    case Kind::all_to_all:
      return s.home(chunk) == rank ? one(rank) : 0;
    case Kind::broadcast:
      return rank == 0 ? one(0) : 0;
    default:
      return one(rank);
  }
}

// What must be there in the end; 0: nothing in particular.
Mask at_last(const CollectiveSchedule& s, int32_t rank, int32_t chunk) {
  const Mask all = s.ranks() == 64 ? ~Mask{0} : one(s.ranks()) - 1;
  switch (s.kind()) {
    case Kind::all_gather:
      return one(s.home(chunk));
    case Kind::reduce_scatter:
      return s.home(chunk) == rank ? all : 0;
    case Kind::all_to_all:
      return s.goal(chunk) == rank ? one(s.home(chunk)) : 0;
    case Kind::broadcast:
      return one(0);
    case Kind::reduce:
      return rank == 0 ? all : 0;
    default:
      return all;
  }
}

bool share(const std::set<int32_t>& a, const std::set<int32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](int32_t chunk) { return b.count(chunk) > 0; });
}

std::string text(const Transfer& t) {
  return fmt::format("step {}: {}>{}:{}{}x{}", t.step, t.source, t.target, t.adds ? "+" : "", t.chunk,
                     t.count);
}

}  // namespace

std::vector<int32_t> chunks_of(const Transfer& t, const CollectiveSchedule& schedule) {
  std::vector<int32_t> out;
  schedule.append_chunks(t, out);
  return out;
}

std::vector<Transfer> transfers_of(const CollectiveSchedule& schedule) {
  std::vector<Transfer> out;
  for (int32_t s = 0; s < schedule.steps(); ++s) schedule.append_step(s, out);
  return out;
}

std::string run_symbolically(const CollectiveSchedule& s) {
  const auto chunks = static_cast<size_t>(s.chunks());
  std::vector<std::vector<Mask>> held(static_cast<size_t>(s.ranks()), std::vector<Mask>(chunks));
  for (int32_t r = 0; r < s.ranks(); ++r) {
    for (int32_t c = 0; c < s.chunks(); ++c)
      held[static_cast<size_t>(r)][static_cast<size_t>(c)] = at_first(s, r, c);
  }
  for (int32_t step = 0; step < s.steps(); ++step) {
    std::vector<Transfer> transfers;
    s.append_step(step, transfers);
    const auto before = held;
    int32_t last_source = 0;
    for (const Transfer& t : transfers) {
      if (t.step != step || t.source < last_source) return "not by step and source: " + text(t);
      if (t.source == t.target || t.target < 0 || t.target >= s.ranks() || t.count < 1 ||
          t.count > s.chunks())
        return "no such transfer: " + text(t);
      last_source = t.source;
      const std::vector<int32_t> carried = chunks_of(t, s);
      if (static_cast<int32_t>(carried.size()) != t.count || carried.front() != t.chunk)
        return "carries other chunks than it says: " + text(t);
      for (const int32_t c : carried) {
        if (s.stream_of(c) != s.stream_of(t.chunk)) return "two streams in one message: " + text(t);
        const Mask sent = before[static_cast<size_t>(t.source)][static_cast<size_t>(c)];
        Mask& kept = held[static_cast<size_t>(t.target)][static_cast<size_t>(c)];
        if (sent == 0) return fmt::format("sends chunk {} that it does not hold: {}", c, text(t));
        if (t.adds && (kept & sent) != 0) return fmt::format("counts chunk {} twice: {}", c, text(t));
        if (!t.adds && s.kind() != Kind::all_reduce && kept != 0)
          return fmt::format("brings chunk {} again: {}", c, text(t));
        kept = t.adds ? kept | sent : sent;
      }
    }
  }
  for (int32_t r = 0; r < s.ranks(); ++r) {
    for (int32_t c = 0; c < s.chunks(); ++c) {
      const Mask due = at_last(s, r, c);
      if (due != 0 && held[static_cast<size_t>(r)][static_cast<size_t>(c)] != due)
        return fmt::format("rank {} ends without all of chunk {}", r, c);
    }
  }
  return "";
}

std::string waits_are_enough(const CollectiveSchedule& s) {
  const std::vector<Transfer> all = transfers_of(s);
  std::vector<std::set<size_t>> before(all.size());  // all that has arrived when a transfer starts
  std::vector<std::set<int32_t>> carried;
  for (const Transfer& t : all) {
    const std::vector<int32_t> chunks = chunks_of(t, s);
    carried.emplace_back(chunks.begin(), chunks.end());
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const Transfer& t = all[i];
    for (size_t k = 0; k < i && all[k].step < t.step; ++k) {
      if (all[k].target != t.source) continue;
      const bool waits = s.dependency() == Dependency::previous_step
                             ? all[k].step + 1 == t.step && share(carried[k], carried[i])
                             : s.stream_of(all[k].chunk) == s.stream_of(t.chunk);
      if (!waits) continue;
      before[i].insert(before[k].begin(), before[k].end());
      before[i].insert(k);
    }
    for (size_t k = 0; k < i && all[k].step < t.step; ++k) {
      if (all[k].target == t.source && before[i].count(k) == 0 && share(carried[k], carried[i]))
        return text(t) + " does not wait for " + text(all[k]);
    }
  }
  return "";
}

std::string turns_as_said(const CollectiveSchedule& s, const std::vector<GroupAxis>& axes) {
  const int32_t n = s.ranks();
  std::vector<GroupAxis> turned_axes = axes;
  if (axes.empty()) turned_axes = {{n, true}};
  // A chunk goes over into that of the turned rank with the same place among its rank's chunks.
  std::map<int32_t, std::vector<int32_t>> of_home;
  std::vector<size_t> place(static_cast<size_t>(s.chunks()));
  for (int32_t c = 0; c < s.chunks(); ++c) {
    place[static_cast<size_t>(c)] = of_home[s.home(c)].size();
    of_home[s.home(c)].push_back(c);
  }
  bool turns = s.kind() != Kind::broadcast && s.kind() != Kind::reduce && s.chunks() % n == 0;
  int32_t stride = n;
  for (const GroupAxis& axis : turned_axes) {
    stride /= axis.size;
    const auto turn = [&](int32_t r) {
      return r / stride % axis.size + 1 < axis.size ? r + stride : r - (axis.size - 1) * stride;
    };
    for (int32_t step = 0; turns && step < s.steps(); ++step) {
      for (int32_t r = 0; turns && r < n; ++r) {
        std::vector<Transfer> here, there;
        s.append_from(step, r, here);
        s.append_from(step, turn(r), there);
        turns = here.size() == there.size();
        for (size_t i = 0; turns && i < here.size(); ++i) {
          std::set<int32_t> moved;
          for (const int32_t c : chunks_of(here[i], s))
            moved.insert(of_home[turn(s.home(c))][place[static_cast<size_t>(c)]]);
          const std::vector<int32_t> chunks = chunks_of(there[i], s);
          turns = turn(here[i].target) == there[i].target && here[i].direction == there[i].direction &&
                  moved == std::set<int32_t>(chunks.begin(), chunks.end());
        }
      }
    }
  }
  if (s.steps() == 0) turns = true;
  if (turns == s.rotation_symmetric()) return "";
  return turns ? "is symmetric but does not say so" : "says that it is symmetric but is not";
}

Table table(const std::string& text) {
  Table steps(1);
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word == "|") {
      steps.emplace_back();
    } else {
      steps.back().push_back(word);
    }
  }
  for (auto& step : steps) std::sort(step.begin(), step.end());
  return steps;
}

Table table(const CollectiveSchedule& s) {
  Table steps(static_cast<size_t>(s.steps()));
  for (const Transfer& t : transfers_of(s)) {
    std::string chunks;
    for (const int32_t c : chunks_of(t, s)) {
      const int32_t shown = s.kind() == Kind::all_to_all ? s.home(c) * s.ranks() + s.goal(c) : c;
      chunks += fmt::format("{}{}", chunks.empty() ? "" : ",", shown);
    }
    steps[static_cast<size_t>(t.step)].push_back(
        fmt::format("{}>{}:{}{}", t.source, t.target, t.adds ? "+" : "", chunks));
  }
  for (auto& step : steps) std::sort(step.begin(), step.end());
  return steps;
}

}  // namespace shardscope
