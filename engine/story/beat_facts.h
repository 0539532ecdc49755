// SPDX-License-Identifier: Apache-2.0
// What there is to say of a beat, before it is put into words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/story/index_sets.h"
#include "engine/story/story.h"

namespace shardscope::inline story {

inline const Event& event_of(const Story& story, int32_t event) {
  return story.timeline().events[static_cast<size_t>(event)];
}
// The name of an array for all devices that have one of their own: "fusion.3" of "fusion.3@(0,1)".
std::string common_name(const StoryArray& array);

// The least and the most of several.
struct Span {
  int64_t least = INT64_MAX, most = INT64_MIN;
  void add(int64_t value);
  bool differ() const { return least < most; }
};

// Transfers of a beat that are alike: one array, the same axes, one direction.
struct MoveGroup {
  std::string array;              // its common name; empty: what travels cannot be followed
  std::vector<std::string> axes;  // on which source and target differ
  int32_t direction = 0;          // along one axis: +1 up, -1 down; 0: neither
  bool adds = false;
  int32_t parts = 1;            // into which the blocks are cut
  int32_t part = 0;             // the part that all of them carry; 0: different ones
  std::vector<int32_t> events;  // by source and target
  Span blocks, bytes, terms;    // of one transfer; terms: already summed in what travels
  bool other_half_of(const MoveGroup& first) const;
};
std::vector<MoveGroup> move_groups(const Story& story, const Beat& beat);

// What computations, or transfers that add, made of a sum: terms in what they touched, before and after.
struct SumChange {
  std::string array;
  int64_t terms = 0, parts = 1;  // the whole, and in how many steps this run adds it
  Span before, after;
  int32_t devices = 0;
};
// What the computations of a beat made.
struct Made {
  std::vector<int32_t> devices;  // that computed
  std::vector<SumChange> sums;
  int32_t maker = -1;           // the first of them that had something new when it had finished
  std::vector<PieceId> pieces;  // what that was
  IndexRanges added;            // of the first sum among them: terms that its accumulator had not
};
Made made_by(const Story& story, const Beat& beat);

// Terms of `pieces` that lie on all of `index` of an array: of what is held in several accumulators the
// union.
IndexRanges terms_on(const Story& story, const std::vector<PieceId>& pieces, const Piece& of);

// Arrays with owners that became complete on every owner when the beat ended.
std::vector<int32_t> completed_by(const Story& story, const Beat& beat);

// What is under way when a beat ends: transfers or computations of one instruction.
struct UnderWay {
  int32_t instruction = -1;
  bool transfers = false;
  int64_t count = 0;  // of transfers, or of devices
};
std::vector<UnderWay> under_way(const Story& story, const Beat& beat);

// The beats of the execution that a transfer step belongs to, by step.
std::vector<int32_t> execution_of(const Story& story, int32_t beat);

}  // namespace shardscope::inline story
