// SPDX-License-Identifier: Apache-2.0
// A kernel's statements in Python: what is the same everywhere stands before the kernel, the rest inside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/program/options.h"
#include "engine/kernels/text/syntax.h"
#include "engine/run/kernel/kernel_layout.h"

namespace shardscope::kernels {

enum class PallasDialect : uint8_t { tpu, mosaic_gpu };

struct PallasParts {
  std::string statics, inputs, outputs, specs, workspaces, scratch, body;  // lines
  std::vector<std::string> given, written, worked, scratched;  // the kernel's arguments, in this order
};

// Errors: what Pallas cannot say, at `where`:line:column.
Result<PallasParts> pallas_parts(const KernelText& text, const KernelOptions& options,
                                 const KernelLayout& layout, const std::string& where, PallasDialect dialect);

}  // namespace shardscope::kernels
