// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <stop_token>
#include <utility>

namespace shardscope::inline numerics {

class Ranks;

// When to end the execution of a program before it is through.
struct RunLimits {
  RunLimits(std::stop_token asked = {}) : stop(std::move(asked)) {}  // NOLINT: a token is a limit

  std::stop_token stop;
  // Of work in rounds of loops, estimated (work_estimate.h), so that the same program always gets as far.
  double loop_seconds = std::numeric_limits<double>::infinity();
  bool shaken = false;     // every rounding in f64 to a neighbour, see shaken.h
  Ranks* ranks = nullptr;  // who executes programs of several devices; null: this process
};

}  // namespace shardscope::inline numerics
