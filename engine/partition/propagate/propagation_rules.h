// SPDX-License-Identifier: Apache-2.0
// How a tiling goes from an operand to the result of an instruction and back.
#pragma once

#include <optional>

#include "engine/partition/types/tiling.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// From which level on a tiling goes through the instruction: 0 for what passes arrays through as they are, 1
// for what makes new ones, 2 for broadcasts.
int propagation_level(const Instruction& instruction);

// The result's tiling as operand k says: dimensions that end in the instruction (contracted, reduced, sliced)
// become replicas. None: it says nothing. Tuples, loops and branches aside.
std::optional<Tiling> result_from_operand(const Computation& computation, const Instruction& instruction,
                                          size_t k, const Tiling& operand);
// The tiling of operand k as the result says.
std::optional<Tiling> operand_from_result(const Computation& computation, const Instruction& instruction,
                                          size_t k, const Tiling& result);
// The tiling of one side of a product as the other's batch and contracted dimensions say.
std::optional<Tiling> operand_from_partner(const Computation& computation, const Instruction& product,
                                           size_t k, const Tiling& partner);

// Both cuts at once: where both cut a dimension they cut it alike. None: no tiling does that, since devices
// that share a tile of both are not equally many everywhere.
std::optional<Tiling> merged_tilings(const Tiling& a, const Tiling& b);

}  // namespace shardscope
