// SPDX-License-Identifier: Apache-2.0
// What the kernel command prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/machine/replay.h"
#include "engine/kernels/machine/shrink.h"
#include "engine/kernels/time/sweep.h"

namespace shardscope::inline cli {

std::string kernel_list_text();
std::string kernel_list_json();
// `time` is none when the kernel cannot be timed; `why` then says so.
std::string kernel_run_text(const KernelRun& run, const std::optional<KernelTime>& time,
                            const std::string& why);
// `every`: the schedules were all there are.
std::string kernel_run_json(const KernelRun& run, const std::optional<KernelTime>& time,
                            const std::string& why, bool every);
std::string kernel_sweep_text(const std::string& kernel, const std::vector<kernels::KernelAxis>& axes,
                              const std::vector<kernels::KernelPointResult>& points);
std::string kernel_sweep_json(const std::string& kernel, const std::vector<kernels::KernelAxis>& axes,
                              const std::vector<kernels::KernelPointResult>& points);
// Every step of one run, each finding where it was noticed.
std::string kernel_replay_text(const kernels::KernelReplay& replay);
std::string kernel_replay_json(const kernels::KernelReplay& replay);
// What is left of a schedule that fails; nothing: it does not.
std::string kernel_shrink_output(const kernels::KernelEntry& entry, kernels::KernelProgram program,
                                 const kernels::Schedule& schedule, uint64_t input_seed,
                                 const std::optional<kernels::ShrunkSchedule>& shrunk, bool json);

}  // namespace shardscope::inline cli
