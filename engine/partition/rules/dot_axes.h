// SPDX-License-Identifier: Apache-2.0
// A product to be cut: its dimensions by what they do, its operands, its result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/partition/rules/visit.h"
#include "engine/program/ir/attributes.h"

namespace shardscope::inline partitioner {

// One dimension of a product in its operands and its result; -1 where it is not.
struct DotAxis {
  int64_t lhs = -1, rhs = -1, out = -1;
};

// The dimensions of a dot or convolution by what they do. A convolution's groups are its batch; where its
// window is one place a spatial dimension is free, where it is the whole image contracted.
struct DotAxes {
  std::vector<DotAxis> batch, contracting, lhs_free, rhs_free;
  std::vector<DotAxis> space;                  // a convolution's other spatial dimensions
  std::optional<ConvolutionDims> convolution;  // of a convolution
  static std::optional<DotAxes> of(const Computation& computation, const Instruction& dot);
};
std::vector<int64_t> dims_of(const std::vector<DotAxis>& axes, int64_t DotAxis::*which);

enum class DotSide { lhs, rhs };
const char* name(DotSide side);
DotSide opposite(DotSide side);

// The product of the source, whose attributes the local ones keep, and what writes them.
struct DotContext : SpmdContext {
  const Instruction& instruction;
  const DotAxes& axes;
  int64_t tile_bytes(const Sharded& value) const { return writer.shape(value.id).bytes(); }
};

// A product on the devices of a scope.
struct DotLevel {
  const SpmdScope& scope;
  Sharded lhs, rhs;
  Shape base;  // of the result, all devices of the scope
  Tiling out;
  std::shared_ptr<const InGroups> in{};  // of the result
  // What becomes of every product of tiles: parts of it are added up over groups around. May be empty.
  std::function<InstructionId(InstructionId)> finish{};
  std::vector<int64_t> sliced{};  // dimensions of the result of which that leaves each group a part
  int64_t devices() const { return scope.size(); }
  const Sharded& operand(DotSide side) const { return side == DotSide::lhs ? lhs : rhs; }
};
// The axes that only one operand has, and where that operand has an axis.
const std::vector<DotAxis>& free_axes(const DotAxes& axes, DotSide side);
int64_t DotAxis::*dim_in(DotSide side);

// The product of two tiles. `base`: of a result of that rank and type.
InstructionId local_dot(const DotContext& cx, const Shape& base, InstructionId lhs, InstructionId rhs);

}  // namespace shardscope::inline partitioner
