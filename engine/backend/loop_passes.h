// SPDX-License-Identifier: Apache-2.0
// Collectives of loops, moved out of them or across their rounds. Each gives what it wrote and of what, and
// says of each loop what it did; told to stop, of what was made so far.
#pragma once

#include <stop_token>

#include "engine/backend/pass.h"

namespace shardscope::inline backend {

// A sum over devices that each round adds to an array of its state is taken once, behind the loop: rounds add
// up what the devices have (xla/service/while_loop_all_reduce_code_motion.cc).
PassEffect sum_behind_loops(Program& program, const std::stop_token& stop);
// A collective that moves the same in every round is done once, in front of the loop.
PassEffect hoist_unchanging(Program& program, const std::stop_token& stop);
// xla/service/collective_pipeliner.cc, backward: what a round gathers, where it follows from the counter and
// from arrays that do not change, is gathered by the round before; the first in front of the loop; the last
// round stands behind it.
PassEffect gather_ahead(Program& program, const std::stop_token& stop);
// Forward: what a round adds up only to keep it in an array of all rounds is added up by the next round; the
// first round stands in front of the loop, the last sum behind it. `opcode`: all-reduce or reduce-scatter.
PassEffect sum_later(Program& program, Opcode opcode, const std::stop_token& stop);
// xla/service/gpu/transforms/double_buffer_loop_unrolling.cc: a loop does two rounds at once; of an odd
// number the first stands in front of it.
PassEffect two_rounds_at_once(Program& program, const std::stop_token& stop);

}  // namespace shardscope::inline backend
