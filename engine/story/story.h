// SPDX-License-Identifier: Apache-2.0
// What happened in a run: who holds which piece of which array with which terms, when, and what each transfer
// carried. Views, reports and sentences derive state in no other way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/run/timeline.h"
#include "engine/run/trace_source.h"
#include "engine/sharding/named_sharding.h"

namespace shardscope::inline story {

// Of which two arrays an array is the product. By dimension of each: the dimension of the product that it is;
// where it is summed over -1, -2, … in the order in which Piece::terms flattens them.
struct ProductOf {
  int32_t first = -1, second = -1;
  std::vector<int32_t> first_dims = {}, second_dims = {};
};

// A global array: an input, an output, or one that the program makes on the way. Its blocks are the shards of
// its sharding; without one it is a single block, itself.
struct StoryArray {
  // "X", "dX", "dot.3"; one that only a device knows: "fusion.3@(0,1)". No two of a story have the same.
  std::string name;
  std::string role = {};    // "lhs", "rhs", "product", "operand", "result", …; empty: made on the way
  bool transposed = false;  // stored as the transpose of X[m,k] or W[k,n]
  std::vector<int64_t> dims = {};  // global, as stored
  std::optional<NamedSharding> sharding = {};
  std::string prefix = {};                        // of its blocks' names: "a"
  std::vector<int64_t> counts = {};               // blocks per dimension
  std::vector<std::vector<int32_t>> owners = {};  // by block, row-major: the devices whose shard it is
  int64_t terms = 0;                      // of the contraction or reduction that makes it; 0: it is no sum
  int64_t term_parts = 1;                 // the equal parts in which this run adds them: "2 of 4"
  int32_t device = -1;                    // the only one that knows it; -1: it is known to all
  std::optional<ProductOf> product = {};  // none: no product makes it

  int64_t block_count() const;
  std::string block_name(int64_t block) const;  // "a3"; its own name when nothing cuts it
  IndexBox block_box(int64_t block) const;
  bool is_local() const { return device >= 0; }
};

using PieceId = int32_t;  // place in Story::pieces

// Elements of an array and the terms summed in them so far.
struct Piece {
  int32_t array = 0;
  std::vector<IndexBox> index;  // disjoint boxes, ascending, neighbours put together
  // Half open, ascending, in the flattened contracted dimensions; empty: it is no sum.
  std::vector<IndexRange> terms;
  bool complete = true;  // its terms are the whole
  bool operator==(const Piece&) const = default;
};

// Part `part` (from 1) of `parts` of a block. block -1: the piece is of an array that has no blocks.
struct BlockPart {
  int32_t array = 0;
  int64_t block = -1;
  int32_t part = 1, parts = 1;
  bool operator==(const BlockPart&) const = default;
};

// One thing that a transfer moves.
struct Carried {
  PieceId piece = -1;  // -1: what it is cannot be followed
  BlockPart what;
  int64_t bytes = 0;
  bool adds = false;  // the target adds it to what it holds, else it keeps it
};

// All transfers of one transfer step of a collective, or all computations of an instruction.
struct Beat {
  Picoseconds start = 0, end = 0;
  int32_t instruction = -1;       // Program::global_index; -1: beat 0, before anything
  int32_t transfer_step = -1;     // -1: computations
  std::vector<int32_t> events{};  // places in Timeline::events, without further hops
};

// What stops the story, or breaks what must hold: "gather.3: its indices depend on data".
struct StoryNote {
  int32_t instruction = -1;
  std::string text;
  bool wrong = false;  // the program is, not the story's sight: what it multiplies does not belong together
};

// Immutable. Refers to the program and the timeline that it was told of: both outlive it.
class Story {
 public:
  const std::vector<StoryArray>& arrays() const { return arrays_; }
  const Piece& piece(PieceId id) const { return pieces_[static_cast<size_t>(id)]; }

  // Beat 0 is before; the others by (end, instruction, transfer step).
  const std::vector<Beat>& beats() const { return beats_; }
  // The last beat that has ended at `time`, and the moment that a beat names.
  int32_t beat_at(Picoseconds time) const;
  Picoseconds moment_of(int32_t beat) const { return beats_[static_cast<size_t>(beat)].end; }
  // The beat that an event is in; -1: none (a further hop's is that of its transfer).
  int32_t beat_of(int32_t event) const { return beat_of_event_[static_cast<size_t>(event)]; }
  // The transfer that an event is a further hop of; itself when it is none.
  int32_t transfer_of(int32_t event) const;

  // When a transfer has crossed its last link (Event::end is when it has left the first); else an event's
  // end.
  Picoseconds arrival(int32_t event) const { return arrivals_[static_cast<size_t>(event)]; }

  // Pieces on `device` at `time`, each once, none inside another with the same terms; by array, then index.
  std::vector<PieceId> held(int32_t device, Picoseconds time) const;
  // The times around `time` at which every device holds what it holds then.
  TimeRange steady(Picoseconds time) const;
  // By array: whether some device holds a piece of it at `time`.
  std::vector<bool> arrays_held(Picoseconds time) const;
  // What an event moves; empty: it is no transfer.
  std::span<const Carried> carried(int32_t event) const;
  // What a computation's event makes, before it is added to anything; empty: it is a transfer.
  std::span<const PieceId> made(int32_t event) const;
  // The blocks that a piece is in, and which part of each.
  const std::vector<BlockPart>& blocks_of(PieceId piece) const {
    return blocks_of_[static_cast<size_t>(piece)];
  }

  // The arrays whose pieces are in the buffer that instruction `maker` makes, at some time, ascending; empty:
  // it is no maker of one, or what is in it cannot be followed.
  std::span<const int32_t> arrays_in_buffer(int32_t maker) const;

  // What cannot be followed, first cause only, and contributions added twice.
  const std::vector<StoryNote>& unknown() const { return unknown_; }
  const std::vector<StoryNote>& added_twice() const { return added_twice_; }

  const Program& program() const { return *program_; }
  const Timeline& timeline() const { return *timeline_; }

 private:
  friend class StoryTeller;
  std::vector<PieceId> outermost(const std::vector<PieceId>& held) const;
  struct Held {
    Picoseconds start = 0, end = 0;
    PieceId piece = 0;
  };
  const Program* program_ = nullptr;
  const Timeline* timeline_ = nullptr;
  std::vector<StoryArray> arrays_;
  std::vector<Piece> pieces_;
  std::vector<int64_t> elements_;  // by piece
  std::vector<int32_t> ranks_;     // by piece: by array, index and terms
  std::vector<Beat> beats_;
  std::vector<int32_t> beat_of_event_;
  std::unordered_map<int32_t, int32_t> transfer_of_hop_;
  std::vector<Picoseconds> arrivals_;    // by event
  std::vector<std::vector<Held>> held_;  // by device, by start
  std::vector<int32_t> first_carried_;   // by event; [events] = end
  std::vector<Carried> carried_;
  std::vector<int32_t> first_made_;  // by event; [events] = end
  std::vector<PieceId> made_;
  std::vector<std::vector<BlockPart>> blocks_of_;                // by piece
  std::unordered_map<int32_t, std::vector<int32_t>> in_buffer_;  // by its maker
  std::vector<StoryNote> unknown_, added_twice_;
};

// Follows the program symbolically and lays what it finds on the timeline. Of a timeline without events it
// knows beat 0 and the end. Errors: more pieces than it can follow; stopped.
inline constexpr int64_t kMostStoryDevices = 1024;
Result<Story> tell(const Program& program, const Timeline& timeline, const std::stop_token& stop = {});

// --- names, the same in every view, table, sentence and file

// "a3", "a3.1/2"; `small`: "a3.1", for where the full one does not fit; words: "part 1 of 2 of a3".
enum class NameForm { full, small, words };
std::string name_of(const Story& story, const BlockPart& part, NameForm form = NameForm::full);
// Of several, each once: parts that make a block whole are the block, and three and more that follow each
// other stand as one, "a0–a3".
std::vector<std::string> names_of(const Story& story, std::vector<BlockPart> parts,
                                  NameForm form = NameForm::full);
// Of all that a transfer carries: "a0–a3", "w1 w5", "rows of gather.3" when it is unknown.
std::string name_of_transfer(const Story& story, int32_t event, NameForm form = NameForm::full);
// "2 of 4" of a sum in the making, empty when the piece is complete or no sum; "k 0–7 and 16–23 of 32".
std::string short_terms(const Story& story, PieceId piece);
std::string long_terms(const Story& story, PieceId piece);
// What a device holds at a time, by array: whole pieces before sums in the making, with the same terms
// together.
struct HeldNames {
  std::vector<std::string> names;  // "a0–a3", "a5"
  std::string terms;               // "2 of 4"; empty: they are complete
};
std::vector<HeldNames> held_names(const Story& story, const std::vector<PieceId>& held);  // of Story::held
// The same in one line: "a3, w5, y0.2 (2 of 4)".
std::string holdings_text(const Story& story, int32_t device, Picoseconds time);
std::string holdings_text(const std::vector<HeldNames>& held);

}  // namespace shardscope::inline story
