// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "engine/kernels/program/kernel_entry.h"
#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

// A kernel from its text, which came from `file` (in errors; empty: its id stands for it). Errors: the first
// line that cannot be read.
Result<KernelEntry> kernel_from_text(std::string_view text, std::string_view file);

// What kernel_from_text makes of a text that was parsed already.
Result<KernelEntry> kernel_from_parsed(KernelText parsed, std::string_view text, std::string_view file);

}  // namespace shardscope::kernels
