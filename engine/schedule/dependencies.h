// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardscope {

// What something waits for: works and, behind them, joins; sorted.
using Needs = std::vector<int32_t>;

// What each work waits for. A long list is named once, as a join: it is reached when all of it is, and tells
// what reads it the latest moment of them. A sum of n products that later steps wait for would otherwise name
// n²/2 of them, and many readers of one tuple all its members each.
class Dependencies {
 public:
  static constexpr int32_t kFirstJoin = int32_t{1} << 30;  // joins are numbered from here on

  // `needs`, or the join that stands for them.
  Needs shared(Needs needs) {
    constexpr size_t kMostListed = 8;
    if (needs.size() <= kMostListed) return needs;
    int32_t latest = -1;
    for (const int32_t need : needs) latest = std::max(latest, latest_of(need));
    latest_.push_back(latest);
    joins_.push_back(std::move(needs));
    return {kFirstJoin + static_cast<int32_t>(joins_.size()) - 1};
  }
  void add_work(Needs needs) { works_.push_back(std::move(needs)); }
  const std::vector<Needs>& works() const { return works_; }
  const std::vector<Needs>& joins() const { return joins_; }
  const Needs& join(int32_t number) const { return joins_[static_cast<size_t>(number - kFirstJoin)]; }
  // The last work that a need is, or stands for.
  int32_t latest_of(int32_t need) const {
    return need < kFirstJoin ? need : latest_[static_cast<size_t>(need - kFirstJoin)];
  }

 private:
  std::vector<Needs> works_, joins_;
  std::vector<int32_t> latest_;  // by join: the last work in it
};

}  // namespace shardscope
