// SPDX-License-Identifier: Apache-2.0
// What the kernel command prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/machine/replay.h"
#include "engine/kernels/time/sweep.h"

namespace shardscope {

std::string kernel_list_text();
std::string kernel_list_json();
// `time` is none when the kernel cannot be timed; `why` then says so.
std::string kernel_run_text(const KernelRun& run, const std::optional<KernelTime>& time,
                            const std::string& why);
std::string kernel_run_json(const KernelRun& run, const std::optional<KernelTime>& time,
                            const std::string& why);
std::string kernel_sweep_text(const std::string& kernel, const std::vector<kernels::KernelAxis>& axes,
                              const std::vector<kernels::KernelPointResult>& points);
std::string kernel_sweep_json(const std::string& kernel, const std::vector<kernels::KernelAxis>& axes,
                              const std::vector<kernels::KernelPointResult>& points);
// Every step of one run, each finding where it was noticed.
std::string kernel_replay_text(const kernels::KernelReplay& replay);
std::string kernel_replay_json(const kernels::KernelReplay& replay);

}  // namespace shardscope
