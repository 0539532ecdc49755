// SPDX-License-Identifier: Apache-2.0
// What is told of a timed plan beside when things happened: it follows from its works and how often each is
// played.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan/repeated_sum.h"
#include "engine/plan/work.h"

namespace shardscope::inline planner {

// Works [begin, end) of a plan, which are played one time, or `times` over.
struct WorkStretch {
  size_t begin = 0, end = 0;
  int64_t times = 1;
  bool operator==(const WorkStretch&) const = default;
};

// The sum of `of` each number in them, in the order in which they are played.
template <class Of>
double sum_over(const std::vector<WorkStretch>& stretches, const Of& of) {
  double sum = 0;
  for (const WorkStretch& stretch : stretches)
    sum = repeated_sum(sum, stretch.times, [&](double s) {
      for (size_t w = stretch.begin; w < stretch.end; ++w) s += of(w);
      return s;
    });
  return sum;
}

// What was played of a plan: its works in stretches, and by work the bytes that `devices` of them sent each
// time.
struct PlayedPlan {
  const Program& program;
  const Hardware& hardware;
  const WorkPlan& plan;
  std::vector<WorkStretch> stretches;
  const std::vector<int64_t>& bytes_sent;
  int64_t devices = 1;
};

// Timeline::collectives, mxu_utilisation and the flops of each device, and what is assumed before and after
// what the timeline says so far.
void add_summary(const PlayedPlan& played, Timeline& timeline);

}  // namespace shardscope::inline planner
