// SPDX-License-Identifier: Apache-2.0
// Who holds which block at a moment, by block.
#pragma once

#include <string>
#include <vector>

#include "engine/story/story.h"

namespace shardscope {

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
  // Of the device that is furthest (or pointed at), when parts of the block have summed differently: its
  // pieces, furthest behind first.
  std::vector<PieceId> uneven;
};

class GridNow {
 public:
  GridNow(const Story& story, Picoseconds time);

  // Inputs and results, and what somebody holds now of arrays made on the way.
  const std::vector<int32_t>& shown() const { return shown_; }
  const std::vector<PieceId>& pieces_on(int32_t device) const {
    return on_device_[static_cast<size_t>(device)];
  }
  // Blocks that can be drawn: 0 of what only one device knows.
  int64_t block_count(int32_t array) const {
    return static_cast<int64_t>(holders_[static_cast<size_t>(array)].size());
  }
  const std::vector<BlockHolder>& holders(int32_t array, int64_t block) const {
    return holders_[static_cast<size_t>(array)][static_cast<size_t>(block)];
  }
  BlockNow block(int32_t array, int64_t block, int32_t pointed_device) const;

 private:
  std::string terms_between(PieceId least, PieceId most) const;
  void judge_terms(BlockNow& out, const std::vector<BlockHolder>& held, int32_t pointed_device) const;

  const Story& story_;
  std::vector<std::vector<PieceId>> on_device_;
  std::vector<std::vector<std::vector<BlockHolder>>> holders_;  // by array and block
  std::vector<bool> input_;                                     // by array
  std::vector<int32_t> shown_;
};

// How much of `box` the piece covers, 0 to 1.
double covered(const Piece& piece, const IndexBox& box);
int64_t term_count(const Piece& piece);

}  // namespace shardscope
