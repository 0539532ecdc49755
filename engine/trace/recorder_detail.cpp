// SPDX-License-Identifier: Apache-2.0
// The rest of Recorder: level of detail, memory, and removal.
#include <algorithm>

#include "engine/trace/blocks/bins.h"
#include "engine/trace/recorder.h"

namespace shardscope::inline trace {

void Recorder::add_pyramid(size_t group, const LaneStretch& lane, const std::vector<PyramidBin>& bins) {
  for (const PyramidLevel& level : build_pyramid(bins)) add_level(group, lane, level);
}

void Recorder::add_level(size_t group, const LaneStretch& lane, const PyramidLevel& level) {
  int64_t piece = 0;
  for (size_t begin = 0; begin < level.bins.size(); begin += kBinsPerPiece) {
    const size_t count = std::min(kBinsPerPiece, level.bins.size() - begin);
    std::vector<StoredBin> stored;
    stored.reserve(count);
    Picoseconds last_end = 0;
    for (size_t i = begin; i < begin + count; ++i) {
      const PyramidBin& bin = level.bins[i];
      const SharedNumber shared = number(group, lane.begin + static_cast<size_t>(bin.first));
      last_end = std::max(last_end, bin.end);
      stored.push_back(
          {bin, static_cast<int32_t>(shared.offset), static_cast<int32_t>(shared.permutation.value_or(-1))});
    }
    pieces_.pyramid.push_back({groups_[group].front(), lane.lane, level.width, piece++,
                               level.bins[begin].start, last_end, bins_blob(stored)});
  }
}

Result<void> Recorder::insert_pieces(const Pieces& pieces) {
  TRY(Statement block, db_.prepare("INSERT INTO event_block VALUES (?, ?, ?, ?, ?, ?)"));
  for (const PackedBlock& b : pieces.blocks) {
    block.bind_all(b.id, b.count, b.first_start, b.covered);
    block.bind_blob(4, b.drawn);
    block.bind_blob(5, b.others);
    TRY_VOID(block.run());
  }
  TRY(Statement bins, db_.prepare("INSERT INTO pyramid VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const PyramidPiece& p : pieces.pyramid) {
    bins.bind_all(id_, p.timeline, p.lane, p.width, p.piece, p.first_start, p.last_end);
    bins.bind_blob(7, p.bins);
    TRY_VOID(bins.run());
  }
  TRY(Statement numbers, db_.prepare("INSERT INTO event_number VALUES (?, ?, ?)"));
  for (const NumberPiece& p : pieces.numbers) {
    numbers.bind_all(id_, p.first);
    numbers.bind_blob(2, p.rows);
    TRY_VOID(numbers.run());
  }
  return {};
}

Result<void> Recorder::insert_memory() {
  const size_t permutations_before = permutations_.rows().size();
  TRY(Statement point, db_.prepare("INSERT INTO memory_point VALUES (?, ?, ?, ?, ?)"));
  TRY(Statement buffer, db_.prepare("INSERT INTO buffer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  for (size_t g = 0; g < memory_groups_.size(); ++g) {
    const std::vector<int32_t>& devices = memory_groups_[g];
    const auto first = static_cast<size_t>(devices.front());
    if (first < timeline_.memory.size()) {
      const std::vector<MemoryPoint>& points = timeline_.memory[first];
      for (size_t i = 0; i < points.size(); ++i) {
        point.bind_all(id_, devices.front(), static_cast<int64_t>(i), points[i].time, points[i].bytes);
        TRY_VOID(point.run());
      }
    }
    for (size_t i = 0; i < buffers_[first].size(); ++i) {
      scratch_.clear();
      for (const int32_t device : devices) scratch_.push_back(buffers_[static_cast<size_t>(device)][i]);
      const SharedNumber place =
          permutations_.encode(static_cast<int64_t>(groups_.size() + g), devices, scratch_,
                               static_cast<int64_t>(timeline_.buffers.size()));
      const BufferLife& b = timeline_.buffers[static_cast<size_t>(buffers_[first][i])];
      buffer.bind_all(id_, devices.front(), static_cast<int64_t>(i), b.instruction, b.bytes, b.start, b.end,
                      place.offset, place.permutation);
      TRY_VOID(buffer.run());
    }
  }
  TRY(Statement insert, db_.prepare("INSERT INTO permutation VALUES (?, ?, ?, ?, ?)"));
  const std::vector<PermutationRow>& rows = permutations_.rows();
  for (size_t i = permutations_before; i < rows.size(); ++i) {
    insert.bind_all(id_, rows[i].id, rows[i].device, rows[i].value, rows[i].modulus);
    TRY_VOID(insert.run());
  }
  return {};
}

Result<void> remove_run(const Database& db, int64_t id) {
  TRY(Transaction transaction, Transaction::begin(db));
  TRY(Statement lanes,
      db.prepare("SELECT min(first_event), max(first_event + event_count) FROM lane WHERE run = ?"));
  lanes.bind_all(id);
  TRY(const bool any, lanes.step());
  // The rows of a run are one stretch: they were reserved together.
  if (any && !lanes.is_null(0))
    for (const char* table : {"event", "event_block"})
      TRY_VOID(db.run(std::string("DELETE FROM ") + table + " WHERE id >= ? AND id < ?", lanes.integer(0),
                      lanes.integer(1)));
  lanes.reset();
  for (const char* table :
       {"numerics", "numerics_region", "loop_step", "instruction", "device_total", "device_timeline", "lane",
        "event_number", "permutation", "pyramid", "critical_event", "step", "memory_point", "buffer"})
    TRY_VOID(db.run(std::string("DELETE FROM ") + table + " WHERE run = ?", id));
  TRY_VOID(db.run("DELETE FROM run WHERE id = ?", id));
  return transaction.commit();
}

}  // namespace shardscope::inline trace
