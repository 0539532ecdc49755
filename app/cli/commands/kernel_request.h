// SPDX-License-Identifier: Apache-2.0
// What the subcommands of kernel share: which kernel, for which mesh and sizes, under which schedule.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/schedule.h"

namespace shardscope::inline cli {

struct KernelCommandOptions {
  std::string id, output, dtype = "f32", hardware = "tpu-v5e", policy = "mixed";
  std::optional<int64_t> ring;
  std::optional<std::string> mesh;
  kernels::KernelOptions sizes;
  std::vector<std::string> over;
  std::string db;
  std::string schedules = "300";
  uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

void add_kernel_options(CLI::App& command, KernelCommandOptions& o);
void add_kernel_name(CLI::App& command, KernelCommandOptions& o);

// A kernel of the catalogue by its id, or of a file whose name ends in .kernel.
Result<kernels::KernelEntry> read_kernel(const std::string& id);
struct RequestedKernel {
  kernels::KernelEntry entry;
  Hardware hardware;
  kernels::KernelOptions sizes;
};
Result<RequestedKernel> read_request(const KernelCommandOptions& options);
// How many schedules; none: all of them.
Result<std::optional<int64_t>> read_schedules(const KernelCommandOptions& options);
Result<kernels::Schedule> read_schedule(const KernelCommandOptions& options);

}  // namespace shardscope::inline cli
