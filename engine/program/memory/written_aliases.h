// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/memory/in_place.h"

namespace shardscope::inline program {

// Which operands' memory an instruction's results take, as XLA:TPU writes it into backend_config once it has
// decided: "aliasing_operands":{"lists":[{"indices":["0","3"]}]}, operands first, then results, numbered
// together. Nothing shares where nothing is listed. None: it has no backend_config, or an operand is a tuple.
std::optional<std::vector<PlaceOf>> written_aliases(const Computation& computation,
                                                    const Instruction& instruction);

}  // namespace shardscope::inline program
