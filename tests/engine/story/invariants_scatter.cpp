// SPDX-License-Identifier: Apache-2.0
// What a reduce-scatter leaves behind, and the first half of a ring all-reduce.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/story/beat_facts.h"
#include "engine/story/index_sets.h"
#include "tests/engine/story/held_elements.h"
#include "tests/engine/story/invariants.h"

namespace shardscope::story_test {
namespace {

using Element = std::vector<int64_t>;

// One execution of a collective as far as it adds.
struct Sums {
  const Story& story;
  const TimedCollective& timed;
  std::vector<int32_t> beats;                     // of the steps that add
  int32_t array = -1;                             // -1: what it adds cannot be followed
  std::map<int32_t, std::set<Element>> elements;  // by group: lowest ones of the pieces that travelled
  std::map<int32_t, Picoseconds> starts, ends;    // by device: before it sent or got anything, after all came
  bool gathers_already = false;                   // of the other half something came before this one's end
};

void earlier(std::map<int32_t, Picoseconds>& times, int32_t device, Picoseconds time) {
  const auto [at, is_new] = times.try_emplace(device, time);
  if (!is_new) at->second = std::min(at->second, time);
}

Sums sums_of(const Story& story, const TimedCollective& timed, const std::vector<int32_t>& execution) {
  Sums out{story, timed, {}, -1, {}, {}, {}, false};
  for (const int32_t beat : execution) {
    bool adds = false;
    for (const int32_t number : story.beats()[static_cast<size_t>(beat)].events) {
      const Event& e = event(story, number);
      for (const Carried& c : story.carried(number)) {
        if (!c.adds || c.piece < 0) continue;
        adds = true;
        const Piece& p = story.piece(c.piece);
        out.array = p.array;
        for (const IndexBox& box : p.index)
          out.elements[timed.groups->group_of[static_cast<size_t>(e.device)]].insert(lowest(box));
        earlier(out.starts, e.device, e.start);
        earlier(out.starts, e.peer, e.start);
        out.ends[e.peer] = std::max(out.ends[e.peer], story.arrival(number));
      }
    }
    if (adds) out.beats.push_back(beat);
  }
  Picoseconds done = 0;
  for (const auto& [device, end] : out.ends) done = std::max(done, end);
  for (const int32_t beat : execution) {
    if (std::find(out.beats.begin(), out.beats.end(), beat) != out.beats.end()) continue;
    for (const int32_t number : story.beats()[static_cast<size_t>(beat)].events)
      out.gathers_already = out.gathers_already || story.arrival(number) <= done;
  }
  return out;
}

// Who holds the group's whole sum of an element when its part has come; the others hold no more than before
// when all is done.
std::string scattered(const Sums& s, const std::vector<int32_t>& members, const Element& element) {
  const auto terms = [&](int32_t m, Picoseconds time) {
    return terms_at(s.story, s.story.held(m, time), s.array, element);
  };
  IndexRanges whole;
  Picoseconds done = 0;
  for (const int32_t m : members) {
    whole = united(whole, terms(m, s.starts.at(m)));
    done = std::max(done, s.ends.at(m));
  }
  int64_t holders = 0;
  for (const int32_t m : members) {
    if (terms(m, s.ends.at(m)) == whole || terms(m, done) == whole) {
      ++holders;
    } else if (const IndexRanges own = terms(m, s.starts.at(m)), now = terms(m, done); !contains(own, now)) {
      return fmt::format("{} holds {} terms of an element that is not its part, before {}",
                         s.story.program().mesh.place(DeviceId(m)), count_of(now), count_of(own));
    }
  }
  return holders == 1 ? "" : fmt::format("{} devices hold the sum of an element", holders);
}

std::string check(const Sums& s) {
  const std::string name = s.story.program().by_global_index(s.timed.instruction).name;
  for (const auto& [group, elements] : s.elements) {
    const std::vector<int32_t>& members = s.timed.groups->members[static_cast<size_t>(group)];
    for (const int32_t m : members)
      if (!s.ends.contains(m))
        return name + ": nothing comes to " + s.story.program().mesh.place(DeviceId(m));
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
  std::set<int32_t> done;
  for (size_t b = 1; b < story.beats().size(); ++b) {
    const Beat& beat = story.beats()[b];
    const TimedCollective* timed = find_schedule(story.timeline(), beat.instruction);
    if (beat.transfer_step < 0 || timed == nullptr || !leaves_parts(*timed)) continue;
    if (done.contains(static_cast<int32_t>(b))) continue;
    const std::vector<int32_t> execution = execution_of(story, static_cast<int32_t>(b));
    done.insert(execution.begin(), execution.end());
    const Sums sums = sums_of(story, *timed, execution);
    if (sums.array < 0 || sums.gathers_already) continue;
    if (const std::string wrong = check(sums); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace shardscope::story_test
