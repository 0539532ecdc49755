// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/propagation_kind.h"

namespace shardscope::inline sharding {

const char* name(Propagation propagation) {
  return propagation == Propagation::shardy ? "shardy" : "gspmd";
}

const char* name(Partitioner partitioner) {
  return partitioner == Partitioner::shardy ? "shardy" : "spmd";
}

const char* name(Results results) {
  return results == Results::free ? "free" : "replicated";
}

}  // namespace shardscope::inline sharding
