// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <span>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/units.h"
#include "engine/grouped/arguments.h"
#include "engine/grouped/tile_product.h"

namespace shardscope::inline grouped {

namespace {

constexpr int64_t kMostRows = 512;                   // of a chunk: its strip of sums stays in cache
constexpr int64_t kPanelBudget = int64_t{48} << 20;  // bytes of packed left panels held at a time
constexpr int64_t kStrip = 4;                        // panels of columns that one task multiplies

struct GmmCall {
  const GroupedOperands& operands;
  bool transpose_rhs = false;
  const GroupedPlan& plan;
};

// Consecutive rows of one group. The bits of a row depend on the cut of the contraction alone, so visits of
// one group are multiplied together and columns are not cut at tn: packed panels serve all tiles of the
// group.
struct RowChunk {
  int64_t group = 0, first = 0, rows = 0;
};

std::vector<RowChunk> chunks_of(const GroupMetadata& metadata, int64_t most_rows) {
  std::vector<RowChunk> out;
  for (int64_t step = 0; step < metadata.num_tiles; ++step) {
    const TileVisit visit = metadata.visit(step);
    for (int64_t row = visit.row_start; row < visit.row_stop;) {
      const bool goes_on = !out.empty() && out.back().group == visit.group &&
                           out.back().first + out.back().rows == row && out.back().rows < most_rows;
      if (!goes_on) out.push_back({visit.group, row, 0});
      const int64_t rows = std::min(visit.row_stop - row, most_rows - out.back().rows);
      out.back().rows += rows;
      row += rows;
    }
  }
  return out;
}

// Sums of a chunk's rows over some columns, a tile of the contraction at a time. Only the group's own rows
// are multiplied, because the kernel throws the others' products away.
void multiply_strip(const GmmCall& call, const RowChunk& chunk, std::span<const Panels> left, int64_t column,
                    Array& out) {
  const GroupedShape& s = call.plan.shape;
  const int64_t matrix = (chunk.group - call.plan.metadata.group_offset) * s.k * s.n;
  const int64_t width = std::min(kStrip * right_panel_lines(), s.n - column);
  // Sums of f32 grow where they are stored; others are rounded once, at the end. Without a contraction they
  // are 0.
  const bool in_place = s.out == ElementType::f32 && !left.empty();
  std::vector<float> sum(static_cast<size_t>(in_place ? 0 : chunk.rows * width));
  Sums sums = in_place ? Sums{out.mutable_as<float>().data() + chunk.first * s.n + column, s.n}
                       : Sums{sum.data(), width};
  std::vector<float> right;
  for (size_t tile = 0; tile < left.size(); ++tile) {
    const int64_t k = static_cast<int64_t>(tile) * s.tiling.tk;
    const BlockPlace place = call.transpose_rhs ? BlockPlace{matrix + column * s.k + k, 1, s.k}
                                                : BlockPlace{matrix + k * s.n + column, s.n, 1};
    const int64_t depth = left[tile].depth;
    right.resize(std::max(right.size(), static_cast<size_t>(right_panel_numbers(depth, width))));
    sums.accumulate = tile > 0;
    add_product(left[tile], load_right(call.operands.rhs, place, depth, width, right.data()), sums);
  }
  if (!in_place) store_block(out, {chunk.first * s.n + column, s.n, 1}, chunk.rows, width, sum);
}

// The left panels of some chunks, a tile of the contraction after the other, in memory that is one array: it
// asks for huge pages and nothing is written before the panels are.
struct LeftPanels {
  Array memory;
  std::vector<int64_t> starts;  // of each chunk
  std::vector<Panels> panels;   // of each chunk and tile
};

LeftPanels room_for(std::span<const RowChunk> chunks, int64_t k, int64_t tiles) {
  LeftPanels out;
  int64_t numbers = 0;
  for (const RowChunk& chunk : chunks) {
    out.starts.push_back(numbers);
    numbers += left_panel_numbers(chunk.rows, k);
  }
  out.memory = Array::allocate(ElementType::f32, {numbers});
  out.panels.resize(chunks.size() * static_cast<size_t>(tiles));
  return out;
}

// Chunks [first, last): their left panels are packed once, then every strip of columns reads them.
void multiply_chunks(const GmmCall& call, std::span<const RowChunk> chunks, const Workers& workers,
                     const std::stop_token& stop, Array& out) {
  const GroupedShape& s = call.plan.shape;
  const int64_t count = static_cast<int64_t>(chunks.size()), tiles = ceil_div(s.k, s.tiling.tk);
  LeftPanels left = room_for(chunks, s.k, tiles);
  float* memory = left.memory.mutable_as<float>().data();
  workers.parallel_for(count * tiles, [&](int64_t task) {
    if (stop.stop_requested()) return;
    const auto c = static_cast<size_t>(task / tiles);
    const int64_t k = task % tiles * s.tiling.tk;
    left.panels[static_cast<size_t>(task)] = load_left(
        call.operands.lhs, {chunks[c].first * s.k + k, s.k, 1}, chunks[c].rows,
        std::min(s.tiling.tk, s.k - k), memory + left.starts[c] + left_panel_numbers(chunks[c].rows, k));
  });
  const int64_t strip = kStrip * right_panel_lines(), strips = ceil_div(s.n, strip);
  workers.parallel_for(count * strips, [&](int64_t task) {
    if (stop.stop_requested()) return;
    const auto chunk = static_cast<size_t>(task / strips);
    const auto panels =
        std::span(left.panels).subspan(chunk * static_cast<size_t>(tiles), static_cast<size_t>(tiles));
    multiply_strip(call, chunks[chunk], panels, task % strips * strip, out);
  });
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
      const int64_t row_bytes = stored_bytes(plan.shape.out, plan.shape.n);
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
  Array out =
      start_output(options, {shape.m, shape.n}, {plan.metadata.first_row(), plan.metadata.last_row()});
  const GroupedOperands operands{lhs, rhs};
  const GmmCall call{operands, options.transpose_rhs, plan};
  const int64_t rows_in_budget = std::max<int64_t>(128, kPanelBudget / std::max<int64_t>(1, 4 * shape.k));
  const std::vector<RowChunk> chunks = chunks_of(plan.metadata, std::min(kMostRows, rows_in_budget));
  for (size_t first = 0; first < chunks.size() && !stop.stop_requested();) {
    size_t last = first;
    for (int64_t rows = 0; last < chunks.size(); ++last) {
      rows += chunks[last].rows;
      if (last > first && rows > rows_in_budget) break;
    }
    multiply_chunks(call, std::span(chunks).subspan(first, last - first), workers, stop, out);
    first = last;
  }
  if (stop.stop_requested()) return cancelled();
  std::vector<OutputState> states = finish_rows(plan, static_cast<int64_t>(group_sizes.size()), out);
  return GroupedResult{out, std::move(states), std::move(plan.metadata), shape};
}

}  // namespace shardscope::inline grouped
