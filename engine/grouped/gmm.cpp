// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "engine/base/units.h"
#include "engine/grouped/arguments.h"
#include "engine/grouped/tile_product.h"
#include "engine/numerics/array/memory_limit.h"

namespace shardscope {

namespace {

// The buffers of one task: a tile of each operand and the accumulator.
struct GmmScratch {
  Panels lhs, rhs;
  std::vector<float> sum;
};

struct GmmCall {
  const GroupedOperands& operands;
  bool transpose_rhs = false;
  const GroupedPlan& plan;
};

struct Columns {
  int64_t first = 0, width = 0;
};

// One visit: the rows of the group in this tile, those columns. Only the group's own rows
// are multiplied, because the kernel throws the others' products away.
void visit_tile(const GmmCall& call, const TileVisit& visit, const Columns& columns, GmmScratch& scratch,
                Array& out) {
  const GroupedShape& s = call.plan.shape;
  const int64_t matrix = (visit.group - call.plan.metadata.group_offset) * s.k * s.n;
  scratch.sum.assign(static_cast<size_t>(visit.rows() * columns.width), 0.0f);
  for (int64_t k = 0; k < s.k; k += s.tiling.tk) {
    const int64_t depth = std::min(s.tiling.tk, s.k - k);
    load_left(call.operands.lhs, {visit.row_start * s.k + k, s.k, 1}, visit.rows(), depth, scratch.lhs);
    const BlockPlace place = call.transpose_rhs ? BlockPlace{matrix + columns.first * s.k + k, 1, s.k}
                                                : BlockPlace{matrix + k * s.n + columns.first, s.n, 1};
    load_right(call.operands.rhs, place, depth, columns.width, scratch.rhs);
    add_product(scratch.lhs, scratch.rhs, scratch.sum);
  }
  store_block(out, {visit.row_start * s.n + columns.first, s.n, 1}, visit.rows(), columns.width, scratch.sum);
}

// What became of each row; rows of other shards are set to 0 when the buffer was nobody's before.
std::vector<OutputState> finish_rows(const GroupedPlan& plan, int64_t total_groups, Array& out) {
  const GroupMetadata& meta = plan.metadata;
  const bool existing = plan.shape.existing_out;
  std::vector<OutputState> states(static_cast<size_t>(plan.shape.m),
                                  existing ? OutputState::aliased : OutputState::unwritten);
  const auto mark = [&](int64_t first, int64_t last, OutputState state) {
    std::fill(states.begin() + first, states.begin() + last, state);
  };
  for (int64_t step = 0; existing && step < meta.num_tiles; ++step) {
    const int64_t tile = meta.m_tile_ids[static_cast<size_t>(step)];
    mark(tile * meta.tm, (tile + 1) * meta.tm, OutputState::kept);
  }
  if (!existing && meta.local_groups < total_groups) {
    const auto zero = [&](int64_t first, int64_t last) {
      const int64_t row_bytes = byte_size(plan.shape.out, plan.shape.n);
      std::memset(out.mutable_data() + first * row_bytes, 0, static_cast<size_t>((last - first) * row_bytes));
      mark(first, last, OutputState::zeroed);
    };
    zero(0, meta.first_row());
    zero(meta.last_row(), plan.shape.m);
  }
  mark(meta.first_row(), meta.last_row(), OutputState::computed);
  return states;
}

}  // namespace

const char* name(OutputState state) {
  switch (state) {
    case OutputState::computed:
      return "computed";
    case OutputState::kept:
      return "kept";
    case OutputState::aliased:
      return "aliased";
    case OutputState::zeroed:
      return "zeroed";
    case OutputState::unwritten:
      return "unwritten";
  }
  return "";
}

Result<GroupedResult> gmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& group_sizes,
                          const GroupedOptions& options, const Workers& workers,
                          const std::stop_token& stop) {
  TRY(GroupedPlan plan, plan_gmm(lhs, rhs, group_sizes, options));
  const GroupedShape shape = plan.shape;
  const double out_bytes = static_cast<double>(shape.m) * static_cast<double>(byte_size(shape.out, shape.n));
  TRY_VOID(require_memory(out_bytes, "the output of gmm", "use a smaller m or n"));
  Array out = start_output(options, {shape.m, shape.n});
  const std::vector<StepRun> runs = same_block_runs(plan.metadata, plan.metadata.m_tile_ids);
  const int64_t tiles_n = ceil_div(shape.n, shape.tiling.tn);
  const GroupedOperands operands{lhs, rhs};
  const GmmCall call{operands, options.transpose_rhs, plan};
  workers.parallel_for(tiles_n * static_cast<int64_t>(runs.size()), [&](int64_t task) {
    if (stop.stop_requested()) return;
    const StepRun& run = runs[static_cast<size_t>(task / tiles_n)];
    const int64_t first = task % tiles_n * shape.tiling.tn;
    const Columns columns{first, std::min(shape.tiling.tn, shape.n - first)};
    GmmScratch scratch;
    for (int64_t step = run.first; step < run.last; ++step) {
      visit_tile(call, plan.metadata.visit(step), columns, scratch, out);
    }
  });
  if (stop.stop_requested()) return cancelled();
  std::vector<OutputState> states = finish_rows(plan, static_cast<int64_t>(group_sizes.size()), out);
  return GroupedResult{out, std::move(states), std::move(plan.metadata), shape};
}

}  // namespace shardscope
