// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/run/run.h"
#include "engine/trace/database.h"

namespace shardscope {

// What the permutations of a run say for one device: permutation id -> (value, modulus).
class DevicePermutations {
 public:
  static Result<DevicePermutations> read(const Database& db, int64_t run, int32_t device);
  // The number whose offset and permutation stand in columns c and c + 1 of `row`; -1 in a damaged file.
  int64_t number(const Statement& row, int c) const {
    return row.is_null(c + 1) ? row.integer(c) : number(row.integer(c), row.integer(c + 1));
  }
  int64_t number(int64_t offset, int64_t permutation) const;  // permutation -1: none

 private:
  std::unordered_map<int64_t, std::pair<int64_t, int64_t>> values_;
};

// Columns of `event` that read_event reads, in its order.
inline constexpr const char* kEventColumnNames =
    "start, end, kind, instruction, step, transfer_step, chunk_count, bytes, flops, number, "
    "number_permutation, "
    "peer, peer_permutation, chunk, chunk_permutation, cause, cause_permutation";
inline constexpr int kNumberColumn = 9;

// What no event of a run exceeds; a damaged file may say anything.
struct EventBounds {
  int32_t devices = 0;
  int64_t events = 0;  // kept
  int64_t instructions = 0;
  Picoseconds total = 0;
};

Error damaged_run(const Database& db, int64_t id, const std::string& what);
// None: the row is damaged.
std::optional<Event> read_event(const Statement& row, int32_t device, int lane,
                                const DevicePermutations& permutations, const EventBounds& bounds);

// A finished run, equal to the recorded one.
Result<RunPtr> load_run(const Database& db, int64_t id);

}  // namespace shardscope
