// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/memory/in_place.h"

namespace shardscope::inline program {

// Which operands' memory an instruction's results take, as XLA:TPU writes it into backend_config once it has
// decided: "aliasing_operands":{"lists":[{"indices":["0","3"]}]}, operands first, then results, numbered
// together. Nothing shares where nothing is listed. Updates in place must share (PlaceOf::asked), others may.
// Where there is no backend_config, or an operand is a tuple: what may_stand_in() says.
std::vector<PlaceOf> written_aliases(const Program& program, const Computation& computation,
                                     const Instruction& instruction);

}  // namespace shardscope::inline program
