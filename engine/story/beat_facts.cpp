// SPDX-License-Identifier: Apache-2.0
#include "engine/story/beat_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace shardscope::inline story {
namespace {

const StoryArray& array_of(const Story& story, const Piece& piece) {
  return story.arrays()[static_cast<size_t>(piece.array)];
}

// Axes on which two devices differ, and which way round a transfer between them goes when that is one axis
// of more than two places: as its first link says, else the shorter way.
void place_move(const Story& story, const Event& e, MoveGroup& out) {
  const Mesh& mesh = story.program().mesh;
  int along = -1;
  for (int axis = 0; axis < mesh.rank(); ++axis) {
    if (mesh.coordinate(DeviceId(e.device), axis) == mesh.coordinate(DeviceId(e.peer), axis)) continue;
    out.axes.push_back(mesh.axes()[static_cast<size_t>(axis)].name);
    along = axis;
  }
  if (out.axes.size() != 1 || mesh.axis_size(along) <= 2) return;
  const Lane& lane = story.timeline().lanes[static_cast<size_t>(e.lane)];
  if (lane.kind == LaneKind::link && lane.axis == along) {
    out.direction = lane.direction;
    return;
  }
  const int64_t size = mesh.axis_size(along);
  const int64_t up =
      (mesh.coordinate(DeviceId(e.peer), along) - mesh.coordinate(DeviceId(e.device), along) + size) % size;
  if (2 * up != size) out.direction = 2 * up < size ? 1 : -1;
}

// One transfer as a group of its own.
MoveGroup move_of(const Story& story, int32_t event) {
  const Event& e = event_of(story, event);
  MoveGroup out;
  place_move(story, e, out);
  const auto carried = story.carried(event);
  std::set<int32_t> arrays;
  for (const Carried& c : carried) {
    arrays.insert(c.piece >= 0 ? c.what.array : -1);
    out.adds = out.adds || c.adds;
    out.parts = std::max(out.parts, c.what.parts);
    out.part = &c == carried.data() || out.part == c.what.part ? c.what.part : 0;
    if (c.piece >= 0 && !story.piece(c.piece).complete) out.terms.add(count_of(story.piece(c.piece).terms));
  }
  for (const int32_t a : arrays) {
    if (a < 0) continue;
    const std::string name = common_name(story.arrays()[static_cast<size_t>(a)]);
    if (out.array.empty() || out.array == name) {
      out.array = name;
    } else {
      out.array += " and " + name;
    }
  }
  out.events = {event};
  out.blocks.add(static_cast<int64_t>(carried.size()));
  out.bytes.add(e.bytes);
  return out;
}

void add(const Span& from, Span& to) {
  if (from.least > from.most) return;
  to.add(from.least);
  to.add(from.most);
}

// What takes no time behind a computation of its device is done by that one's kernel, which ends at the same
// moment: what the device has then, that one has made.
bool rides_along(const Story& story, int32_t event) {
  const Event& e = event_of(story, event);
  if (e.kind == EventKind::transfer || e.start != e.end || e.cause < 0) return false;
  const Event& cause = event_of(story, e.cause);
  return cause.kind == EventKind::compute && cause.device == e.device && cause.end == e.end;
}

bool same_array(const Story& story, const Piece& a, const Piece& b) {
  return a.array == b.array || (array_of(story, a).is_local() &&
                                common_name(array_of(story, a)) == common_name(array_of(story, b)));
}

}  // namespace

std::string common_name(const StoryArray& array) {
  return array.is_local() ? array.name.substr(0, array.name.find('@')) : array.name;
}

void Span::add(int64_t value) {
  least = std::min(least, value);
  most = std::max(most, value);
}

bool MoveGroup::other_half_of(const MoveGroup& first) const {
  return parts == 2 && first.parts == 2 && array == first.array && axes == first.axes && adds == first.adds &&
         part != 0 && first.part == 3 - part && direction != 0 && direction == -first.direction;
}

std::vector<MoveGroup> move_groups(const Story& story, const Beat& beat) {
  std::vector<MoveGroup> out;
  std::vector<int32_t> events = beat.events;
  std::sort(events.begin(), events.end(), [&](int32_t a, int32_t b) {
    const Event& x = event_of(story, a);
    const Event& y = event_of(story, b);
    return std::tie(x.device, x.peer, a) < std::tie(y.device, y.peer, b);
  });
  std::map<std::tuple<std::string, std::vector<std::string>, int32_t, bool, int32_t>, size_t> place;
  for (const int32_t event : events) {
    MoveGroup one = move_of(story, event);
    const auto [at, is_new] =
        place.try_emplace({one.array, one.axes, one.direction, one.adds, one.parts}, out.size());
    if (is_new) {
      out.push_back(std::move(one));
      continue;
    }
    MoveGroup& group = out[at->second];
    group.events.push_back(event);
    if (group.part != one.part) group.part = 0;
    add(one.blocks, group.blocks);
    add(one.bytes, group.bytes);
    add(one.terms, group.terms);
  }
  return out;
}

IndexRanges terms_on(const Story& story, const std::vector<PieceId>& pieces, const Piece& of) {
  IndexBox element = of.index.front();
  for (IndexRange& range : element) range.stop = range.start + 1;
  IndexRanges out;
  for (const PieceId id : pieces) {
    const Piece& p = story.piece(id);
    if (same_array(story, p, of) && contains_boxes(p.index, {element})) out = united(out, p.terms);
  }
  return out;
}

Made made_by(const Story& story, const Beat& beat) {
  Made out;
  std::map<std::string, SumChange> sums;
  for (const int32_t event : beat.events) {
    const Event& e = event_of(story, event);
    if (!out.devices.empty() && e.device == out.devices.back()) continue;
    out.devices.push_back(e.device);
    if (rides_along(story, event)) continue;
    const std::vector<PieceId> before = story.held(e.device, e.end - 1);
    const std::vector<PieceId> after = story.held(e.device, e.end);
    std::set<std::string> counted;
    const bool first = out.maker < 0;
    for (const PieceId id : after) {
      const Piece& piece = story.piece(id);
      if (std::find(before.begin(), before.end(), id) != before.end()) continue;
      const StoryArray& array = array_of(story, piece);
      if (array.terms == 0 && !array.role.empty()) continue;  // an input that arrives just now
      const IndexRanges had = terms_on(story, before, piece);
      if (first) {
        out.maker = e.device;
        if (out.added.empty()) out.added = without(piece.terms, had);
        out.pieces.push_back(id);
      }
      if (array.terms == 0) continue;
      SumChange& sum = sums[common_name(array)];
      sum.array = common_name(array);
      sum.terms = array.terms;
      sum.parts = array.term_parts;
      sum.before.add(count_of(had));
      sum.after.add(count_of(terms_on(story, after, piece)));
      if (counted.insert(sum.array).second) ++sum.devices;
    }
  }
  for (auto& [name, sum] : sums) out.sums.push_back(std::move(sum));
  return out;
}

// What a beat completes, what goes on beside it, and which beats are of the same execution.
namespace {

// What a device holds complete of an array.
std::vector<IndexBox> complete_of(const Story& story, int32_t device, int32_t array, Picoseconds time) {
  std::vector<IndexBox> out;
  for (const PieceId id : story.held(device, time)) {
    const Piece& p = story.piece(id);
    if (p.array == array && p.complete) out.insert(out.end(), p.index.begin(), p.index.end());
  }
  return out;
}

// Pieces of an array that a device holds may overlap: a block is held when one of them has it, or those that
// lie in it have all of its elements.
bool holds_block(const Story& story, int32_t device, int32_t array, int64_t block, Picoseconds time) {
  const IndexBox box = story.arrays()[static_cast<size_t>(array)].block_box(block);
  std::vector<IndexBox> inside;
  for (const IndexBox& held : complete_of(story, device, array, time)) {
    if (contains_boxes({held}, {box})) return true;
    if (contains_boxes({box}, {held}) && std::find(inside.begin(), inside.end(), held) == inside.end())
      inside.push_back(held);
  }
  return contains_boxes(inside, {box});
}

bool complete_on_owners(const Story& story, int32_t array, Picoseconds time) {
  const StoryArray& a = story.arrays()[static_cast<size_t>(array)];
  for (size_t block = 0; block < a.owners.size(); ++block)
    for (const int32_t device : a.owners[block])
      if (!holds_block(story, device, array, static_cast<int64_t>(block), time)) return false;
  return !a.owners.empty();
}

// Arrays whose pieces a beat's events bring or make.
std::set<int32_t> touched(const Story& story, const Beat& beat) {
  std::set<int32_t> out;
  for (const int32_t event : beat.events) {
    for (const Carried& c : story.carried(event))
      if (c.piece >= 0) out.insert(story.piece(c.piece).array);
    if (beat.transfer_step >= 0) continue;
    const Event& e = event_of(story, event);
    for (const PieceId id : story.held(e.device, e.end)) out.insert(story.piece(id).array);
  }
  return out;
}

}  // namespace

std::vector<int32_t> completed_by(const Story& story, const Beat& beat) {
  std::vector<int32_t> out;
  if (std::ranges::all_of(beat.events, [&](int32_t event) { return rides_along(story, event); })) return out;
  for (const int32_t array : touched(story, beat)) {
    const StoryArray& a = story.arrays()[static_cast<size_t>(array)];
    if (a.terms == 0 || !a.sharding) continue;
    if (complete_on_owners(story, array, beat.end) && !complete_on_owners(story, array, beat.end - 1))
      out.push_back(array);
  }
  return out;
}

std::vector<UnderWay> under_way(const Story& story, const Beat& beat) {
  std::map<std::pair<int32_t, bool>, int64_t> counts;
  for (const Beat& other : story.beats()) {
    if (other.start >= beat.end || other.end <= beat.end || other.instruction < 0) continue;
    const bool transfers = other.transfer_step >= 0;
    std::set<int32_t> devices;
    int64_t count = 0;
    for (const int32_t event : other.events) {
      const Event& e = event_of(story, event);
      if (e.start >= beat.end || story.arrival(event) <= beat.end) continue;
      count += transfers || devices.insert(e.device).second ? 1 : 0;
    }
    if (count > 0) counts[{other.instruction, transfers}] += count;
  }
  std::vector<UnderWay> out;
  for (const auto& [what, count] : counts) out.push_back({what.first, what.second, count});
  return out;
}

std::vector<int32_t> execution_of(const Story& story, int32_t beat) {
  const Beat& of = story.beats()[static_cast<size_t>(beat)];
  std::map<int32_t, std::vector<int32_t>> by_step;
  size_t trip = 0;
  for (size_t b = 0; b < story.beats().size(); ++b) {
    const Beat& other = story.beats()[b];
    if (other.instruction != of.instruction || other.transfer_step < 0) continue;
    std::vector<int32_t>& trips = by_step[other.transfer_step];
    if (static_cast<int32_t>(b) == beat) trip = trips.size();
    trips.push_back(static_cast<int32_t>(b));
  }
  std::vector<int32_t> out;
  for (const auto& [step, trips] : by_step)
    if (trip < trips.size()) out.push_back(trips[trip]);
  return out;
}

}  // namespace shardscope::inline story
