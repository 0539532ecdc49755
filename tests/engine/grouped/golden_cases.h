// SPDX-License-Identifier: Apache-2.0
// Worked examples of grouped matmul with their schedules and results, each small enough to follow by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope {

struct GoldenVisits {
  std::vector<int64_t> group_tiles, tile_visits, group_ids, m_tile_ids;
  int64_t num_tiles = 0;
};

// lhs[i][j] = ((i·k + j) mod 5) − 2; rhs[g][i][j] = ((g·k·n + i·n + j) mod 7) − 3, of the whole set of
// groups. tgmm multiplies the transposed lhs with ((i·n + j) mod 3) − 1.
struct GoldenCase {
  std::string name, why;
  std::vector<int64_t> group_sizes;
  int64_t m = 0, tm = 0, group_offset = 0;
  std::optional<int64_t> local_groups;
  int64_t k = 0, n = 0;
  std::vector<int64_t> group_offsets;
  GoldenVisits without_empty, with_empty;
  bool existing_out = false;    // all 100
  std::vector<double> gmm_out;  // kUnwritten where the kernel never wrote
  std::vector<double> tgmm_out;
};

inline constexpr double kUnwritten = 999;

inline std::vector<GoldenCase> golden_cases() {
  return {
      {"aligned",
       "groups start on tile boundaries",
       {4, 8, 4},
       16,
       4,
       0,
       std::nullopt,
       2,
       2,
       {0, 4, 12, 16},
       {{1, 2, 1}, {1, 1, 1, 1}, {0, 1, 1, 2, 2, 2}, {0, 1, 2, 3, 3, 3}, 4},
       {{1, 2, 1}, {1, 1, 1, 1}, {0, 1, 1, 2, 2, 2}, {0, 1, 2, 3, 3, 3}, 4},
       false,
       {7,  4,  -1, 0,  -4, -4, 3, 2,  7,  -4, -5, -1, 3,  -3, -4, 10,
        -1, -2, 7,  -4, -5, -1, 3, -3, -4, -4, 2,  1,  -2, 1,  4,  1},
       {3, 2, 2, -3, 0, -4, -4, 1, -1, 2, 3, 2}},
      {"straddle",
       "two groups start inside a tile",
       {3, 6, 7},
       16,
       4,
       0,
       std::nullopt,
       2,
       2,
       {0, 3, 9, 16},
       {{1, 3, 2}, {2, 1, 2, 1}, {0, 1, 1, 1, 2, 2}, {0, 0, 1, 2, 2, 3}, 6},
       {{1, 3, 2}, {2, 1, 2, 1}, {0, 1, 1, 1, 2, 2}, {0, 0, 1, 2, 2, 3}, 6},
       false,
       {7,  4,  -1, 0, -4, -4, -1, -2, 7,  -4, -5, -1, 3,  -3, -4, 10,
        -1, -2, -2, 1, 4,  1,  0,  1,  -4, -4, 2,  1,  -2, 1,  4,  1},
       {2, 2, 2, -3, 4, -6, -1, -1, -4, 4, 0, 4}},
      {"empty_middle",
       "an empty group on a boundary",
       {4, 0, 4},
       8,
       4,
       0,
       std::nullopt,
       2,
       2,
       {0, 4, 4, 8},
       {{1, 0, 1}, {1, 1}, {0, 2, 2, 2}, {0, 1, 1, 1}, 2},
       {{1, 1, 1}, {1, 2}, {0, 1, 2, 2}, {0, 1, 1, 1}, 3},
       false,
       {7, 4, -1, 0, -4, -4, 3, 2, -2, 1, 4, 1, 0, 1, -4, -4},
       {3, 2, 2, -3, 0, 0, 0, 0, 3, -5, -1, -1}},
      {"all_in_one",
       "one group has every row",
       {0, 0, 8, 0},
       8,
       4,
       0,
       std::nullopt,
       2,
       2,
       {0, 0, 0, 8, 8},
       {{0, 0, 2, 0}, {1, 1}, {2, 2, 3, 3, 3}, {0, 1, 1, 1, 1}, 2},
       {{1, 1, 2, 1}, {3, 1}, {0, 1, 2, 2, 3}, {0, 0, 0, 1, 1}, 5},
       false,
       {4, 1, 0, 1, -4, -4, 2, 1, -2, 1, 4, 1, 0, 1, -4, -4},
       {0, 0, 0, 0, 0, 0, 0, 0, 6, -3, 1, -4, 0, 0, 0, 0}},
      {"shard_first_half",
       "the first of two shards",
       {3, 6, 4, 3},
       16,
       4,
       0,
       2,
       2,
       2,
       {0, 3, 9, 13, 16},
       {{1, 3, 2, 1}, {2, 1, 2, 2}, {0, 1, 1, 1, 2, 2, 3}, {0, 0, 1, 2, 2, 3, 3}, 4},
       {{1, 3, 2, 1}, {2, 1, 2, 2}, {0, 1, 1, 1, 2, 2, 3}, {0, 0, 1, 2, 2, 3, 3}, 4},
       false,
       {7,  4,  -1, 0, -4, -4, -1, -2, 7, -4, -5, -1, 3, -3, -4, 10,
        -1, -2, 0,  0, 0,  0,  0,  0,  0, 0,  0,  0,  0, 0,  0,  0},
       {2, 2, 2, -3, 4, -6, -1, -1}},
      {"shard_existing_out",
       "the second of two shards, writing into an output",
       {3, 6, 4, 3},
       16,
       4,
       2,
       2,
       2,
       2,
       {0, 3, 9, 13, 16},
       {{1, 3, 2, 1}, {2, 1, 2, 2}, {2, 2, 3, 0, 1, 1, 1}, {2, 3, 3, 0, 0, 1, 2}, 3},
       {{1, 3, 2, 1}, {2, 1, 2, 2}, {2, 2, 3, 0, 1, 1, 1}, {2, 3, 3, 0, 0, 1, 2}, 3},
       true,
       {kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten,
        kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten, kUnwritten,
        100,        100,        -2,         1,          4,          1,          0,          1,
        -4,         -4,         -2,         -3,         -4,         -1,         -1,         -4},
       {-5, 2, -1, 2, 1, 2, 1, 2}},
      {"k_remainder",
       "a last tile of k that is not full",
       {3, 5},
       8,
       4,
       0,
       std::nullopt,
       3,
       3,
       {0, 3, 8},
       {{1, 2}, {2, 1}, {0, 1, 1}, {0, 0, 1}, 3},
       {{1, 2}, {2, 1}, {0, 1, 1}, {0, 0, 1}, 3},
       false,
       {6, 3, 0, -9, 6, 7, 6, -1, -1, -4, -5, 8, -2, 1, -3, 0, -3, 1, 7, 8, -5, -1, -1, -1},
       {2, 0, -2, -1, 0, 1, 1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
  };
}

}  // namespace shardscope
