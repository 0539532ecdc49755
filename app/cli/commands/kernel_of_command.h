// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands/commands.h"

namespace shardscope::inline cli {

// `kernel of`: a recorded run, or a partitioned module, opened down into the kernels that stand for its
// products and collectives.
Command add_kernel_of_command(CLI::App& kernel);

}  // namespace shardscope::inline cli
