// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/story/shard_piece.h"

namespace shardscope::inline story {

// Sets of contraction indices, each stored once: equal sets have equal numbers. The same few sets come up on
// every device, so unions are remembered.
class ContractionSets {
 public:
  // The indices that a run of steps visits from `base` on.
  int of_run(const StrideDigits& digits, int64_t base);
  // Notes in overlapped() when an index is in both.
  int unite(int a, int b);
  const std::vector<IndexRange>& ranges(int set) const { return *sets_[static_cast<size_t>(set)]; }
  int64_t size(int set) const { return sizes_[static_cast<size_t>(set)]; }
  bool overlapped() const { return overlapped_; }
  void forget_overlap() { overlapped_ = false; }
  // Of a product whose sides are at different contraction indices.
  void note_mismatch() { mismatched_ = true; }
  bool take_mismatch() { return std::exchange(mismatched_, false); }
  bool too_big() const { return too_big_; }  // a set was of more than a million ranges and is left empty

 private:
  int intern(std::vector<IndexRange> ranges);

  std::map<std::vector<IndexRange>, int> numbers_;
  std::vector<const std::vector<IndexRange>*> sets_;  // keys of numbers_
  std::vector<int64_t> sizes_;
  std::map<std::pair<StrideDigits, int64_t>, int> runs_;
  std::map<std::pair<int, int>, int> unions_;
  bool overlapped_ = false;
  bool mismatched_ = false;
  bool too_big_ = false;
};

}  // namespace shardscope::inline story
