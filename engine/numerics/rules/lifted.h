// SPDX-License-Identifier: Apache-2.0
// Instructions that apply a computation of scalars to many elements run it lifted: the same instructions on
// whole arrays of elements.
#pragma once

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// A computation that an instruction calls: to_apply, or by another key.
struct LiftedCall {
  const Instruction& caller;
  std::string_view key = "to_apply";
};
// It on [parameter][device], arrays of `count` elements each; gives [result][device].
Result<ArrayViews> apply_lifted(Execution& run, const LiftedCall& call, int64_t count,
                                const ArrayViews& arguments);
// Lets go of what was made for this count.
void forget_lifted(Execution& run, const LiftedCall& call, int64_t count);

// Makes [part][device] the step's result, or its tuple.
void give_parts(Step& step, const ArrayViews& parts);

}  // namespace shardscope::inline numerics
