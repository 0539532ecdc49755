// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/split_step.h"

#include "engine/base/check.h"

namespace shardscope::inline sharding {
namespace {

size_t dim_where(const SplitStep& step, bool grows) {
  for (size_t d = 0; d < step.from.dims.size(); ++d) {
    const int64_t before = size_of(step.from.dims[d]), after = size_of(step.to.dims[d]);
    if (grows ? after > before : after < before) return d;
  }
  CHECK(false, "a step that cuts no dimension otherwise");
  return 0;
}

}  // namespace

const char* opcode_of(SplitStep::Kind kind) {
  switch (kind) {
    case SplitStep::Kind::slice:
      return "dynamic-slice";
    case SplitStep::Kind::permute:
      return "collective-permute";
    case SplitStep::Kind::exchange:
      return "all-to-all";
    case SplitStep::Kind::gather:
      return "all-gather";
    case SplitStep::Kind::reduce_scatter:
      return "reduce-scatter";
    case SplitStep::Kind::all_reduce:
      return "all-reduce";
    case SplitStep::Kind::make_partial:
      return "select";
  }
  return "";
}

bool is_local(SplitStep::Kind kind) {
  return kind == SplitStep::Kind::slice || kind == SplitStep::Kind::make_partial;
}

size_t grown_dim(const SplitStep& step) {
  return dim_where(step, true);
}

size_t shrunk_dim(const SplitStep& step) {
  return dim_where(step, false);
}

}  // namespace shardscope::inline sharding
