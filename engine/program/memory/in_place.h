// SPDX-License-Identifier: Apache-2.0
// Which operands of an instruction its result may take the memory of, as XLA's kernels allow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/memory/laid_out_for.h"

namespace shardscope::inline program {

struct PlaceOf {
  size_t operand = 0, of_operand = 0;  // which leaf of it (tuple_buffers.h)
  size_t result = 0;                   // which leaf of the result
  bool asked = false;                  // the program says so, or it updates a part of what it is given
};

// Elementwise work in an operand of the same size; updates, scatters and sorts in what they change; fusions
// in an operand that they read element by element or update a part of, on GPUs also one that they reduce
// (gpu_fusion_places.h); whatever says so itself (output_to_operand_aliasing of fusions and custom-calls).
std::vector<PlaceOf> may_stand_in(const Program& program, const Computation& computation,
                                  const Instruction& instruction, LaidOutFor chip);

// A GPU's library sums devices' arrays where they lie; what starts such a sum gives its operand's memory on.
enum class InPlaceSum : uint8_t { no, may, must };
InPlaceSum sums_in_place(const Instruction& instruction, LaidOutFor chip);

// Of an update in place: whether `read` is the part that it changes.
bool is_part_of_update(const Instruction& read, const Instruction& update);

// By buffer of the state of a loop with this body, of so many: whether somebody reads its element whom what
// becomes of that does not wait for. Compilers decide what is changed in place before they decide what runs
// first, so it is copied.
std::vector<bool> read_out_of_order(const Computation& body, const Shape& state, size_t buffers);

}  // namespace shardscope::inline program
