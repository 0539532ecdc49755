// SPDX-License-Identifier: Apache-2.0
// What a beat completes, what goes on beside it, and which beats are of the same execution.
#include <algorithm>
#include <map>
#include <set>

#include "engine/story/beat_facts.h"

namespace shardscope {
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

}  // namespace shardscope
