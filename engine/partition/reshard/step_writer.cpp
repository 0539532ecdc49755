// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/step_writer.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/partition/types/identity.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// Axes that split a dimension behind the step and did not before.
AxisParts added(const AxisParts& before, const AxisParts& after) {
  int64_t known = size_of(before);
  AxisParts out;
  for (AxisPart part : after) {
    const int64_t had = std::gcd(known, part.size);
    known /= had;
    if (had == part.size) continue;
    out.push_back({part.axis, part.before * had, part.size / had});
  }
  return out;
}

// Pieces come in the order of `came`; by place in that of `split` which of them stands there.
struct PieceOrder {
  std::vector<int64_t> sizes;
  std::vector<size_t> order;
};
PieceOrder piece_order(const AxisParts& split, const AxisParts& came) {
  std::vector<AxisParts> lists{split, came};
  cut_alike(lists, came);
  cut_alike(lists, split);
  PieceOrder out;
  for (const AxisPart& part : lists[1]) out.sizes.push_back(part.size);
  for (const AxisPart& part : lists[0])
    out.order.push_back(static_cast<size_t>(std::ranges::find(lists[1], part) - lists[1].begin()));
  return out;
}

}  // namespace

InstructionId StepWriter::write(InstructionId id, const SplitStep& step) {
  switch (step.kind) {
    case StepKind::slice:
      return slice(id, step);
    case StepKind::permute:
      return writer_.permute(
          id, writer_.whole(),
          permute_pairs(tiling_of(step.from, mesh_, true), tiling_of(step.to, mesh_, true)));
    case StepKind::exchange:
      return exchange(id, step);
    case StepKind::gather:
      return gather(id, step);
    case StepKind::reduce_scatter:
      return reduce_scatter(id, step);
    case StepKind::all_reduce:
      return combined(id, step.axes);
    case StepKind::make_partial:
      break;
  }
  CHECK(false, "partial results are not made here");
  return id;
}

InstructionId StepWriter::combined(InstructionId id, const AxisParts& axes) {
  return writer_.all_reduce(id, writer_.whole(), groups_along(axes, mesh_),
                            writer_.reducer(combining_, writer_.shape(id).type));
}

// A device's number along axes, times `tile`.
InstructionId StepWriter::offset_along(const AxisParts& axes, int64_t tile) {
  std::vector<int64_t> table;
  for (int64_t d = 0; d < mesh_.device_count(); ++d)
    table.push_back(place_along(axes, mesh_, DeviceId(d)) * tile);
  return writer_.table(writer_.whole(), ElementType::s32, table);
}

std::vector<InstructionId> StepWriter::starts(size_t rank, size_t dim, InstructionId start) {
  std::vector<InstructionId> out;
  for (size_t d = 0; d < rank; ++d) out.push_back(d == dim ? start : writer_.zero(ElementType::s32));
  return out;
}

InstructionId StepWriter::nothing(ElementType type, const std::vector<int64_t>& dims) {
  const auto identity = identity_of(combining_, type);
  CHECK(identity.has_value());
  return writer_.broadcast(writer_.constant(type, *identity), dims, {});
}

InstructionId StepWriter::on_first(InstructionId id, const AxisParts& axes) {
  const Shape shape = writer_.shape(id);
  const InstructionId first =
      writer_.compare(offset_along(axes, 1), writer_.zero(ElementType::s32), CompareDirection::eq);
  return writer_.op(Opcode::select, shape,
                    {writer_.broadcast(first, shape.dims, {}), id, nothing(shape.type, shape.dims)});
}

InstructionId StepWriter::slice(InstructionId id, const SplitStep& step) {
  for (size_t d = 0; d < step.to.dims.size(); ++d) {
    const AxisParts axes = added(step.from.dims[d], step.to.dims[d]);
    if (axes.empty()) continue;
    std::vector<int64_t> dims = writer_.shape(id).dims;
    dims[d] /= size_of(axes);
    const InstructionId start = offset_along(axes, dims[d]);
    id = writer_.dynamic_slice(id, starts(dims.size(), d, start), dims);
  }
  return id;
}

InstructionId StepWriter::gather(InstructionId id, const SplitStep& step) {
  for (size_t d = step.to.dims.size(); d-- > 0;) {
    const AxisParts axes = added(step.to.dims[d], step.from.dims[d]);
    if (!axes.empty()) id = writer_.all_gather(id, writer_.whole(), groups_along(axes, mesh_), d);
  }
  return id;
}

// As the partitioner writes it: parts of the grown dimension in front, exchanged, joined behind; joined in
// the order in which they were split.
InstructionId StepWriter::exchange(InstructionId id, const SplitStep& step) {
  const size_t from = shrunk_dim(step), to = grown_dim(step);
  const int64_t ratio = size_of(step.axes);
  std::vector<int64_t> dims = writer_.shape(id).dims;
  dims[to] /= ratio;
  std::vector<int64_t> split = dims;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(to), ratio);
  id = writer_.reshape(id, split);
  id = writer_.all_to_all(id, writer_.whole(), groups_along(step.axes, mesh_), to);
  const PieceOrder pieces = piece_order(added(step.to.dims[from], step.from.dims[from]), step.axes);
  const size_t count = pieces.sizes.size();
  split.erase(split.begin() + static_cast<std::ptrdiff_t>(to));
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(to), pieces.sizes.begin(), pieces.sizes.end());
  id = writer_.reshape(id, split);
  std::vector<int64_t> order;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d == from)
      for (const size_t piece : pieces.order) order.push_back(static_cast<int64_t>(to + piece));
    order.push_back(static_cast<int64_t>(d < to ? d : d + count));
  }
  id = writer_.transpose(id, order);
  dims[from] *= ratio;
  return writer_.reshape(id, dims);
}

InstructionId StepWriter::reduce_scatter(InstructionId id, const SplitStep& step) {
  for (size_t d = 0; d < step.to.dims.size(); ++d) {
    const AxisParts axes = added(step.from.dims[d], step.to.dims[d]);
    if (axes.empty()) continue;
    id = combined(id, axes);
    Instruction& i = writer_.at(id);
    i.opcode = Opcode::reduce_scatter;
    i.dimensions = {static_cast<int64_t>(d)};
    i.shape.dims[d] /= size_of(axes);
  }
  return id;
}

}  // namespace shardscope::inline partitioner
