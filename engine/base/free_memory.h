// SPDX-License-Identifier: Apache-2.0
// What a long-lived process does so that it does not keep what a job needed for a moment.
#pragma once

namespace shardscope {

// Blocks of a MiB and more are the system's again as soon as they are free. (The C library's own rule raises
// that size up to 32 MiB with use: after a sweep it kept 1.4 GiB of free memory for arrays to come.) Once, at
// the start of the process.
void return_large_blocks_at_once();

// Gives the system what the C library keeps of smaller blocks, where that is much. For the end of a job.
void return_free_memory();

}  // namespace shardscope
