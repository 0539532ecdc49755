// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/parallel.h"

namespace shardscope::inline numerics {

// Calls of body(i) for every i in [0, count), independent of each other. The body holds all that it needs
// but the elements it reads and writes: those it knows by address.
struct ParallelLoop {
  int64_t count = 0;
  std::function<void(int64_t)> body;
};

// The parallel loops that an execution is made of. They run as they come; where they are recorded, running
// them again in order on the same memory is the same execution, without what led to them.
class Loops {
 public:
  // Bodies look at `stop`, which outlives them.
  Loops(const Workers& workers, const std::stop_token& stop) : workers_(workers), stop_(stop) {}
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  const Workers& workers() const { return workers_; }
  const std::stop_token& stop() const { return stop_; }

  // `bytes`: about what the body holds.
  void run(ParallelLoop loop, int64_t bytes) {
    if (loop.count <= 0) return;
    bytes_ += bytes + static_cast<int64_t>(sizeof(ParallelLoop));
    workers_.parallel_for(loop.count, loop.body);
    if (record_ != nullptr) record_->push_back(std::move(loop));
  }
  // Elements were written, or memory used, without a loop.
  void pass_by() { whole_ = false; }

  // Of what ran since begin().
  void begin(std::vector<ParallelLoop>* record) {  // null: nothing is recorded
    record_ = record;
    whole_ = true;
    bytes_ = 0;
  }
  bool whole() const { return whole_; }  // nothing passed by
  int64_t bytes() const { return bytes_; }

 private:
  const Workers& workers_;
  const std::stop_token& stop_;
  std::vector<ParallelLoop>* record_ = nullptr;
  bool whole_ = true;
  int64_t bytes_ = 0;
};

}  // namespace shardscope::inline numerics
