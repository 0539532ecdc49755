// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
  Needs shared(Needs needs);
  void add_work(Needs needs) { works_.push_back(std::move(needs)); }
  const std::vector<Needs>& works() const { return works_; }
  const std::vector<Needs>& joins() const { return joins_; }
  // The works from `first` on that work `number` waits for, directly or through joins; in no order, once
  // each.
  Needs needed_from(size_t number, int32_t first) const;

 private:
  std::vector<Needs> works_, joins_;
  std::vector<int32_t> latest_;  // by join: the last work in it
};

}  // namespace shardscope
