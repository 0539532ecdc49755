// SPDX-License-Identifier: Apache-2.0
// How pieces of pyramid levels are stored: their number of bins as eight bytes, then columns as
// packed_columns.h has them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/run/lane_pyramid.h"
#include "engine/trace/blocks/packed_columns.h"

namespace shardscope::inline trace {

// A bin and the number of its first event, shared as schema.sql says; permutation -1: none.
struct StoredBin {
  PyramidBin bin;
  int32_t number = 0;
  int32_t permutation = -1;
};

inline constexpr size_t kBinsPerPiece = 1024;

// Of at most kBinsPerPiece.
std::string bins_blob(std::span<const StoredBin> bins);

// Such a blob, read where it stands.
class StoredBins {
 public:
  // False: it is damaged.
  bool read(std::string_view blob);
  size_t size() const { return size_; }
  Picoseconds start(size_t i) const { return start_[i]; }
  // A damaged file may say anything: such an end is before its start.
  Picoseconds end(size_t i) const {
    return static_cast<Picoseconds>(static_cast<uint64_t>(start_[i]) + static_cast<uint64_t>(length_[i]));
  }
  PyramidBin bin(size_t i) const {
    return {start(i), end(i), busy_[i], bytes_[i], small(first_[i]), small(count_[i])};
  }
  int64_t number(size_t i) const { return small(number_[i]); }
  int64_t permutation(size_t i) const { return small(permutation_[i]); }

 private:
  static int32_t small(int64_t value) { return static_cast<int32_t>(value); }

  size_t size_ = 0;
  PackedColumn start_, length_, busy_, bytes_, first_, count_, number_, permutation_;
};

}  // namespace shardscope::inline trace
