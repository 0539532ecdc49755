// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope::inline numerics {

// In which types numbers are computed: the program's own, or f64 throughout.
enum class ComputedIn { own_types, f64 };

// Seconds that computing a program on all its devices takes here, about: products by their flops, all else by
// its bytes, and each instruction something. Loops whose rounds cannot be read off count as one.
double seconds_to_compute(const Program& program, ComputedIn types = ComputedIn::own_types);
// The same on one device, whatever the program's mesh.
double seconds_on_one_device(const Program& program, ComputedIn types = ComputedIn::own_types);

// What of it is for the number of its instructions alone: about what it takes on arrays of no size, loops
// going round `most_rounds` times at most.
double seconds_of_instructions(const Program& program, double most_rounds);

// Of one round of a loop of it, without the rounds of loops in that.
double seconds_of_round(const Program& program, const Instruction& loop);

}  // namespace shardscope::inline numerics
