// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/units.h"
#include "engine/grouped/arguments.h"
#include "engine/grouped/tile_product.h"

namespace shardscope::inline grouped {

namespace {

struct TgmmBlock {
  int64_t row = 0, rows = 0, column = 0, columns = 0;  // of the group's [k, n] matrix
};

struct TgmmCall {
  const Array& lhs;
  const Array& rhs;
  const GroupedPlan& plan;
  const std::optional<Array>& existing;
};

// All visits of one group for one block of its matrix. Masked rows add zeros, so they are left out.
void sum_group(const TgmmCall& call, const StepRun& run, const TgmmBlock& block, Array& out) {
  const GroupedPlan& plan = call.plan;
  const GroupedShape& s = plan.shape;
  std::vector<float> left, right, old;
  std::vector<float> sum(static_cast<size_t>(block.rows * block.columns), 0.0f);
  for (int64_t step = run.first; step < run.last; ++step) {
    const TileVisit visit = plan.metadata.visit(step);
    if (visit.rows() == 0) continue;
    left.resize(static_cast<size_t>(left_panel_numbers(block.rows, visit.rows())));
    right.resize(static_cast<size_t>(right_panel_numbers(visit.rows(), block.columns)));
    const BlockPlace lhs{block.row * s.m + visit.row_start, s.m, 1};
    const BlockPlace rhs{visit.row_start * s.n + block.column, s.n, 1};
    add_product(load_left(call.lhs, lhs, block.rows, visit.rows(), left.data()),
                load_right(call.rhs, rhs, visit.rows(), block.columns, right.data()),
                {sum.data(), block.columns});
  }
  const int64_t group = plan.metadata.group_ids[static_cast<size_t>(run.first)] - plan.metadata.group_offset;
  const BlockPlace place{(group * s.k + block.row) * s.n + block.column, s.n, 1};
  if (call.existing) {
    load_block(*call.existing, place, block.rows, block.columns, old);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += old[i];
  }
  store_block(out, place, block.rows, block.columns, sum);
}

}  // namespace

Result<GroupedResult> tgmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                           const GroupedOptions& options, const Workers& workers,
                           const std::stop_token& stop) {
  TRY(GroupedPlan plan, plan_tgmm(lhs, rhs, group_sizes, options));
  const GroupedShape shape = plan.shape;
  const int64_t groups = plan.metadata.local_groups;
  const double out_bytes = static_cast<double>(groups) * static_cast<double>(shape.k) *
                           static_cast<double>(byte_size(shape.out, shape.n));
  TRY_VOID(require_memory(out_bytes, "the output of tgmm", "use fewer groups, a smaller k or n"));
  Array out = start_output(options, {groups, shape.k, shape.n}, {});
  const std::vector<StepRun> runs = same_block_runs(plan.metadata, plan.metadata.group_ids);
  const int64_t tiles_k = ceil_div(shape.k, shape.tiling.tk), tiles_n = ceil_div(shape.n, shape.tiling.tn);
  const TgmmCall call{lhs, rhs, plan, options.existing_out};
  workers.parallel_for(static_cast<int64_t>(runs.size()) * tiles_k * tiles_n, [&](int64_t task) {
    if (stop.stop_requested()) return;
    TgmmBlock block;
    block.column = task % tiles_n * shape.tiling.tn;
    block.row = task / tiles_n % tiles_k * shape.tiling.tk;
    block.rows = std::min(shape.tiling.tk, shape.k - block.row);
    block.columns = std::min(shape.tiling.tn, shape.n - block.column);
    sum_group(call, runs[static_cast<size_t>(task / tiles_n / tiles_k)], block, out);
  });
  if (stop.stop_requested()) return cancelled();
  const OutputState untouched = shape.existing_out ? OutputState::aliased : OutputState::unwritten;
  std::vector<OutputState> states(static_cast<size_t>(groups), untouched);
  for (const StepRun& run : runs) {
    const int64_t group = plan.metadata.group_ids[static_cast<size_t>(run.first)];
    states[static_cast<size_t>(group - plan.metadata.group_offset)] = OutputState::computed;
  }
  return GroupedResult{out, std::move(states), std::move(plan.metadata), shape};
}

}  // namespace shardscope::inline grouped
