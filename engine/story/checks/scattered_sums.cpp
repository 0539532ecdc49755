// SPDX-License-Identifier: Apache-2.0
// What a reduce-scatter leaves behind, and the first half of a ring all-reduce.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/story/beat_facts.h"
#include "engine/story/checks/held_elements.h"
#include "engine/story/checks/invariants.h"
#include "engine/story/index_sets.h"

namespace shardscope::inline story {
namespace {

using Element = std::vector<int64_t>;

// One execution of a collective as far as it adds.
struct Sums {
  const Story& story;
  const TimedCollective& timed;
  int32_t array = -1;                             // -1: what it adds cannot be followed
  std::map<int32_t, std::set<Element>> elements;  // by group: lowest ones of the pieces that travelled
  // By device: when it sends first, when all came, when all that it sent is there too.
  std::map<int32_t, Picoseconds> starts, ends, over;
  std::map<int32_t, std::vector<int32_t>> added;    // by device: the transfers that add to what it has
  std::map<int32_t, std::vector<PieceId>> further;  // by device: what came otherwise meanwhile
};

void earlier(std::map<int32_t, Picoseconds>& times, int32_t device, Picoseconds time) {
  const auto [at, is_new] = times.try_emplace(device, time);
  if (!is_new) at->second = std::min(at->second, time);
}

void later(std::map<int32_t, Picoseconds>& times, int32_t device, Picoseconds time) {
  times[device] = std::max(times[device], time);
}

// The transfers that come to each device.
using Arrivals = std::vector<std::vector<int32_t>>;

Arrivals arrivals_of(const Story& story) {
  Arrivals out(static_cast<size_t>(story.timeline().devices));
  for (int32_t number = 0; number < static_cast<int32_t>(story.timeline().events.size()); ++number) {
    const Event& e = event_of(story, number);
    if (e.kind == EventKind::transfer && !e.relayed && e.peer >= 0)
      out[static_cast<size_t>(e.peer)].push_back(number);
  }
  return out;
}

Sums sums_of(const Story& story, const TimedCollective& timed, const std::vector<int32_t>& execution,
             const Arrivals& arrivals) {
  Sums out{story, timed, -1, {}, {}, {}, {}, {}, {}};
  std::set<int32_t> adding;
  for (const int32_t beat : execution) {
    for (const int32_t number : story.beats()[static_cast<size_t>(beat)].events) {
      const Event& e = event_of(story, number);
      for (const Carried& c : story.carried(number)) {
        if (!c.adds || c.piece < 0) continue;
        const Piece& p = story.piece(c.piece);
        out.array = p.array;
        for (const IndexBox& box : p.index)
          out.elements[timed.groups->group_of[static_cast<size_t>(e.device)]].insert(lowest(box));
        earlier(out.starts, e.device, e.start);
        later(out.ends, e.peer, story.arrival(number));
        later(out.over, e.peer, story.arrival(number));
        later(out.over, e.device, story.arrival(number));
        if (adding.insert(number).second) out.added[e.peer].push_back(number);
      }
    }
  }
  for (const auto& [device, start] : out.starts) {
    for (const int32_t number : arrivals[static_cast<size_t>(device)]) {
      const Picoseconds time = story.arrival(number);
      if (time <= start || time > out.over.at(device) || adding.contains(number)) continue;
      for (const Carried& c : story.carried(number))
        if (c.piece >= 0) out.further[device].push_back(c.piece);
    }
  }
  return out;
}

// What a device brings of an element: it has it when it sends first, then perhaps with what came before.
IndexRanges brought(const Sums& s, int32_t device, const Element& element) {
  const Picoseconds start = s.starts.at(device);
  IndexRanges own = terms_at(s.story, s.story.held(device, start), s.array, element);
  for (const int32_t number : s.added.at(device)) {
    if (s.story.arrival(number) > start) continue;
    std::vector<PieceId> came;
    for (const Carried& c : s.story.carried(number))
      if (c.piece >= 0) came.push_back(c.piece);
    own = without(own, terms_at(s.story, came, s.array, element));
  }
  return own;
}

// Who holds the group's whole sum of an element when its part has come; the others hold no more than their
// own part of it when they are done, and what other transfers brought.
std::string scattered(const Sums& s, const std::vector<int32_t>& members, const Element& element) {
  const auto terms = [&](int32_t m, Picoseconds time) {
    return terms_at(s.story, s.story.held(m, time), s.array, element);
  };
  IndexRanges whole;
  std::map<int32_t, IndexRanges> own;
  for (const int32_t m : members) {
    own[m] = brought(s, m, element);
    whole = united(whole, own[m]);
  }
  int64_t holders = 0;
  for (const int32_t m : members) {
    const auto further = s.further.find(m);
    const IndexRanges others =
        further == s.further.end() ? IndexRanges{} : terms_at(s.story, further->second, s.array, element);
    if (others == whole) continue;
    const IndexRanges now = terms(m, s.over.at(m));
    if (now == whole || terms(m, std::max(s.starts.at(m), s.ends.at(m))) == whole) {
      ++holders;
    } else if (!contains(united(own[m], others), now)) {
      return fmt::format("{} holds {} terms of an element that is not its part, before {}",
                         s.story.program().mesh.place(DeviceId(m)), count_of(now), count_of(own[m]));
    }
  }
  return holders == 1 ? "" : fmt::format("{} devices hold the sum of an element", holders);
}

std::string check(const Sums& s) {
  const std::string name = s.story.program().by_global_index(s.timed.instruction).name;
  for (const auto& [group, elements] : s.elements) {
    const std::vector<int32_t>& members = s.timed.groups->members[static_cast<size_t>(group)];
    for (const int32_t m : members)
      if (!s.ends.contains(m) || !s.starts.contains(m))
        return name + ": nothing comes to or goes from " + s.story.program().mesh.place(DeviceId(m));
    for (const Element& element : elements)
      if (const std::string wrong = scattered(s, members, element); !wrong.empty())
        return name + ": " + wrong;
  }
  return "";
}

// A reduce-scatter however it goes, an all-reduce by rings of parts.
bool leaves_parts(const TimedCollective& timed) {
  if (timed.schedule->ranks() < 2) return false;
  if (timed.schedule->kind() == CollectiveKind::reduce_scatter) return true;
  return timed.schedule->kind() == CollectiveKind::all_reduce &&
         (timed.algorithm == "ring" || timed.algorithm == "bidirectional");
}

}  // namespace

std::string scatters_sums(const Story& story) {
  const Arrivals arrivals = arrivals_of(story);
  std::set<int32_t> done;
  for (size_t b = 1; b < story.beats().size(); ++b) {
    const Beat& beat = story.beats()[b];
    const TimedCollective* timed = find_schedule(story.timeline(), beat.instruction);
    if (beat.transfer_step < 0 || timed == nullptr || !leaves_parts(*timed)) continue;
    if (done.contains(static_cast<int32_t>(b))) continue;
    const std::vector<int32_t> execution = execution_of(story, static_cast<int32_t>(b));
    done.insert(execution.begin(), execution.end());
    const Sums sums = sums_of(story, *timed, execution, arrivals);
    if (sums.array < 0) continue;
    if (std::string wrong = check(sums); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace shardscope::inline story
