// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/kernels/machine/schedule.h"
#include "engine/kernels/program/kernel_entry.h"

namespace shardscope::kernels {

// One schedule that fails, without all choices that its failure does not need.
struct ShrunkSchedule {
  int64_t steps_before = 0;
  std::vector<Action> choices;
  KernelFinding finding;
  bool shortest = true;  // none of the choices can be left out; false: the search took too long to say so
};

// Of the run's findings one that breaks it (`breaks`), else the first. Nothing: it has none. Errors:
// cancelled.
Result<std::optional<ShrunkSchedule>> shrink(const KernelEntry& entry, const KernelProgram& program,
                                             const Schedule& schedule, uint64_t input_seed,
                                             const std::stop_token& stop);

}  // namespace shardscope::kernels
