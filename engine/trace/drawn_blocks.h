// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "engine/run/lane_pyramid.h"
#include "engine/trace/blocks/event_block.h"
#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// Reads what a picture needs of a run's blocks.
class DrawnBlocks {
 public:
  // Of the run whose last event ends at `total`.
  static Result<std::unique_ptr<DrawnBlocks>> of(const Database& db, int64_t run, Picoseconds total);

  struct Rows {
    int64_t first_event = 0, event_count = 0;
    Picoseconds reach = 0;  // an event that touches a time starts no earlier before it, but for the last one
  };
  // An event as a bin of one, and where it stands in its block.
  using Take = std::function<void(const PyramidBin& event, const DrawnColumns& block, size_t at)>;
  // The events of a lane that touch `range`, by start.
  Result<void> each(const Rows& lane, TimeRange range, const Take& take);

 private:
  DrawnBlocks(const Database& db, int64_t run, Picoseconds total, Statement start, Statement blocks)
      : db_(db), run_(run), total_(total), start_(std::move(start)), blocks_(std::move(blocks)) {}
  // Of the block whose first event is that row.
  Result<Picoseconds> start_of(int64_t block);
  // The last block that starts before `time`, else the first; counted from 0.
  Result<int64_t> block_before(const Rows& lane, Picoseconds time);
  // Those of a block, whose first event stands at `place`. False: nothing behind it is wanted.
  Result<bool> take_block(const DrawnColumns& block, CoveredTime covered, int32_t place, TimeRange range,
                          const Take& take) const;

  const Database& db_;
  int64_t run_;
  Picoseconds total_;
  Statement start_, blocks_;
  // What was asked before: a picture asks again and again, and each time takes locks of the file.
  std::unordered_map<int64_t, Picoseconds> starts_;
};

}  // namespace shardscope::inline trace
