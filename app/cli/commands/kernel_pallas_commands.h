// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands/commands.h"

namespace shardscope::inline cli {

// `kernel code`: a kernel as a Pallas program in Python; `kernel read`: such a program as a kernel.
Command add_kernel_pallas_commands(CLI::App& kernel);

}  // namespace shardscope::inline cli
