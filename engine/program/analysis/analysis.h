// SPDX-License-Identifier: Apache-2.0
// Facts that follow from a program's own text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Unpadded flops of one instruction on one device: 2·batch·m·n·k of dots and convolutions; of a ragged-dot as
// if all rows of its operand were in groups; 0 for everything else.
double dot_flops(const Computation& computation, const Instruction& instruction);
// Of rows in groups: a ragged-dot.
bool is_grouped_product(const Instruction& instruction);
// Of elementwise work and reductions: one for each element of the largest array that it reads or writes.
double elementwise_operations(const Computation& computation, const Instruction& instruction);
// m, n, k of a product whose free and contracting dimensions are flattened, times `batch`. Of a convolution:
// the product of its places with its window's elements, of each group.
struct DotSize {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
DotSize dot_size(const Computation& computation, const Instruction& product);
// As its `algorithm` says (dot_bf16_bf16_f32_x3), else once in the type of its left side, as exactly as its
// operand_precision or its library's config says.
Multiplied multiplied_as(const Computation& computation, const Instruction& product);
// Of a foreign module, which leaves what it does not say to XLA; a strategy's products are of the type that
// they name.
Multiplied multiplied_as(const Program& program, const Computation& computation, const Instruction& product);

// add, multiply, maximum, minimum, and, or, xor: what arrays are reduced by, whichever operand comes first.
bool is_reducer(Opcode opcode);
// The operation of a reduction's to_apply: one of those (is_reducer) of two scalars, also where copies,
// annotations, calls, tuples and conversions that change nothing stand around it; unknown when it is none of
// these.
Opcode reducer_opcode(const Program& program, const Instruction& instruction);

// An instruction that makes no array of its own: its value is a view of its operands (parameter, slice,
// reshape, concatenate, dynamic-update-slice, tuple, …) or a scalar; cost 0.
bool is_free(const Instruction& instruction);
// An array of one number: a broadcast of no dimensions.
bool is_spread_number(const Instruction& instruction);
// A constant of one element.
bool is_number(const Instruction& instruction);
// An array that comes from outside of the computation or out of a tuple: nothing computes it here.
bool is_given(const Instruction& instruction);
// add(x, dot) where the dot has no other reader: it becomes part of the dot. By add, the dot, or none.
std::vector<InstructionId> fused_dots(const Computation& computation);

// Of a ragged-all-to-all in the entry: rows that go from rank i to rank j of `group` are [i·ranks + j].
// Refuses send sizes that do not follow from a constant table and the device's place.
Result<std::vector<int64_t>> ragged_sizes(const Program& program, const Instruction& instruction,
                                          const std::vector<DeviceId>& group);

// Per instruction of the entry: the last instruction that reads its buffer, through views; its own place when
// nothing does. A buffer of a parameter or of the result lives to the end.
std::vector<int32_t> last_use(const Computation& computation);

}  // namespace shardscope::inline program
