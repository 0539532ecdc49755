// SPDX-License-Identifier: Apache-2.0
// Which values of a program share one buffer.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/memory/value_flow.h"

namespace shardscope::inline program {

struct Interval {
  int32_t first = 0, last = 0;
};

struct SharedBuffer {
  int64_t bytes = 0;
  int32_t value = 0;  // its largest, the first
  ValueHome home = ValueHome::made;
  bool result = false;
  bool stored = false;           // some value of it (FlowValue::stored)
  bool table = true;             // of tuples, all of its values
  bool in_result = false;        // it stands in a result's memory while that is not needed yet
  std::vector<Interval> lives;   // ascending, apart from each other
  std::vector<Interval> values;  // of each value that it is for, in the order in which they were made
  std::vector<Interval> passed;  // rounds of loops that hand it on as it is

  bool is_temporary() const { return home == ValueHome::made && !result && bytes > 0; }
};

struct SharedBuffers {
  MemoryRules rules;
  std::vector<SharedBuffer> buffers;
  const SharedBuffer& at(int32_t buffer) const { return buffers[static_cast<size_t>(buffer)]; }
};

// `given`: copies stand in the program where values must not share (it is scheduled); else they are made
// where a loop changes what others read. Error: stopped.
Result<SharedBuffers> share_buffers(const ValueFlow& flow, bool given, const std::stop_token& stop);

bool overlap(const std::vector<Interval>& a, const std::vector<Interval>& b);

}  // namespace shardscope::inline program
