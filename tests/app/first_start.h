// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardscope {

// The program without arguments, by run_window; when it shows a run, or after a minute, says as one line of
// JSON what there is to see, and quits. For a process of its own.
int first_start();

}  // namespace shardscope
