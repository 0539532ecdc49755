// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardscope::inline strategy {

// What stays where it is: os the output Y, ls the left operand X, rs the right operand W.
enum class Dataflow { os, ls, rs };

}  // namespace shardscope::inline strategy
