// SPDX-License-Identifier: Apache-2.0
// A kernel of a lesson, tried under many schedules, and one schedule of it to step through.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/machine/replay.h"
#include "engine/kernels/machine/shortest.h"
#include "engine/run/kernel/kernel_run.h"

namespace shardscope::inline lesson {

struct NamedKernel {
  std::string name, title;
  std::vector<int32_t> unlike;  // lines that its twin, mended or broken, has otherwise
  KernelRun run;
  std::optional<kernels::ShortestSchedule> shortest;  // none: no schedule breaks it before its end
  // Of the shortest schedule that breaks it, else of schedule 0.
  std::shared_ptr<const kernels::KernelReplay> replay;
};
using NamedKernelPtr = std::shared_ptr<const NamedKernel>;

}  // namespace shardscope::inline lesson
