// SPDX-License-Identifier: Apache-2.0
// A kernel's time over its tile sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/kernels/catalogue/catalogue.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::kernels {

// "bm=128,256,512": one option of KernelOptions (m, k, n, bm, bk, bn, rows, cols, chunks) and its values.
struct KernelAxis {
  std::string name;
  std::vector<int64_t> values;
  bool operator==(const KernelAxis&) const = default;
};
Result<KernelAxis> parse_kernel_axis(std::string_view text);

struct KernelPointResult {
  std::vector<int64_t> values;  // of the axes
  int64_t vmem_bytes = 0;
  bool fits_vmem = false;
  std::optional<KernelTime> time;  // none when it does not fit, or could not be built
  std::string error;               // why it could not be built or timed
  bool operator==(const KernelPointResult&) const = default;
};

inline constexpr int64_t kMostKernelPoints = 1 << 20;

// Every combination of the axes' values, the last axis fastest. Each is timed, none is run under schedules.
// Errors: more than kMostKernelPoints of them; told to stop.
Result<std::vector<KernelPointResult>> sweep_kernel(const KernelEntry& entry, const KernelOptions& options,
                                                    const std::vector<KernelAxis>& axes,
                                                    const Hardware& hardware,
                                                    const std::stop_token& stop = {});

}  // namespace shardscope::kernels
