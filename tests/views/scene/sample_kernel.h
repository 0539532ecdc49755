// SPDX-License-Identifier: Apache-2.0
// A kernel run under one schedule: what the kernel views' tests look at.
#pragma once

#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/replay.h"
#include "engine/kernels/time/time.h"
#include "sample_run.h"

namespace shardscope {

inline kernels::KernelReplay replay_of(const std::string& id, int n, kernels::Schedule schedule) {
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", n, true}});
  const kernels::KernelEntry entry = *kernels::find_kernel(id);
  return kernels::KernelReplay(entry, *kernels::build_kernel(entry, options), schedule, 0);
}

inline KernelLayout layout_of(const std::string& id) {
  return replay_of(id, 4, kernels::schedule_of(0)).program().layout;
}

inline KernelTime time_of(const std::string& id) {
  kernels::KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  const kernels::KernelProgram program = *kernels::build_kernel(*kernels::find_kernel(id), options);
  return *kernels::time_kernel(program, *find_hardware("tpu-v5e"));
}

}  // namespace shardscope
