// SPDX-License-Identifier: Apache-2.0
// Windows over arrays.
#include <algorithm>
#include <optional>
#include <string>

#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/halo.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/rules/windowed_input.h"
#include "engine/partition/types/identity.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

// What a selection takes last of all, as a literal; none: XLA's partitioner does not know it.
std::optional<std::string> taken_last(const Program& source, const Instruction& i) {
  const ElementType type = i.shape.type;
  if (type != ElementType::f32 && type != ElementType::bf16) return std::nullopt;
  for (const CalledComputation& called : i.called) {
    if (called.key != "select") continue;
    const Computation& body = source.computation(called.computation);
    const Instruction& root = body.root_instruction();
    const CompareDirection direction = comparison(root);
    const bool greater = direction == CompareDirection::ge || direction == CompareDirection::gt;
    if (!greater && direction != CompareDirection::le && direction != CompareDirection::lt)
      return std::nullopt;
    const int64_t first = body.at(root.operands[0]).parameter_number;
    if (first < 0 || body.at(root.operands[1]).parameter_number != 1 - first) return std::nullopt;
    return greater == (first == 0) ? "-inf" : "inf";
  }
  return std::nullopt;
}

// What changes nothing where it is put, by what adds values up there; none: it is not known.
std::optional<std::string> puts_nothing(const Program& source, const Instruction& i) {
  for (const CalledComputation& called : i.called) {
    if (called.key != "scatter") continue;
    Instruction adds = i;
    adds.called = {{"to_apply", called.computation}};
    return identity_of(reducer_opcode(source, adds), i.shape.type);
  }
  return std::nullopt;
}

// Along a dimension that is cut: the windows that reach into each device's tile, and the rows that they
// cover.
struct TileWindows {
  RowWindow source, data;
  RowExchange source_exchange, data_exchange;
};

TileWindows windows_of_tiles(const SpmdWriter& writer, const WindowDim& w, size_t dim, const Sharded& data,
                             const Sharded& source) {
  const int64_t tile = writer.shape(data.id).dims[dim], size = std::max(w.size, w.stride);
  TileWindows out{{dim, {}, 0}, {dim, {}, 0}, {}, {}};
  std::vector<int64_t> limits;
  for (int64_t place = 0; place < data.tiling.counts[dim]; ++place) {
    const int64_t first = (tile * place + w.low - size + w.stride) / w.stride;
    limits.push_back((tile * (place + 1) + w.low + w.stride - 1) / w.stride);
    out.source.starts.push_back(first);
    out.data.starts.push_back(first * w.stride - w.low);
    out.source.size = std::max(out.source.size, limits.back() - first);
  }
  out.data.size = (out.source.size - 1) * w.stride + size;
  out.source_exchange = exchange_for(writer, source, out.source);
  out.data_exchange = exchange_for(writer, data, out.data);
  out.source_exchange.limits = limits;
  for (size_t k = 0; k < limits.size(); ++k)
    out.data_exchange.limits[k] = (limits[k] - 1) * w.stride + size - w.low;
  out.source_exchange.may_be_far = out.source.starts[0] == 0;
  out.data_exchange.may_be_far = out.data.starts[0] == -w.low;
  return out;
}

}  // namespace

namespace spmd_rule {

Result<ShardedLeaves> reduce_window(const SpmdContext& cx, const Visit& v) {
  const size_t arrays = v.i.operands.size() / 2;
  const Tiling& at = v.out();
  TRY(std::vector<WindowDim> window, window_dims(v.i, v.operand(0).base.rank()));
  std::vector<InstructionId> operands, inits;
  std::optional<WindowedInput> in;
  for (size_t k = 0; k < arrays; ++k) inits.push_back(whole_operand(cx, v, arrays + k).id);
  for (size_t k = 0; k < arrays; ++k) {
    in = windowed_input(
        cx, v.scope(), v.operand(k),
        {window,
         at,
         inits[k],
         {"reduce-window: rows that its windows reach into come from the neighbours",
          "reduce-window: its windows reach farther than the neighbours' tiles", v.source_of(k).name}});
    if (!in) return replicated(cx, v);
    operands.push_back(in->value.id);
  }
  operands.insert(operands.end(), inits.begin(), inits.end());
  TRY(const Instruction made, with_called(cx, v));
  std::vector<int64_t> dims;
  for (size_t d = 0; d < window.size(); ++d)
    dims.push_back(window_places(in->window[d], cx.writer.shape(operands[0]).dims[d]));
  const std::vector<Tiling> tilings(leaf_count(v.i.shape), at);
  const InstructionId id = write_like(cx, made, with_dims(v.i.shape, dims), std::move(operands));
  cx.writer.at(id).attributes = Window{in->window};
  ShardedLeaves out = leaves_of_value(cx.writer, id, v.i.shape, tilings);
  for (Sharded& leaf : out)
    leaf.id = own_part(cx, v.scope(), leaf.id, in->begins, tile_dims(at, leaf.base.dims));
  return out;
}

// Each device does all windows that reach into its tile, and keeps what they put there.
Result<ShardedLeaves> select_and_scatter(const SpmdContext& cx, const Visit& v) {
  SpmdWriter& writer = cx.writer;
  const Tiling& at = v.out();
  TRY(std::vector<WindowDim> window, window_dims(v.i, v.operand(0).base.rank()));
  const auto last = taken_last(cx.source, v.i);
  if (at.is_replicated() || !last || v.i.shape.element_count() == 0) return replicated(cx, v);
  Sharded data = operand_as(cx, v, 0, at), source = operand_as(cx, v, 1, at);
  const std::vector<int64_t> tile = writer.shape(data.id).dims;
  std::vector<TileWindows> cuts;
  for (size_t d = 0; d < window.size(); ++d)
    if (at.counts[d] > 1) cuts.push_back(windows_of_tiles(writer, window[d], d, data, source));
  for (const TileWindows& cut : cuts)
    for (const RowExchange* x : {&cut.source_exchange, &cut.data_exchange})
      if (way_of(*x, writer.dialect()) == RowWay::gather) return replicated(cx, v);
  const InstructionId init = whole_operand(cx, v, 2).id, filler = writer.constant(data.base.type, *last);
  const auto neutral = puts_nothing(cx.source, v.i);
  const InstructionId nothing = neutral ? writer.constant(data.base.type, *neutral) : init;
  Resharder::Because because(
      cx.resharder, "select-and-scatter: rows that its windows reach into come from the neighbours", "halo");
  for (const TileWindows& cut : cuts) {
    source = exchanged_rows(cx, v.scope(), source, cut.source_exchange);
    source.id = only_rows_of_array(cx, v.scope(), source, cut.source, nothing);
    data = exchanged_rows(cx, v.scope(), data, cut.data_exchange);
    data.id = only_rows_of_array(cx, v.scope(), data, cut.data, filler);
    window[cut.data.dim].low = window[cut.data.dim].high = 0;
  }
  TRY(const Instruction made, with_called(cx, v));
  InstructionId id = write_like(cx, made, writer.shape(data.id), {data.id, source.id, init});
  writer.at(id).attributes = Window{std::move(window)};
  for (const TileWindows& cut : cuts) {
    std::vector<int64_t> starts;
    for (const int64_t place : at.coordinates().along(cut.data.dim))
      starts.push_back(place * tile[cut.data.dim] - cut.data.starts[static_cast<size_t>(place)]);
    id = writer.rows_at(id, v.scope(), cut.data.dim, starts, tile[cut.data.dim]);
  }
  return ShardedLeaves{{id, v.i.shape, at}};
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
