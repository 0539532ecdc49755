// SPDX-License-Identifier: Apache-2.0
// Writes one run in batches, a transaction each; the row `run` is there already, under status 'recording'.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>

#include "engine/run/lane_pyramid.h"
#include "engine/run/run.h"
#include "engine/trace/blocks/event_block.h"
#include "engine/trace/blocks/event_numbers.h"
#include "engine/trace/sharing.h"
#include "engine/trace/sql/database.h"
#include "engine/trace/sql/generated_rows.h"

namespace shardscope::inline trace {

class Recorder {
 public:
  // `go_on` is called between batches, outside of any transaction; false stops recording (outcome:
  // cancelled).
  Recorder(const Database& db, int64_t id, const Run& run, std::function<bool()> go_on);
  Result<void> record();

 private:
  // A row of `pyramid`.
  struct PyramidPiece {
    int32_t timeline = 0;
    int lane = 0;
    Picoseconds width = 0;
    int64_t piece = 0;
    Picoseconds first_start = 0, last_end = 0;
    std::string bins;
  };
  // A row of `event_block`.
  struct PackedBlock {
    int64_t id = 0, count = 0;
    Picoseconds first_start = 0, covered = 0;
    std::string drawn, others;
  };
  // What belongs to the rows that are handed over together.
  struct Pieces {
    std::vector<PyramidPiece> pyramid;
    std::vector<PackedBlock> blocks;
    std::vector<NumberPiece> numbers;
  };

  void share();
  // Of the event at `place` of the group's devices.
  SharedNumber number(size_t group, size_t place);
  EventNumbers encode(size_t group, size_t place);
  SharedNumber share_numbers(size_t group, int64_t modulus, const std::function<int64_t(int32_t)>& number_of);
  const LaneOrder& order(int32_t device) const { return by_lane_[static_cast<size_t>(device)]; }
  const Event& event(int32_t device, size_t place) const;
  Result<void> insert_frame();
  Result<void> insert_lanes();
  Result<void> insert_events();
  // What is in block_ becomes rows and a block; everything before `covered` is counted by earlier events of
  // the lane.
  void end_block(Picoseconds covered);
  void add_rows();
  // What was made of events since the last time becomes a batch. It is written while the next one is made.
  Result<void> hand_over(std::launch how);
  // The same, once it is so many rows.
  Result<void> hand_over_from(int64_t rows);
  // Those that are as far among all as so many rows are.
  void make_numbers(int64_t written);
  Result<void> write_events(const Pieces& pieces);
  Result<void> wait_for_events();
  Result<void> insert_permutations();
  void add_pyramid(size_t group, const LaneStretch& lane, const std::vector<PyramidBin>& bins);
  void add_level(size_t group, const LaneStretch& lane, const PyramidLevel& level);
  Result<void> insert_pieces(const Pieces& pieces);
  Result<void> insert_memory();
  Result<void> insert_path_and_steps();
  Result<void> next_batch();  // commits, asks go_on, begins again

  const Database& db_;
  int64_t id_;
  const Run& run_;
  const Timeline& timeline_;
  std::function<bool()> go_on_;
  std::vector<LaneOrder> by_lane_;             // per device
  std::vector<std::vector<int32_t>> buffers_;  // per device: places
  DeviceGroups groups_, memory_groups_;
  std::map<int32_t, int64_t> chunk_moduli_;
  Permutations permutations_;
  std::vector<int64_t> scratch_;
  int64_t first_event_ = 0;  // row of the first event
  int64_t next_event_ = 0;   // row of the next one to be written
  int64_t rows_to_write_ = 0;
  NumberPieces numbers_;
  std::unique_ptr<GeneratedRows> rows_;
  EventBlock block_;
  std::vector<PyramidBin> bins_;  // of a lane
  Pieces pieces_;
  std::vector<TraceSource::Step> steps_;  // found while the last events are written
  std::optional<Transaction> batch_;
  std::future<Result<void>> writing_;  // has the connection while it is valid
};

// Removes what is stored of a run.
Result<void> remove_run(const Database& db, int64_t id);

}  // namespace shardscope::inline trace
