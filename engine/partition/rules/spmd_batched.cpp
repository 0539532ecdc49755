// SPDX-License-Identifier: Apache-2.0
// Batches of which every item is for itself: factorisations, systems of equations, custom-calls that say so.
// A device has some items, each of them whole.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/batched_call.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

// For each dimension of the batch the array's that it is; -1: it has none.
std::vector<int64_t> by_batch(const std::vector<int64_t>& array, size_t count) {
  std::vector<int64_t> out(count, -1);
  for (size_t d = 0; d < array.size(); ++d)
    if (array[d] >= 0) out[static_cast<size_t>(array[d])] = static_cast<int64_t>(d);
  return out;
}

// The batch is cut as an operand is, else as the first result is wanted.
Tiling batch_tiling(const Visit& v, const BatchedCall& batch) {
  for (size_t k = 0; k < batch.operands.size(); ++k) {
    const Tiling at = v.operand(k).tiling.mapped(by_batch(batch.operands[k], batch.count));
    if (!at.is_replicated()) return at;
  }
  return v.wanted.front().mapped(by_batch(batch.results.front(), batch.count));
}

// operand_layout_constraints={f32[8,4]{0,1}} says shapes, too.
void keep_layouts(const SpmdContext& cx, InstructionId call) {
  Instruction& made = cx.writer.at(call);
  made.verbatim.change([&](std::vector<VerbatimAttribute>& all) {
    std::erase_if(all, [&](VerbatimAttribute& a) {
      if (a.key != "operand_layout_constraints") return false;
      std::vector<std::string> parts;
      std::string_view rest = trim(std::string_view(a.value).substr(1, a.value.size() - 2));
      for (const InstructionId operand : made.operands) {
        const size_t end = rest.find('}');
        auto shape = Shape::parse(trim(rest.substr(0, end == std::string_view::npos ? end : end + 1)));
        if (!shape.ok() || shape->is_tuple) return true;
        shape->dims = cx.writer.shape(operand).dims;
        parts.push_back(shape->text());
        rest.remove_prefix(std::min(rest.size(), rest.find(',', end)));
        if (!rest.empty()) rest = trim(rest.substr(1));
      }
      a.value = "{" + join(parts, ", ") + "}";
      return !rest.empty();
    });
  });
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> batched(const SpmdContext& cx, const Visit& v) {
  const auto batch = batched_call(v.here, v.i);
  if (!batch || batch->count == 0) return replicated(cx, v);
  const Tiling at = batch_tiling(v, *batch);
  if (at.is_replicated()) return replicated(cx, v);
  std::vector<InstructionId> operands;
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    operands.push_back(operand_as(cx, v, k, at.mapped(batch->operands[k])).id);
  std::vector<Tiling> tilings;
  for (const auto& result : batch->results) tilings.push_back(at.mapped(result));
  TRY(const Instruction made, with_called(cx, v));
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), std::move(operands));
  keep_layouts(cx, id);
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
