// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/drawn_blocks.h"

#include <algorithm>

#include "engine/trace/loader.h"

namespace shardscope::inline trace {
namespace {

constexpr auto kBlockRows = static_cast<int64_t>(kEventsPerBlock);

}  // namespace

Result<std::unique_ptr<DrawnBlocks>> DrawnBlocks::of(const Database& db, int64_t run, Picoseconds total) {
  TRY(Statement start, db.prepare("SELECT first_start FROM event_block WHERE id = ?"));
  TRY(Statement blocks, db.prepare("SELECT id, count, covered, drawn FROM event_block"
                                   " WHERE id >= ? AND id < ? ORDER BY id"));
  return std::unique_ptr<DrawnBlocks>(new DrawnBlocks(db, run, total, std::move(start), std::move(blocks)));
}

Result<Picoseconds> DrawnBlocks::start_of(int64_t block) {
  if (const auto known = starts_.find(block); known != starts_.end()) return known->second;
  const ResetAtEnd reset{start_};
  start_.bind(0, block);
  TRY(const bool found, start_.step());
  if (!found) return damaged_run(db_, run_, "events are missing");
  return starts_.emplace(block, start_.integer(0)).first->second;
}

Result<int64_t> DrawnBlocks::block_before(const Rows& lane, Picoseconds time) {
  int64_t low = 0, high = ceil_div(lane.event_count, kBlockRows) - 1;
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    TRY(const Picoseconds start, start_of(lane.first_event + middle * kBlockRows));
    if (start < time)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

Result<bool> DrawnBlocks::take_block(const DrawnColumns& block, CoveredTime covered, int32_t place,
                                     TimeRange range, const Take& take) const {
  for (size_t i = 0; i < block.size; ++i, ++place) {
    const Picoseconds start = block.start[i], length = block.length[i];
    if (start < 0 || start > total_ || length < 0 || length > total_ - start)
      return damaged_run(db_, run_, "event times");
    if (start >= range.end) return false;
    const Picoseconds end = start + length;
    const Picoseconds busy = covered.add({start, end});
    if (touches(range, start, end)) take({start, end, busy, block.bytes[i], place, 1}, block, i);
  }
  return true;
}

Result<void> DrawnBlocks::each(const Rows& lane, TimeRange range, const Take& take) {
  if (lane.event_count == 0) return {};
  TRY(const int64_t from, block_before(lane, range.start - lane.reach));
  int64_t next = lane.first_event + from * kBlockRows;
  const int64_t end_row = lane.first_event + lane.event_count;
  const ResetAtEnd reset{blocks_};
  blocks_.bind_all(next, end_row);
  while (next < end_row) {
    TRY(const bool more, blocks_.step());
    const int64_t count = more ? blocks_.integer(1) : 0;
    if (!more || blocks_.integer(0) != next || count < 1 || count > end_row - next)
      return damaged_run(db_, run_, "events are missing");
    DrawnColumns block;
    if (!block.read(blocks_.blob(3), static_cast<size_t>(count)))
      return damaged_run(db_, run_, "block of events");
    const auto place = static_cast<int32_t>(next - lane.first_event);
    TRY(const bool go_on, take_block(block, {blocks_.integer(2)}, place, range, take));
    if (!go_on) return {};
    next += count;
  }
  return {};
}

}  // namespace shardscope::inline trace
