// SPDX-License-Identifier: Apache-2.0
// What strategies compute with: arrays and indices of one device, written through an SpmdBuilder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

class SpmdBuilder;

// An array on every device, as one device sees it: its dimensions are local. Belongs to its builder. A
// default Value is "nothing yet": nothing + x is x.
class Value {
 public:
  Value() = default;
  Shape shape() const;
  int64_t dim(size_t i) const;  // 1 after an error
  std::string name() const;     // "W", also when it was gathered or cut

 private:
  friend class SpmdBuilder;
  friend Value operator+(Value a, Value b);
  friend Value matmul(Value a, Value b);
  friend Value einsum(std::string_view subscripts, Value a, Value b);
  Value(SpmdBuilder* builder, InstructionId id) : builder_(builder), id_(id) {}
  SpmdBuilder* builder_ = nullptr;
  InstructionId id_;  // none after an error
};

// A scalar that each device evaluates for itself: its place on an axis and arithmetic on it. s32; remainders
// are those of mathematics: (index - 1) % n is never negative. Stands for instruction·factor_ + offset_, so
// that arithmetic with constants writes nothing.
class Index {
 public:
  Index(int64_t constant) : offset_(constant) {}  // NOLINT: 0 reads better than Index(0)
  friend Index operator+(Index a, Index b);
  friend Index operator-(Index a, Index b);
  friend Index operator*(Index a, Index b);  // one of the two is a constant
  friend Index operator%(Index a, int64_t modulus);
  friend Index min(Index a, int64_t b);
  friend Index max(Index a, int64_t b);

 private:
  friend class SpmdBuilder;
  Index(SpmdBuilder* builder, InstructionId id, int64_t factor, int64_t offset)
      : builder_(builder), id_(id), factor_(factor), offset_(offset) {}
  SpmdBuilder* builder_ = nullptr;  // null: a constant
  InstructionId id_;
  int64_t factor_ = 0;
  int64_t offset_ = 0;
};

Index min(Index a, int64_t b);
Index max(Index a, int64_t b);

Value operator+(Value a, Value b);
Value matmul(Value a, Value b);  // [m,k]·[k,n]
// A product as the papers write it: einsum("mk,nk->mn", x, w). Its result lists the free dimensions of a,
// then of b.
Value einsum(std::string_view subscripts, Value a, Value b);

}  // namespace shardscope::inline program
