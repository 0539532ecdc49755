// SPDX-License-Identifier: Apache-2.0
#include "engine/story/checks/invariants.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

#include "engine/story/beat_facts.h"
#include "engine/story/checks/held_elements.h"
#include "engine/story/index_sets.h"

namespace shardscope::inline story {
namespace {

std::string where(const Story& story, int32_t device, Picoseconds time) {
  return fmt::format("{} at {} ps", story.program().mesh.place(DeviceId(device)), time);
}

std::string what(const Story& story, const Piece& piece) {
  std::string out = story.arrays()[static_cast<size_t>(piece.array)].name;
  for (const IndexBox& box : piece.index) {
    out += " ";
    for (const IndexRange& r : box) out += fmt::format("[{},{})", r.start, r.stop);
  }
  for (const IndexRange& r : piece.terms) out += fmt::format(" k{}..{}", r.start, r.stop);
  return out;
}

bool is_transfer(const Event& e) {
  return e.kind == EventKind::transfer && !e.relayed;
}

// An input or output; what a program makes on the way may have the same name.
int32_t array_named(const Story& story, const std::string& name) {
  for (size_t a = 0; a < story.arrays().size(); ++a)
    if (story.arrays()[a].name == name && !story.arrays()[a].role.empty()) return static_cast<int32_t>(a);
  return -1;
}

// The boxes of an array's pieces that a device holds, of those that pass.
std::vector<IndexBox> boxes_of(const Story& story, int32_t device, int32_t array, Picoseconds time,
                               const std::function<bool(const Piece&)>& passes) {
  std::vector<IndexBox> out;
  for (const PieceId id : story.held(device, time)) {
    const Piece& p = story.piece(id);
    if (p.array == array && passes(p)) out.insert(out.end(), p.index.begin(), p.index.end());
  }
  return out;
}

// The part of a global array that is a device's own.
std::vector<IndexBox> own_part(const Program& program, const ArrayInfo& info, DeviceId device) {
  const auto sharding = NamedSharding::make(program.mesh, info.spec, info.unreduced);
  if (!is_home(program.mesh, info, device)) return {};
  return {sharding->slices(device, info.dims)};
}

}  // namespace

std::string beats_in_order(const Story& story) {
  const std::vector<Beat>& beats = story.beats();
  if (beats.empty() || beats[0].start != 0 || beats[0].end != 0 || beats[0].instruction >= 0)
    return "beat 0 is not before";
  std::vector<int> times(story.timeline().events.size(), 0);
  for (size_t b = 1; b < beats.size(); ++b) {
    if (beats[b].end < beats[b - 1].end) return fmt::format("beat {} ends before beat {}", b, b - 1);
    if (beats[b].events.empty()) return fmt::format("beat {} is empty", b);
    Picoseconds start = INT64_MAX;
    Picoseconds end = 0;
    for (const int32_t number : beats[b].events) {
      const Event& e = event_of(story, number);
      start = std::min(start, e.start);
      end = std::max(end, story.arrival(number));
      ++times[static_cast<size_t>(number)];
      if (e.instruction != beats[b].instruction || e.transfer_step != beats[b].transfer_step ||
          story.beat_of(number) != static_cast<int32_t>(b))
        return fmt::format("event {} is not of beat {}", number, b);
    }
    if (start != beats[b].start || end != beats[b].end) return fmt::format("beat {} has other times", b);
    const int32_t at_end = story.beat_at(beats[b].end);
    if (beats[static_cast<size_t>(at_end)].end != beats[b].end)
      return fmt::format("beat {} is not at its end", b);
  }
  for (size_t e = 0; e < times.size(); ++e) {
    const Event& of = event_of(story, static_cast<int32_t>(e));
    if (!of.relayed && times[e] != 1) return fmt::format("event {} is in {} beats", e, times[e]);
  }
  return "";
}

namespace {

bool is_sum(const Story& story, int32_t array) {
  return array >= 0 && story.arrays()[static_cast<size_t>(array)].terms > 0;
}

// An input that is a sum over mesh axes: devices along them bring other terms each, together all.
std::string brings_all_terms(const Story& story, const ArrayInfo& info, int32_t array) {
  const Mesh& mesh = story.program().mesh;
  std::map<std::vector<int64_t>, std::vector<IndexRanges>> brought;  // by place on the other axes
  for (int32_t d = 0; d < story.timeline().devices; ++d) {
    if (!is_home(mesh, info, DeviceId(d))) continue;
    std::vector<int64_t> place;
    for (int a = 0; a < static_cast<int>(mesh.axes().size()); ++a)
      if (std::ranges::find(info.unreduced, mesh.axes()[static_cast<size_t>(a)].name) == info.unreduced.end())
        place.push_back(mesh.coordinate(DeviceId(d), a));
    for (const IndexBox& box : own_part(story.program(), info, DeviceId(d)))
      brought[place].push_back(terms_at(story, story.held(d, story.moment_of(0)), array, lowest(box)));
  }
  for (const auto& [place, parts] : brought) {
    IndexRanges all;
    int64_t counted = 0;
    for (const IndexRanges& terms : parts) {
      all = united(all, terms);
      counted += count_of(terms);
    }
    const int64_t whole = story.arrays()[static_cast<size_t>(array)].terms;
    if (counted != whole || count_of(all) != whole) return "devices do not make up " + symbol_of(info);
  }
  return "";
}

}  // namespace

std::string begins_with_its_inputs(const Story& story) {
  const Program& program = story.program();
  std::set<int32_t> sums;  // inputs that devices add up
  for (const ArrayInfo& info : program.inputs) {
    const int32_t array = array_named(story, symbol_of(info));
    if (array < 0) return "no array " + symbol_of(info);
    if (is_sum(story, array) == info.unreduced.empty()) return symbol_of(info) + " is not as it is placed";
    for (int32_t d = 0; d < story.timeline().devices; ++d) {
      const std::vector<IndexBox> held = boxes_of(story, d, array, story.moment_of(0), [&](const Piece& p) {
        return p.terms.empty() == info.unreduced.empty();
      });
      const std::vector<IndexBox> own = own_part(program, info, DeviceId(d));
      if (!missing(own, held).empty() || !missing(held, own).empty())
        return fmt::format("{} of {} is not its shard", where(story, d, 0), symbol_of(info));
    }
    if (info.unreduced.empty()) continue;
    sums.insert(array);
    if (std::string wrong = brings_all_terms(story, info, array); !wrong.empty()) return wrong;
  }
  for (int32_t d = 0; d < story.timeline().devices; ++d)
    for (const PieceId id : story.held(d, story.moment_of(0)))
      if (const Piece& p = story.piece(id); !p.terms.empty() && !sums.contains(p.array))
        return where(story, d, 0) + " holds " + what(story, p);
  return "";
}

std::string ends_with_its_output(const Story& story) {
  const Program& program = story.program();
  const Picoseconds end = story.moment_of(static_cast<int32_t>(story.beats().size()) - 1);
  for (const ArrayInfo& info : outputs_of(program)) {
    const int32_t array = array_named(story, symbol_of(info));
    if (array < 0) return "no array " + symbol_of(info);
    const StoryArray& a = story.arrays()[static_cast<size_t>(array)];
    for (int32_t d = 0; d < story.timeline().devices; ++d) {
      const std::vector<IndexBox> own = own_part(program, info, DeviceId(d));
      const auto counts = [&](const Piece& p) { return p.complete || !info.unreduced.empty(); };
      if (!missing(own, boxes_of(story, d, array, end, counts)).empty())
        return fmt::format("{} has not its part of {}", where(story, d, end), a.name);
      if (info.unreduced.empty()) continue;
      for (const IndexBox& box : own) {
        IndexRanges all;
        for (int32_t other = 0; other < story.timeline().devices; ++other)
          all = united(all, terms_at(story, story.held(other, end), array, lowest(box)));
        if (count_of(all) != a.terms) return "devices do not make up " + a.name;
      }
    }
  }
  return "";
}

std::string sends_what_is_held(const Story& story) {
  for (int32_t number = 0; number < static_cast<int32_t>(story.timeline().events.size()); ++number) {
    const Event& e = event_of(story, number);
    if (!is_transfer(e)) continue;
    for (const Carried& c : story.carried(number)) {
      if (c.piece < 0) continue;
      const Piece& p = story.piece(c.piece);
      const auto same = [&](const Piece& q) { return q.terms == p.terms; };
      const auto no_less = [&](const Piece& q) { return contains(q.terms, p.terms); };
      if (!missing(p.index, boxes_of(story, e.device, p.array, e.start, same)).empty())
        return fmt::format("{} sends {} in {} and does not hold it", where(story, e.device, e.start),
                           what(story, p), story.program().by_global_index(e.instruction).name);
      if (!missing(p.index, boxes_of(story, e.peer, p.array, story.arrival(number), no_less)).empty())
        return fmt::format("{} gets {} in {} and does not hold it",
                           where(story, e.peer, story.arrival(number)), what(story, p),
                           story.program().by_global_index(e.instruction).name);
    }
  }
  return "";
}

namespace {

// What comes to devices when: by (device, end).
struct Comings {
  std::map<std::pair<int32_t, Picoseconds>, std::vector<PieceId>> arrived, added;
  std::set<std::pair<int32_t, Picoseconds>> computed;
  std::map<int32_t, std::set<Picoseconds>> times;  // by device: when anything of it starts or ends

  explicit Comings(const Story& story) {
    for (int32_t number = 0; number < static_cast<int32_t>(story.timeline().events.size()); ++number) {
      const Event& e = event_of(story, number);
      if (e.relayed) continue;
      const int32_t target = is_transfer(e) ? e.peer : e.device;
      const Picoseconds end = story.arrival(number);
      times[target].insert(end);
      times[target].insert(e.start);
      if (!is_transfer(e)) computed.insert({e.device, end});
      std::set<PieceId> pieces;  // one in several blocks has several rows
      for (const Carried& c : story.carried(number)) {
        if (c.piece < 0 || !pieces.insert(c.piece).second) continue;
        arrived[{e.peer, end}].push_back(c.piece);
        if (c.adds) added[{e.peer, end}].push_back(c.piece);
      }
    }
  }
  std::vector<PieceId> arrivals(int32_t device, Picoseconds time) const {
    const auto found = arrived.find({device, time});
    return found == arrived.end() ? std::vector<PieceId>{} : found->second;
  }
};

// Whether all of `p` could be put together of `sources` alone.
bool made_of(const Story& story, const Piece& p, const std::vector<PieceId>& sources) {
  if (p.terms.empty()) {
    std::vector<IndexBox> boxes;
    for (const PieceId id : sources) {
      const Piece& q = story.piece(id);
      if (q.array == p.array) boxes.insert(boxes.end(), q.index.begin(), q.index.end());
    }
    return missing(p.index, boxes).empty();
  }
  for (const IndexBox& box : p.index)
    if (!contains(terms_at(story, sources, p.array, lowest(box)), p.terms)) return false;
  return true;
}

// The sum that arrival `i` is in now, without it: made of what has none of it, sums that were there, other
// arrivals and, when the device has just computed, products that it made.
bool is_added_once(const Story& story, const Comings& comings, size_t i,
                   std::pair<int32_t, Picoseconds> place, const std::vector<int64_t>& element) {
  const std::vector<PieceId>& arrivals = comings.added.at(place);
  const Piece& came = story.piece(arrivals[i]);
  const Piece* sum = nullptr;
  for (const PieceId id : story.held(place.first, place.second)) {
    const Piece& q = story.piece(id);
    if (q.array != came.array || !in(element, q) || !contains(q.terms, came.terms)) continue;
    if (sum == nullptr || count_of(q.terms) < count_of(sum->terms)) sum = &q;
  }
  if (sum == nullptr) return false;
  IndexRanges others, tainted;  // sums without any of what came, and with some
  const auto count_in = [&](PieceId id, bool was_there) {
    const Piece& q = story.piece(id);
    if (q.array != came.array || !in(element, q)) return;
    if (common(q.terms, came.terms).empty())
      others = united(others, q.terms);
    else if (was_there)
      tainted = united(tainted, q.terms);
  };
  for (const PieceId id : story.held(place.first, place.second - 1)) count_in(id, true);
  for (const PieceId id : arrivals) count_in(id, false);
  const IndexRanges made = without(without(sum->terms, came.terms), others);
  return made.empty() || (comings.computed.contains(place) && common(made, tainted).empty());
}

}  // namespace

std::string nothing_appears(const Story& story) {
  const Comings comings(story);
  for (const auto& [device, times] : comings.times) {
    for (const Picoseconds t : times) {
      if (t == 0) continue;
      std::vector<PieceId> sources = story.held(device, t - 1);
      const std::set<PieceId> before(sources.begin(), sources.end());
      const std::vector<PieceId> arrived = comings.arrivals(device, t);
      sources.insert(sources.end(), arrived.begin(), arrived.end());
      const bool computed = comings.computed.contains({device, t});
      for (const PieceId id : story.held(device, t)) {
        const Piece& p = story.piece(id);
        if (before.contains(id)) continue;
        const StoryArray& a = story.arrays()[static_cast<size_t>(p.array)];
        const bool input = a.terms == 0 && !a.role.empty() && a.role != "product" && a.role != "result";
        // What is no input may be made of what came, without time: a constant, a view.
        const bool may_be_made = computed || (!arrived.empty() && a.terms == 0);
        if ((!input && may_be_made) || made_of(story, p, sources)) continue;
        return fmt::format("{} holds {}: from nowhere", where(story, device, t), what(story, p));
      }
    }
  }
  return "";
}

std::string adds_nothing_twice(const Story& story) {
  if (!story.added_twice().empty()) return story.added_twice().front().text;
  const Comings comings(story);
  for (const auto& [place, pieces] : comings.added) {
    const auto& [device, time] = place;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece& p = story.piece(pieces[i]);
      for (size_t j = 0; j < i; ++j) {
        const Piece& q = story.piece(pieces[j]);
        if (q.array == p.array && !common(q.terms, p.terms).empty() && missing(q.index, p.index) != q.index)
          return fmt::format("{} gets {} twice", where(story, device, time), what(story, p));
      }
      for (const IndexBox& box : p.index)
        if (!is_added_once(story, comings, i, place, lowest(box)))
          return fmt::format("{} did not add {} once", where(story, device, time), what(story, p));
    }
  }
  return "";
}

std::string loses_no_terms(const Story& story) {
  const Comings comings(story);
  std::set<Picoseconds> times{0};
  for (const auto& [device, of] : comings.times) times.insert(of.begin(), of.end());
  std::map<std::pair<int32_t, std::vector<int64_t>>, IndexRanges> had;  // by array and element
  for (const Picoseconds t : times) {
    std::map<std::pair<int32_t, std::vector<int64_t>>, IndexRanges> now;
    std::vector<std::vector<PieceId>> held;
    for (int32_t d = 0; d < story.timeline().devices; ++d) {
      held.push_back(story.held(d, t));
      for (const PieceId id : held.back()) {
        const Piece& p = story.piece(id);
        if (!p.terms.empty())
          for (const IndexBox& box : p.index) had.try_emplace({p.array, lowest(box)});
      }
    }
    for (auto& [of, terms] : had) {
      IndexRanges all;
      for (const auto& pieces : held) all = united(all, terms_at(story, pieces, of.first, of.second));
      const StoryArray& a = story.arrays()[static_cast<size_t>(of.first)];
      if (count_of(terms) < a.terms && !contains(all, terms))
        return fmt::format("{} lost terms at {} ps: {} of {}", a.name, t, count_of(all), count_of(terms));
      terms = all;
    }
  }
  return "";
}

std::string first_broken(const Story& story) {
  struct Invariant {
    const char* name;
    std::string (*check)(const Story&);
  };
  static constexpr Invariant kAll[] = {
      {"beats in order", beats_in_order},         {"begins with its inputs", begins_with_its_inputs},
      {"sends what is held", sends_what_is_held}, {"nothing appears", nothing_appears},
      {"adds nothing twice", adds_nothing_twice}, {"loses no terms", loses_no_terms},
      {"scatters sums", scatters_sums},           {"ends with its output", ends_with_its_output}};
  // From what cannot be followed on, things appear that the story has not seen come; what a wrong product
  // spoils is missing at the end.
  const bool known = story.unknown().empty();
  const bool wrong = std::ranges::any_of(story.unknown(), &StoryNote::wrong);
  for (const Invariant& i : kAll) {
    if (!known && i.check == nothing_appears) continue;
    if (!known && !wrong && i.check == ends_with_its_output) continue;
    if (const std::string broken = i.check(story); !broken.empty())
      return std::string(i.name) + ": " + broken;
  }
  return "";
}

}  // namespace shardscope::inline story
