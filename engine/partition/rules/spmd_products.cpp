// SPDX-License-Identifier: Apache-2.0
// Products.
#include <optional>

#include "engine/partition/rules/dot_partitioner.h"
#include "engine/partition/rules/dot_result.h"
#include "engine/partition/rules/rules.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

struct Operands {
  Sharded lhs, rhs;
};

ShardedLeaves product(const SpmdContext& cx, const Visit& v, const DotAxes& axes, Operands of,
                      const Tiling& out) {
  if (of.lhs.id == of.rhs.id) of.rhs.id = cx.writer.op(Opcode::copy, cx.writer.shape(of.rhs.id), {of.rhs.id});
  DotPartitioner dot({cx, v.i, axes});
  return {dot.partition({v.scope(), of.lhs, of.rhs, v.i.shape, out})};
}

// Groups that are cut are whole: where a cut goes through one the dimension is gathered.
Tiling by_whole_groups(const Tiling& tiling, int64_t dim, int64_t groups) {
  return groups % tiling.counts[static_cast<size_t>(dim)] == 0 ? tiling : tiling.merged({dim});
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> dot(const SpmdContext& cx, const Visit& v) {
  const DotAxes axes = *DotAxes::of(v.here, v.i);
  const Operands of{v.operand(0), v.operand(1)};
  std::optional<Tiling> before;
  if (cx.spread_by_shardy) before = tiling_before_reshard(axes, of.lhs, of.rhs, v.i.shape, v.out());
  if (!before) return product(cx, v, axes, of, v.out());
  const ShardedLeaves made = product(cx, v, axes, of, *before);
  Resharder::Because because(cx.resharder, "dot: its result is resharded, which is smaller than its operand",
                             "result");
  return ShardedLeaves{cx.resharder.to(v.scope(), made.front(), v.out())};
}

Result<ShardedLeaves> convolution(const SpmdContext& cx, const Visit& v) {
  const auto axes = DotAxes::of(v.here, v.i);
  if (!axes) return replicated(cx, v);
  const ConvolutionDims& c = *axes->convolution;
  const int64_t groups = c.feature_groups * c.batch_groups;
  if (groups == 1) return product(cx, v, *axes, {v.operand(0), v.operand(1)}, v.out());
  const Tiling image =
      by_whole_groups(v.operand(0).tiling, c.batch_groups != 1 ? c.input_batch : c.input_feature, groups);
  Tiling kernel = by_whole_groups(v.operand(1).tiling, c.kernel_output, groups);
  if (c.feature_groups != 1) kernel = kernel.merged({c.kernel_input});
  return product(cx, v, *axes, {operand_as(cx, v, 0, image), operand_as(cx, v, 1, kernel)},
                 by_whole_groups(v.out(), c.output_feature, groups));
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
