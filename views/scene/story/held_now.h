// SPDX-License-Identifier: Apache-2.0
// Who holds what at a moment, by device and by block, and in words.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/story/story.h"
#include "views/scene/core/layouts.h"
#include "views/scene/story/held_items.h"

namespace shardscope::inline views {

struct BlockHolder {
  int32_t device = 0;
  PieceId piece = 0;
};

// What is to be said of one block.
struct BlockNow {
  struct Share {
    int32_t device = 0;
    double some = 0, whole = 0;  // of the block: with any terms, with all of them
    std::string terms = {};      // "2 of 4", "1–2 of 4"; empty: complete or no sum
  };
  std::vector<Share> holders;  // by device
  int32_t whole = 0;           // devices that hold all of it, complete
  bool was_input = false;      // it has been there from the beginning
  std::string note;            // "2 of 4", "in parts"; empty when someone holds the whole
  int32_t furthest = -1;       // device that has summed most of it; -1: none sums it
};

// Refers to the story. Words and blocks are made when they are first asked for, and kept: of one thread.
class HeldNow {
 public:
  HeldNow(const Story& story, Picoseconds time);
  // Whether all that it says is so of this story at this time: between two changes nothing is.
  bool tells(const Story& story, Picoseconds time) const;
  Picoseconds since() const { return steady_.start; }  // it is so

  const std::vector<PieceId>& pieces_on(int32_t device) const;
  const std::string& holdings(int32_t device) const;  // holdings_text
  const std::vector<HeldItem>& items(int32_t device) const;

  // Inputs and results, and what somebody holds now of arrays made on the way.
  const std::vector<int32_t>& shown() const { return blocks().shown; }
  // Blocks that can be drawn: 0 of what only one device knows.
  int64_t block_count(int32_t array) const;
  const std::vector<BlockHolder>& holders(int32_t array, int64_t block) const;
  const BlockNow& block(int32_t array, int64_t block) const;
  // "block y0 of Y, held by (0,0) (1 of 2)".
  const std::string& block_words(int32_t array, int64_t block) const;
  // Of a block that nobody holds whole, where its parts have summed differently: the pieces of `device`, else
  // of the one that is furthest, furthest behind first.
  std::vector<PieceId> uneven(int32_t array, int64_t block, int32_t device) const;

 private:
  struct Device {
    std::optional<std::vector<PieceId>> pieces;
    std::optional<std::vector<HeldNames>> names;
    std::optional<std::string> text;
    std::optional<std::vector<HeldItem>> items;
  };
  struct BlockSaid {
    BlockNow now;
    std::string words;
  };
  struct Block {
    std::vector<BlockHolder> held;
    std::unique_ptr<BlockSaid> said;
  };
  struct Blocks {
    std::vector<std::vector<Block>> of;  // by array and block
    std::vector<bool> input;             // by array
    std::vector<int32_t> shown;
  };
  const std::vector<HeldNames>& names_on(int32_t device) const;
  Blocks& blocks() const;
  void hold_blocks(Blocks& out) const;
  Block& at(int32_t array, int64_t block) const;
  BlockSaid& said_of(int32_t array, int64_t block) const;
  std::vector<PieceId> sums_of(const std::vector<BlockHolder>& held, int32_t device) const;
  std::string terms_between(PieceId least, PieceId most) const;
  void judge_terms(BlockNow& out, const std::vector<BlockHolder>& held) const;

  const Story& story_;
  Picoseconds time_;
  TimeRange steady_;
  mutable std::vector<Device> devices_;
  mutable std::optional<Blocks> blocks_;
};

std::string title_of(const StoryArray& array);  // "Xᵀ"
int64_t term_count(const Piece& piece);

}  // namespace shardscope::inline views
