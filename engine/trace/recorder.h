// SPDX-License-Identifier: Apache-2.0
// Writes one run in batches, a transaction each; the row `run` is there already, under status 'recording'.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/run/lane_pyramid.h"
#include "engine/run/run.h"
#include "engine/trace/database.h"
#include "engine/trace/row_pages.h"
#include "engine/trace/sharing.h"

namespace shardscope {

class Recorder {
 public:
  // `go_on` is called between batches, outside of any transaction; false stops recording (outcome:
  // cancelled).
  Recorder(const Database& db, int64_t id, const Run& run, std::function<bool()> go_on);
  Result<void> record();

 private:
  struct Encoded {
    SharedNumber number, peer, chunk, cause;
  };

  void share();
  bool sharing_pays() const;
  Encoded encode(size_t group, size_t place);  // the event at `place` of the group's devices
  const EventOrder& order(int32_t device) const { return by_lane_[static_cast<size_t>(device)]; }
  const Event& event(int32_t device, size_t place) const;
  Result<void> insert_frame();
  Result<void> insert_lanes();
  Result<void> insert_events();
  void add_row(const Event& event, const Encoded& numbers);
  Result<void> insert_rows();  // those that were added since the last time, as a batch of their own
  Result<void> insert_numbers();
  Result<void> insert_permutations();
  Result<void> insert_pyramids();
  Result<void> insert_pyramid(size_t group, const LaneStretch& lane);
  Result<void> insert_level(size_t group, const LaneStretch& lane, const PyramidLevel& level);
  Result<void> insert_memory();
  Result<void> insert_path_and_steps();
  Result<void> next_batch();  // commits, asks go_on, begins again

  const Database& db_;
  int64_t id_;
  const Run& run_;
  const Timeline& timeline_;
  std::function<bool()> go_on_;
  std::vector<EventOrder> by_lane_;            // per device
  std::vector<std::vector<int32_t>> buffers_;  // per device: places
  DeviceGroups groups_, memory_groups_;
  std::map<int32_t, int64_t> chunk_moduli_;
  Permutations permutations_;
  std::vector<int64_t> scratch_;
  int64_t first_event_ = 0;  // row of the first event
  int64_t next_event_ = 0;   // row of the next one to be written
  std::optional<RowPages> rows_;
  std::optional<Transaction> batch_;
};

// Removes what is stored of a run.
Result<void> remove_run(const Database& db, int64_t id);

}  // namespace shardscope
