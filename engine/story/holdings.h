// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"

namespace shardscope {

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
