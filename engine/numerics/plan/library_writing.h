// SPDX-License-Identifier: Apache-2.0
// What stands for one call of a library: instructions that are computed in one type.
#pragma once

#include <string_view>

#include "engine/numerics/plan/library_calls.h"

namespace shardscope::inline numerics {

// Of the results of a call the one that is read.
const Shape& first_of(const Shape& shape);
// The word behind the key in JSON: "epilogue":"BIAS_RELU"; a number, whatever its sign.
std::string_view config_word(const Instruction& call, std::string_view key);
double config_number(const Instruction& call, std::string_view key, double otherwise);

// What follows a product or a convolution, element by element.
enum class Activation { none, relu, gelu, silu, unknown };

class CallWriting {
 public:
  CallWriting(const Instruction& call, const CallWriter& writer, ElementType type)
      : call_(call), writer_(writer), type_(type) {}

  InstructionId add(Opcode opcode, Shape shape, std::vector<InstructionId> operands);
  InstructionId add(Instruction made);
  InstructionId converted(InstructionId id, ElementType type);
  InstructionId sized(InstructionId id, const std::vector<int64_t>& dims);  // zeros behind, or less of it
  InstructionId filled(int64_t value, const Shape& array);                  // with a number, 0 or 1 of pred
  // Along dimension `dim` of an array like `like_id`; everywhere: -1.
  InstructionId spread(InstructionId id, InstructionId like_id, int64_t dim = -1);
  InstructionId op(Opcode opcode, InstructionId a, InstructionId b);
  InstructionId scaled(InstructionId id, double by);
  InstructionId activated(InstructionId x, Activation activation);
  // The result in its type, and zeros for the memory beside it, which nobody reads.
  InstructionId finished(InstructionId id);

 private:
  Shape like(InstructionId id) const { return Shape::array(type_, writer_.shape(id).dims); }
  InstructionId number(double value, InstructionId like_id);

  const Instruction& call_;
  const CallWriter& writer_;
  ElementType type_;
};

// The kinds of calls, by their files: none where the call is not one, or says more than is understood.
std::optional<LibraryCall> library_product(const Computation& computation, const Instruction& call);
std::optional<LibraryCall> library_memory(const Computation& computation, const Instruction& call);
std::optional<LibraryCall> library_convolution_call(const Computation& computation, const Instruction& call);

}  // namespace shardscope::inline numerics
