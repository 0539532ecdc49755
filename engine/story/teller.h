// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "engine/story/chunk_pieces.h"
#include "engine/story/piece_pool.h"
#include "engine/story/story.h"

namespace shardscope::inline story {

inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

// How much of a block a piece is.
struct BlockShare {
  BlockPart part;
  int64_t elements = 0;
};

// When each value of the entry is there on each device, and the events of each instruction.
class Finishes {
 public:
  Finishes(const Program& program, const Timeline& timeline);
  Picoseconds at(size_t instruction, size_t device) const { return ends_[instruction * devices_ + device]; }
  // Places in Timeline::events, without further hops, by start.
  const std::vector<int32_t>& events_of(size_t instruction) const { return events_[instruction]; }
  // The instruction of the entry that an event is of; -1: of none.
  int32_t place_of(const Event& event) const;
  size_t devices() const { return devices_; }
  // When a transfer has crossed its last link; the end of any other event.
  Picoseconds arrival(int32_t event) const { return arrivals_[static_cast<size_t>(event)]; }
  // Of a further hop the transfer that it is of; -1: it is none, or of none.
  int32_t transfer_of(int32_t event) const { return transfer_of_[static_cast<size_t>(event)]; }

 private:
  void follow_hops(const Program& program, const Timeline& timeline);

  size_t devices_;
  int32_t first_;
  std::vector<std::vector<int32_t>> events_;
  std::vector<Picoseconds> arrivals_;  // by event
  std::vector<int32_t> transfer_of_;
  std::vector<Picoseconds> ends_;
};

// Makes a Story.
class StoryTeller {
 public:
  StoryTeller(const Program& program, const Timeline& timeline, TraceState& state);
  Result<Story> tell();

 private:
  void say_beats();
  void say_buffers();
  void say_collectives();
  void say_collective(size_t instruction, const TimedCollective& timed);
  void say_permute(size_t instruction);
  // `numbers`: the chunks that the transfer carries, by `values`.
  void say_carried(const ChunkPieces& chunks, const std::vector<int32_t>& numbers, bool adds, int32_t event,
                   const std::vector<ShardValue>& values);
  std::vector<ShardValue> brought(const Instruction& i, const ChunkPieces& chunks,
                                  const std::vector<int32_t>& members);
  struct AtWork {
    Picoseconds since = 0, until = 0;
  };
  std::vector<AtWork> times_at_work(size_t instruction, const CollectiveGroups& groups, size_t group);
  // A sum works in its operand's buffer when nobody reads that any more.
  void take_over(size_t instruction, const std::vector<int32_t>& members, const std::vector<AtWork>& times);
  void say_unknown();
  void say_unknown_outputs();
  void hold(size_t device, Picoseconds start, Picoseconds end, std::span<const PieceId> pieces);
  std::vector<PieceId> pieces_of(size_t instruction, size_t device);
  int32_t buffer_of(size_t instruction) const;
  size_t place_of(int32_t global_index) const;  // in the entry
  void find_lives();
  void say_waiting_products();
  void say_made();
  void append_carried(size_t event, const std::vector<std::vector<BlockShare>>& blocks);
  void finish();

  const Program& program_;
  const Timeline& timeline_;
  const Computation& entry_;
  TraceState& state_;
  PiecePool pool_;
  Finishes finishes_;
  Story story_;
  // Of an operand that a sum takes over: when it does, by instruction that made it and device.
  std::vector<Picoseconds> taken_over_;
  std::vector<Picoseconds> lives_;  // when each buffer ends, likewise; by the last value in it
  struct CarriedPieces {
    std::vector<PieceId> pieces;
    bool adds = false;
  };
  std::vector<CarriedPieces> carried_;  // by event
};

// The story's arrays of the tracer's, by number; those of outputs named, cut and turned as their outputs,
// with their pieces.
std::vector<StoryArray> story_arrays(const TraceState& state, std::vector<Piece>& pieces);
// Which blocks each piece is in.
std::vector<std::vector<BlockShare>> find_blocks(const std::vector<StoryArray>& arrays,
                                                 const std::vector<Piece>& pieces);

}  // namespace shardscope::inline story
