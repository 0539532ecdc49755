// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/program/options.h"

namespace shardscope::kernels {

// A size that a kernel may read, by its name.
struct KernelSize {
  std::string name;  // "bm"
  std::optional<int64_t> KernelOptions::*field;
};
const std::vector<KernelSize>& kernel_sizes();

}  // namespace shardscope::kernels
