// SPDX-License-Identifier: Apache-2.0
// Which tile of rows works for which group in a grouped matmul whose rows are sorted by group, counted in
// integers. Lists and rules of megablox (jax.experimental.pallas.ops.tpu.megablox, gmm.py, The JAX Authors,
// 2024).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline program {

// What is asked: m rows, the first group_sizes[0] of them group 0's and so on, in tiles of tm rows. A shard
// works for `local_groups` groups from `group_offset` on (unset: all the rest).
struct GroupedRows {
  std::vector<int64_t> group_sizes;
  int64_t m = 0;
  int64_t tm = 128;
  int64_t group_offset = 0;
  std::optional<int64_t> local_groups;
  bool visit_empty = false;  // an empty group gets one visit, to write its zeros (tgmm)
  bool skip_empty = false;   // which multiplies nothing (tgmm; gmm multiplies its tile for nothing)
  bool allow_short = false;  // sum(group_sizes) < m: the rows after the last group are nobody's
  bool operator==(const GroupedRows&) const = default;
};

// Step `step` of the schedule: rows [row_start, row_stop) of the tile are the group's; none for an empty one.
struct TileVisit {
  int64_t step = 0;
  int64_t m_tile = 0;
  int64_t group = 0;
  int64_t row_start = 0, row_stop = 0;
  int64_t rows() const { return row_stop - row_start; }
  bool operator==(const TileVisit&) const = default;
};

// G groups, T = m/tm tiles. A tile that several groups share is visited once by each, one after the other,
// because an output block may only be visited again in the next step.
struct GroupMetadata {
  std::vector<int64_t> group_offsets;  // [G+1], the first row of each group
  std::vector<int64_t> group_tiles;    // [G], visits that each group needs
  std::vector<int64_t> tile_visits;    // [T], visits of each tile by all groups
  // [T+G-1] each: group and tile of each step, rotated so that the shard's first step is the first entry.
  // Only num_tiles entries are steps, the others are padding.
  std::vector<int64_t> group_ids, m_tile_ids;
  int64_t num_tiles = 0;         // steps of the shard
  int64_t multiplied_tiles = 0;  // of them those that multiply
  bool skips_empty = false;      // the others are those of empty groups
  int64_t tiles_m = 0;           // T
  int64_t tm = 0, m = 0;
  int64_t group_offset = 0, local_groups = 0;  // of the shard

  int64_t groups() const { return static_cast<int64_t>(group_tiles.size()); }
  int64_t first_row() const;  // of the shard's groups
  int64_t last_row() const;   // one beyond the last
  int64_t rows() const { return last_row() - first_row(); }
  int64_t wasted_rows() const { return multiplied_tiles * tm - rows(); }  // rows multiplied and thrown away
  int64_t wasted_rows(const TileVisit& visit) const {
    return skips_empty && visit.rows() == 0 ? 0 : tm - visit.rows();
  }
  // rows / (multiplied_tiles·tm); none without a step that multiplies.
  std::optional<double> efficiency() const;
  TileVisit visit(int64_t step) const;  // 0 <= step < num_tiles
  std::vector<TileVisit> visits() const;
  bool operator==(const GroupMetadata&) const = default;
};

// Errors: tm does not divide m, sizes that are negative or do not sum to m, a shard beyond the groups, rows
// that 32-bit row numbers do not reach.
Result<GroupMetadata> make_group_metadata(const GroupedRows& rows);

// "3,6,7" as group sizes; blanks are skipped.
Result<std::vector<int64_t>> parse_group_sizes(std::string_view text);

}  // namespace shardscope::inline program
