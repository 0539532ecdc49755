// SPDX-License-Identifier: Apache-2.0
// Loops: forward with the values that the way back reads kept in stacks, an entry a round; backward with the
// cotangents of the state carried from the last round to the first.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/grad/sweep.h"

namespace shardscope::inline grad {

struct LoopPages {
  LeafFlags active;  // of the state
  int64_t rounds = 0;
  InstructionId ahead;  // the loop with its stacks
  ComputationId condition, body;
  // What the loop back is given beside its counter and cotangents: arrays of the state that no round changes,
  // and stacks, by their place in the state of `ahead`.
  struct Given {
    bool is_stack = false;
    int64_t element = 0;
  };
  std::vector<Given> given;
};

// The forward loop; gives a tuple of the state after it.
Result<InstructionId> write_loop(GradSweep& outer, InstructionId loop, const std::stop_token& stop);

// How many rounds a loop of a computation has: as it says, or as its counter, bound and step do. Errors: they
// depend on data.
Result<int64_t> loop_rounds(const Program& program, const Computation& computation, const Instruction& loop);
// The place of a state's array in it after a round that leaves it as it is, or adds a constant to it.
bool is_unchanged(const Computation& body, int64_t element);
std::optional<int64_t> step_of(const Computation& body, int64_t element);
// The value of an array of a loop's first state, where it is an integer that the program says.
std::optional<int64_t> first_value(const Computation& computation, const Instruction& loop, int64_t element);

}  // namespace shardscope::inline grad
