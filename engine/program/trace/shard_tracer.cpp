// SPDX-License-Identifier: Apache-2.0
#include "engine/program/trace/shard_tracer.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/ir/scalar.h"

namespace shardscope {
namespace {

constexpr size_t kMaxPiecesOfAValue = 20'000;

IndexBox whole_box(const std::vector<int64_t>& dims) {
  IndexBox box;
  for (const int64_t size : dims) box.push_back({0, size});
  return box;
}

IndexBox box_at(const std::vector<int64_t>& starts, const std::vector<int64_t>& sizes) {
  IndexBox box;
  for (size_t d = 0; d < sizes.size(); ++d) box.push_back({starts[d], starts[d] + sizes[d]});
  return box;
}

std::shared_ptr<const ShardPieces> shared(ShardPieces pieces) {
  return std::make_shared<const ShardPieces>(std::move(pieces));
}

bool is_traced(const Shape& shape) {
  return !shape.is_tuple && shape.element_count() > 0;
}

}  // namespace

ShardTracer::ShardTracer(const Program& program)
    : program_(program),
      entry_(program.entry_computation()),
      devices_(static_cast<size_t>(program.mesh.device_count())),
      unknown_(shared({})) {
  for (const ArrayInfo& info : program.inputs) {
    if (info.role == ArrayRole::lhs) orientation_.lhs_contracting = info.transposed ? 0 : 1;
    if (info.role == ArrayRole::rhs) orientation_.rhs_contracting = info.transposed ? 1 : 0;
  }
}

Result<void> ShardTracer::run() {
  for (size_t d = 0; d < devices_; ++d)
    scalars_.push_back(evaluate_scalars(entry_, DeviceId(static_cast<int64_t>(d))));
  values_.reserve(entry_.instructions.size());
  for (size_t k = 0; k < entry_.instructions.size(); ++k) {
    const Instruction& i = entry_.instructions[k];
    values_.emplace_back(devices_, unknown_);
    if (is_collective(i.opcode)) {
      if (is_traced(i.shape)) collective(i, k);
    } else {
      for (size_t d = 0; d < devices_; ++d) local(i, k, d);
    }
    for (const Value& value : values_.back())
      if (value->size() > kMaxPiecesOfAValue || sets_.too_big())
        return too_big("too many pieces to trace", "instruction " + i.name,
                       "use fewer slices or larger blocks");
  }
  return {};
}

const Shape& ShardTracer::shape_of(const Instruction& i, size_t which) const {
  return entry_.at(i.operands[which]).shape;
}

const ShardTracer::Value& ShardTracer::operand(const Instruction& i, size_t which, size_t device) const {
  return values_[static_cast<size_t>(i.operands[which].value)][device];
}

void ShardTracer::local(const Instruction& i, size_t k, size_t device) {
  Value& value = values_[k][device];
  if (i.opcode == Opcode::get_tuple_element) {
    const Instruction& tuple = entry_.at(i.operands[0]);
    if (tuple.opcode == Opcode::tuple) value = operand(tuple, static_cast<size_t>(i.tuple_index), device);
    return;
  }
  if (!is_traced(i.shape)) return;
  switch (i.opcode) {
    case Opcode::parameter:
      value = parameter(i, device);
      break;
    case Opcode::constant:
      value = device == 0 ? constant(i) : values_[k][0];
      break;
    case Opcode::copy:
    case Opcode::convert:
    case Opcode::optimization_barrier:
      value = operand(i, 0, device);
      break;
    case Opcode::broadcast: {
      const ShardPieces& from = *operand(i, 0, device);
      const bool zeros = from.size() == 1 && from[0].kind == ShardPiece::Kind::zero &&
                         local_box(from[0]) == whole_box(shape_of(i, 0).dims);
      if (zeros) value = device == 0 ? shared({zero_piece(i.shape.dims)}) : values_[k][0];
      break;
    }
    case Opcode::bitcast:
      if (i.shape.type != shape_of(i, 0).type || i.shape.element_count() != shape_of(i, 0).element_count())
        break;
      [[fallthrough]];
    case Opcode::reshape:
      value = shared(reshape_pieces(*operand(i, 0, device), shape_of(i, 0).dims, i.shape.dims));
      break;
    case Opcode::transpose:
      value = transpose(i, device);
      break;
    case Opcode::slice:
      value = slice(i, device);
      break;
    case Opcode::dynamic_slice:
      value = dynamic_slice(i, device);
      break;
    case Opcode::dynamic_update_slice:
      value = dynamic_update_slice(i, device);
      break;
    case Opcode::concatenate:
      value = concatenate(i, device);
      break;
    case Opcode::select:
      value = select(i, device);
      break;
    case Opcode::add:
      value = shared(add_pieces(*operand(i, 0, device), *operand(i, 1, device), sets_));
      break;
    case Opcode::dot:
      value = shared(multiply_pieces(*operand(i, 0, device), *operand(i, 1, device), i, shape_of(i, 0).rank(),
                                     shape_of(i, 1).rank(), orientation_, sets_));
      break;
    default:
      break;
  }
}

ShardTracer::Value ShardTracer::parameter(const Instruction& i, size_t device) const {
  const auto number = static_cast<size_t>(i.parameter_number);
  if (number >= program_.inputs.size()) return unknown_;
  const ArrayInfo& info = program_.inputs[number];
  auto sharding = NamedSharding::make(program_.mesh, info.spec, info.unreduced);
  if (!sharding.ok() || !sharding->shard_shape(info.dims).ok()) return unknown_;
  if (!is_home(program_.mesh, info, DeviceId(static_cast<int64_t>(device))))
    return shared({zero_piece(i.shape.dims)});
  return shared(
      {input_piece(info.role, sharding->slices(DeviceId(static_cast<int64_t>(device)), info.dims))});
}

ShardTracer::Value ShardTracer::constant(const Instruction& i) const {
  const auto number = parse_double(i.literal);
  return number && *number == 0 ? shared({zero_piece(i.shape.dims)}) : unknown_;
}

ShardTracer::Value ShardTracer::window(const Value& value, const IndexBox& box) const {
  ShardPieces inside;
  for (const ShardPiece& piece : *value) append_inside(piece, box, inside);
  for (ShardPiece& piece : inside)
    for (size_t d = 0; d < box.size(); ++d) move_by(piece, d, -box[d].start);
  return shared(std::move(inside));
}

ShardTracer::Value ShardTracer::slice(const Instruction& i, size_t device) const {
  IndexBox box;
  for (const SliceDim& dim : i.slice) {
    if (dim.stride != 1) return unknown_;
    box.push_back({dim.start, dim.limit});
  }
  return window(operand(i, 0, device), box);
}

std::optional<std::vector<int64_t>> ShardTracer::starts(const Instruction& i, size_t first,
                                                        const std::vector<int64_t>& size,
                                                        size_t device) const {
  std::vector<int64_t> out;
  for (size_t d = 0; d < size.size(); ++d) {
    const auto start = scalars_[device][static_cast<size_t>(i.operands[first + d].value)];
    if (!start) return std::nullopt;
    out.push_back(std::clamp<int64_t>(*start, 0, shape_of(i, 0).dims[d] - size[d]));
  }
  return out;
}

ShardTracer::Value ShardTracer::dynamic_slice(const Instruction& i, size_t device) const {
  const auto start = starts(i, 1, i.dynamic_slice_sizes, device);
  return start ? window(operand(i, 0, device), box_at(*start, i.dynamic_slice_sizes)) : unknown_;
}

ShardTracer::Value ShardTracer::dynamic_update_slice(const Instruction& i, size_t device) const {
  const std::vector<int64_t>& size = shape_of(i, 1).dims;
  const auto start = starts(i, 2, size, device);
  if (!start) return unknown_;
  const IndexBox box = box_at(*start, size);
  ShardPieces out;
  for (const ShardPiece& piece : *operand(i, 0, device)) append_outside(piece, box, out);
  for (ShardPiece piece : *operand(i, 1, device)) {
    for (size_t d = 0; d < box.size(); ++d) move_by(piece, d, box[d].start);
    out.push_back(std::move(piece));
  }
  merge_neighbours(out);
  return shared(std::move(out));
}

ShardTracer::Value ShardTracer::concatenate(const Instruction& i, size_t device) const {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  ShardPieces out;
  int64_t start = 0;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    for (ShardPiece piece : *operand(i, k, device)) {
      move_by(piece, along, start);
      out.push_back(std::move(piece));
    }
    start += shape_of(i, k).dims[along];
  }
  merge_neighbours(out);
  return shared(std::move(out));
}

ShardTracer::Value ShardTracer::transpose(const Instruction& i, size_t device) const {
  ShardPieces out = *operand(i, 0, device);
  for (ShardPiece& piece : out) {
    std::vector<PieceDim> dims;
    for (const int64_t d : i.dimensions) dims.push_back(piece.dims[static_cast<size_t>(d)]);
    piece.dims = std::move(dims);
  }
  return shared(std::move(out));
}

// A scalar predicate chooses for each device; broadcast predicates count when their scalar does.
ShardTracer::Value ShardTracer::select(const Instruction& i, size_t device) const {
  const Instruction* predicate = &entry_.at(i.operands[0]);
  auto place = static_cast<size_t>(i.operands[0].value);
  if (predicate->opcode == Opcode::broadcast) place = static_cast<size_t>(predicate->operands[0].value);
  const auto chosen = scalars_[device][place];
  if (!chosen) return unknown_;
  return operand(i, *chosen ? 1 : 2, device);
}

void ShardTracer::collective(const Instruction& i, size_t k) {
  std::vector<Value>& values = values_[k];
  if (i.operands.size() != 1) return;
  const auto at = [&](DeviceId d) -> Value& { return values[static_cast<size_t>(d.value)]; };
  const Value nothing = shared({zero_piece(i.shape.dims)});
  if (i.opcode == Opcode::collective_permute) {
    for (size_t d = 0; d < devices_; ++d) {
      const DeviceId source = i.permutation->source_of(DeviceId(static_cast<int64_t>(d)));
      values[d] = source.valid() ? operand(i, 0, static_cast<size_t>(source.value)) : nothing;
    }
    return;
  }
  for (const auto& group : device_groups(program_, i)) {
    if (i.opcode == Opcode::all_gather) {
      const Value gathered = gather(i, group);
      for (const DeviceId d : group) at(d) = gathered;
    } else if (i.opcode == Opcode::all_reduce || i.opcode == Opcode::reduce_scatter) {
      const Value total = sum(i, group);
      for (size_t m = 0; m < group.size(); ++m) {
        if (i.opcode == Opcode::all_reduce) {
          at(group[m]) = i.rooted && m > 0 ? nothing : total;
          continue;
        }
        IndexBox box = whole_box(i.shape.dims);
        IndexRange& range = box[static_cast<size_t>(i.dimensions[0])];
        const int64_t start = range.stop * static_cast<int64_t>(m);
        range = {start, start + range.stop};
        at(group[m]) = window(total, box);
      }
    } else if (i.opcode == Opcode::all_to_all && i.dimensions.size() == 1) {
      for (size_t m = 0; m < group.size(); ++m) at(group[m]) = exchange(i, group, m);
    } else if (i.opcode == Opcode::collective_broadcast) {
      for (const DeviceId d : group) at(d) = operand(i, 0, static_cast<size_t>(group[0].value));
    }
  }
}

ShardTracer::Value ShardTracer::sum(const Instruction& i, const std::vector<DeviceId>& group) {
  if (reducer_opcode(program_, i) != Opcode::add) return unknown_;
  ShardPieces total = *operand(i, 0, static_cast<size_t>(group[0].value));
  for (size_t m = 1; m < group.size(); ++m)
    total = add_pieces(total, *operand(i, 0, static_cast<size_t>(group[m].value)), sets_);
  return shared(std::move(total));
}

// Slice `member` of every member, in the group's order.
ShardTracer::Value ShardTracer::exchange(const Instruction& i, const std::vector<DeviceId>& group,
                                         size_t member) const {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  const int64_t size = i.shape.dims[along] / static_cast<int64_t>(group.size());
  IndexBox box = whole_box(i.shape.dims);
  box[along] = {static_cast<int64_t>(member) * size, static_cast<int64_t>(member + 1) * size};
  ShardPieces out;
  for (size_t m = 0; m < group.size(); ++m) {
    const Value part = window(operand(i, 0, static_cast<size_t>(group[m].value)), box);
    for (ShardPiece piece : *part) {
      move_by(piece, along, static_cast<int64_t>(m) * size);
      out.push_back(std::move(piece));
    }
  }
  merge_neighbours(out);
  return shared(std::move(out));
}

ShardTracer::Value ShardTracer::gather(const Instruction& i, const std::vector<DeviceId>& group) const {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  const int64_t size = shape_of(i, 0).dims[along];
  ShardPieces out;
  for (size_t m = 0; m < group.size(); ++m) {
    for (ShardPiece piece : *operand(i, 0, static_cast<size_t>(group[m].value))) {
      move_by(piece, along, static_cast<int64_t>(m) * size);
      out.push_back(std::move(piece));
    }
  }
  merge_neighbours(out);
  return shared(std::move(out));
}

}  // namespace shardscope
