// SPDX-License-Identifier: Apache-2.0
// What a fusion or a custom-call takes on a chip: the schedule times by it, views show it as a formula.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/cost.h"
#include "engine/program/analysis/local_work.h"
#include "engine/request/module_timing.h"

namespace shardscope::inline run {

// The longest of its three parts is what it takes, beside the launch.
struct LocalCost {
  Cost cost;
  Picoseconds products = 0, vectors = 0, memory = 0;
  double flops = 0, padded_flops = 0, operations = 0;
  int64_t bytes = 0;
  // What of the chip its traffic goes by ("memory.hbm_bytes_per_s", "work.fused", "product.bf16"), and at
  // which rate.
  std::string rate_key;
  double bytes_per_s = 0;
  bool draws_power = false;  // one of its products does
  bool said = false;         // by who asked for the run (CustomCallCost)
  std::vector<std::string> assumptions;
};

// Of a fusion or a custom-call. Errors: numbers of the chip that it needs are not published.
Result<LocalCost> local_cost(const Program& program, const Computation& caller,
                             const Instruction& instruction, const Hardware& hardware,
                             const ModuleTiming& timing);

}  // namespace shardscope::inline run
