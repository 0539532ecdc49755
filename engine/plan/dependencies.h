// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardscope::inline planner {

// What something waits for: works and, behind them, joins; sorted.
using Needs = std::vector<int32_t>;

// A few of them: what is behind one value.
class SmallNeeds {
 public:
  static constexpr size_t kMost = 8;
  SmallNeeds() = default;
  explicit SmallNeeds(int32_t need) : size_(1), needs_{need} {}
  explicit SmallNeeds(const Needs& needs) : size_(needs.size()) {
    std::copy(needs.begin(), needs.end(), needs_.begin());
  }
  const int32_t* begin() const { return needs_.data(); }
  const int32_t* end() const { return needs_.data() + size_; }

 private:
  size_t size_ = 0;
  std::array<int32_t, kMost> needs_{};
};

// What each work waits for. A long list is named once, as a join: it is reached when all of it is, and tells
// what reads it the latest moment of them. A sum of n products that later steps wait for would otherwise name
// n²/2 of them, and many readers of one tuple all its members each.
class Dependencies {
 public:
  static constexpr int32_t kFirstJoin = int32_t{1} << 30;  // joins are numbered from here on

  // `needs`, or the join that stands for them.
  SmallNeeds shared(const Needs& needs) {
    if (needs.size() <= SmallNeeds::kMost) return SmallNeeds(needs);
    int32_t latest = -1;
    for (const int32_t need : needs) latest = std::max(latest, latest_of(need));
    latest_.push_back(latest);
    joins_.push_back(needs);
    return SmallNeeds(kFirstJoin + static_cast<int32_t>(joins_.size()) - 1);
  }
  void add_work(const Needs& needs) {
    needs_.insert(needs_.end(), needs.begin(), needs.end());
    ends_.push_back(needs_.size());
  }
  size_t works() const { return ends_.size(); }
  std::span<const int32_t> of_work(size_t number) const {
    const size_t begin = number == 0 ? 0 : ends_[number - 1];
    return {needs_.data() + begin, ends_[number] - begin};
  }
  const std::vector<Needs>& joins() const { return joins_; }
  const Needs& join(int32_t number) const { return joins_[static_cast<size_t>(number - kFirstJoin)]; }
  // The last work that a need is, or stands for.
  int32_t latest_of(int32_t need) const {
    return need < kFirstJoin ? need : latest_[static_cast<size_t>(need - kFirstJoin)];
  }

 private:
  Needs needs_;               // of all works, one after the other,
  std::vector<size_t> ends_;  // where those of each end
  std::vector<Needs> joins_;
  std::vector<int32_t> latest_;  // by join: the last work in it
};

}  // namespace shardscope::inline planner
