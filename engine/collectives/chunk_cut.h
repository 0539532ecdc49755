// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace shardscope::inline collectives {

// Whether `a_count` chunks from `a` on have one in common with `b_count` from `b` on, modulo `chunks`.
inline bool share_a_chunk(int32_t a, int32_t a_count, int32_t b, int32_t b_count, int32_t chunks) {
  const int32_t ahead = b >= a ? b - a : b - a + chunks;
  return ahead < a_count || (ahead == 0 ? 0 : chunks - ahead) < b_count;
}

// Where the chunks of a collective's array begin, in bytes or elements: it is cut into one shard per rank,
// each shard into its parts, as equal as these are.
class ChunkCut {
 public:
  ChunkCut(int64_t whole, int64_t chunks, int64_t ranks) : whole_(whole), chunks_(chunks), ranks_(ranks) {
    if (whole % chunks == 0) unit_ = whole / chunks;
  }
  bool all_equal() const { return unit_ >= 0; }
  // How many `count` chunks from `chunk` on have, modulo chunks.
  int64_t of(int64_t chunk, int64_t count) const {
    if (unit_ >= 0) return unit_ * count;
    if (chunk + count <= chunks_) return begin(chunk + count) - begin(chunk);
    return whole_ - begin(chunk) + begin(chunk + count - chunks_);
  }
  // Of the one behind the last: the whole.
  int64_t begin(int64_t chunk) const {
    if (chunks_ % ranks_ != 0) return cut(whole_, chunks_, chunk);
    const int64_t parts = chunks_ / ranks_;
    const int64_t shard = chunk / parts;
    const int64_t from = cut(whole_, ranks_, shard);
    if (shard == ranks_) return from;
    return from + cut(cut(whole_, ranks_, shard + 1) - from, parts, chunk % parts);
  }

 private:
  static int64_t cut(int64_t size, int64_t pieces, int64_t i) {
    return i * (size / pieces) + std::min(i, size % pieces);
  }

  int64_t whole_, chunks_, ranks_;
  int64_t unit_ = -1;  // of each chunk, when all are equal
};

}  // namespace shardscope::inline collectives
