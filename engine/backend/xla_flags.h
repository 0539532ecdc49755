// SPDX-License-Identifier: Apache-2.0
// Flags of XLA that decide what its GPU compiler makes of collectives, as users set them in XLA_FLAGS. Names,
// defaults and meaning: xla/debug_options_flags.cc of openxla/xla (2026) and JAX's page "GPU performance
// tips".
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/analysis/combining.h"

namespace shardscope::inline backend {

struct XlaFlags {
  int64_t all_gather_combine_bytes = kCombineBytes;
  int64_t all_reduce_combine_bytes = kCombineBytes;
  int64_t reduce_scatter_combine_bytes = kCombineBytes;
  int64_t collective_permute_combine_bytes = kCombineBytes;
  bool latency_hiding_scheduler = false;
  int64_t collectives_in_flight = 1;  // on the network, and as many on the links within a node
  bool pipelined_all_gather = false;
  bool pipelined_all_reduce = false;
  bool pipelined_reduce_scatter = true;
  bool pipelined_collectives = false;  // all three of them
  bool while_loop_double_buffering = false;
  // Permutes round a ring of at least so many bytes become two; the largest number: none does.
  int64_t permute_decomposer_bytes = std::numeric_limits<int64_t>::max();
  bool highest_priority_async_stream = true;  // of the running program; the module is the same
  bool operator==(const XlaFlags&) const = default;
};

// "xla_gpu_all_reduce_combine_threshold_bytes=1048576", also with "--" before it. Errors: a flag that is not
// among these (the known ones are listed), a value that is none of its type.
Result<void> put_xla_flag(std::string_view text, XlaFlags& flags);

struct XlaFlagRow {
  std::string name, value, unsaid;  // as it is set; as it is by default
  std::string what;                 // a sentence
};
std::vector<XlaFlagRow> xla_flag_rows(const XlaFlags& flags);

}  // namespace shardscope::inline backend
