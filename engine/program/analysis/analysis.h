// SPDX-License-Identifier: Apache-2.0
// Facts that follow from a program's own text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope {

// Unpadded flops of one instruction on one device: 2·batch·m·n·k of dots and convolutions; of a ragged-dot as
// if all rows of its operand were in groups; 0 for everything else.
double dot_flops(const Computation& computation, const Instruction& instruction);
// m, n, k of a product whose free and contracting dimensions are flattened, times `batch`. Of a convolution:
// the product of its places with its window's elements, of each group.
struct DotSize {
  int64_t batch = 1, m = 1, n = 1, k = 1;
};
DotSize dot_size(const Computation& computation, const Instruction& product);

// The operation of a reduction's to_apply: add, multiply, maximum, minimum, and, or, xor; unknown when it is
// none of these.
Opcode reducer_opcode(const Program& program, const Instruction& instruction);

// An instruction that makes no array of its own: its value is a view of its operands (parameter, slice,
// reshape, concatenate, dynamic-update-slice, tuple, …) or a scalar; cost 0.
bool is_free(const Instruction& instruction);
// add(x, dot) where the dot has no other reader: it becomes part of the dot. Gives the dot, or none.
InstructionId fused_dot(const Computation& computation, InstructionId add);

// Of a ragged-all-to-all in the entry: rows that go from rank i to rank j of `group` are [i·ranks + j].
// Refuses send sizes that do not follow from a constant table and the device's place.
Result<std::vector<int64_t>> ragged_sizes(const Program& program, const Instruction& instruction,
                                          const std::vector<DeviceId>& group);

// Per instruction of the entry: the last instruction that reads its buffer, through views; its own place when
// nothing does. A buffer of a parameter or of the result lives to the end.
std::vector<int32_t> last_use(const Computation& computation);

// A part of one of the program's global arrays, held by one device.
struct HeldPiece {
  ArrayRole array = ArrayRole::lhs;
  IndexBox box;  // in the array's stored orientation (rows, columns of Y for products)
  // Of a product: how much of the contraction it has summed. Complete when covered == whole.
  int64_t k_covered = 0;
  int64_t k_whole = 0;
  bool operator==(const HeldPiece&) const = default;
};

// Which pieces of X, W and Y the value of each instruction of the entry is made of, on each device: found by
// following shards through the program's own data movement, dots and sums. The sharding views draw this; it
// is also a proof that every output element has summed each k exactly once (k_overcounted false, covered ==
// whole).
class Holdings {
 public:
  static Result<Holdings> trace(const Program& program);
  // Empty for scalars and for values that are not made of the inputs.
  const std::vector<HeldPiece>& at(InstructionId instruction, DeviceId device) const;
  bool k_overcounted() const { return k_overcounted_; }

 private:
  int64_t devices_ = 0;
  std::vector<int32_t> held_;                   // by instruction · devices + device: place in pieces_
  std::vector<std::vector<HeldPiece>> pieces_;  // each different list once; the first is empty
  bool k_overcounted_ = false;
};

}  // namespace shardscope
