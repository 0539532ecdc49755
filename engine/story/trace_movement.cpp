// SPDX-License-Identifier: Apache-2.0
// Where the pieces are after elements were moved, cut out, put together or repeated.
#include <algorithm>
#include <string>

#include "engine/program/ir/op_table.h"
#include "engine/story/trace_rules.h"

namespace shardscope::inline story {
namespace {

IndexBox box_at(const std::vector<int64_t>& starts, const std::vector<int64_t>& sizes) {
  IndexBox box;
  for (size_t d = 0; d < sizes.size(); ++d) box.push_back({starts[d], starts[d] + sizes[d]});
  return box;
}

// Dimensions that the operand lacks repeat it.
ShardValue broadcast(TraceState& state, const Instruction& i, size_t device) {
  const std::vector<int64_t>& from = state.shape_of(i, 0).dims;
  ShardPieces out;
  for (const ShardPiece& piece : *state.operand(i, 0, device)) {
    ShardPiece spread = zero_piece(i.shape.dims);
    spread.kind = piece.kind;
    spread.array = piece.array;
    spread.k_set = piece.k_set;
    spread.base = piece.base;
    for (size_t d = 0; d < from.size(); ++d) {
      const auto to = static_cast<size_t>(i.dimensions[d]);
      if (from[d] == i.shape.dims[to]) spread.dims[to] = piece.dims[d];
    }
    out.push_back(std::move(spread));
  }
  return shared_pieces(std::move(out));
}

// The piece as one of its array flattened along `globals`, which is an array of its own.
ShardPiece flattened(const ShardPiece& piece, const std::vector<int>& globals, const std::string& name,
                     TracedArrays& arrays) {
  const TracedArray from = arrays.at(piece.array);
  const std::vector<int64_t> strides = flat_strides(from, globals);
  const auto joins = [&](size_t g) {
    return std::find(globals.begin(), globals.end(), static_cast<int>(g)) != globals.end();
  };
  TracedArray made = from;
  made.name = name;
  made.dims.clear();
  std::string key = "flat " + std::to_string(piece.array);
  for (const int g : globals) key += " " + std::to_string(g);
  ShardPiece out = piece;
  out.base.clear();
  std::vector<int> places(from.dims.size(), -1);
  for (size_t g = 0; g < from.dims.size(); ++g) {
    if (!joins(g) || static_cast<int>(g) == globals.front()) {
      places[g] = static_cast<int>(made.dims.size());
      made.dims.push_back(from.dims[g]);
      out.base.push_back(piece.base[g]);
    }
  }
  const int place = places[static_cast<size_t>(globals.front())];
  int64_t& size = made.dims[static_cast<size_t>(place)];
  int64_t& base = out.base[static_cast<size_t>(place)];
  size = 1;
  base = 0;
  for (const int g : globals) {
    places[static_cast<size_t>(g)] = place;
    size *= from.dims[static_cast<size_t>(g)];
    base += piece.base[static_cast<size_t>(g)] * strides[static_cast<size_t>(g)];
  }
  for (PieceDim& dim : out.dims) {
    if (dim.global < 0) continue;
    const auto g = static_cast<size_t>(dim.global);
    if (joins(g))
      for (StrideDigit& digit : dim.digits) digit.stride *= strides[g];
    dim.global = places[g];
  }
  out.array = arrays.find_or_add(key, made);
  return out;
}

ShardValue reshape(TraceState& state, const Instruction& i, size_t device) {
  const std::vector<int64_t>& from = state.shape_of(i, 0).dims;
  const ShardPieces& operand = *state.operand(i, 0, device);
  ShardPieces out = reshape_pieces(operand, from, i.shape.dims);
  if (covered_elements(out) == covered_elements(operand)) return shared_pieces(std::move(out));
  ShardPieces flat = operand;
  for (ShardPiece& piece : flat) {
    if (piece.kind != ShardPiece::Kind::part) continue;
    // One list at a time: flattening renumbers dimensions.
    for (auto lists = joined_globals(piece, from, i.shape.dims); !lists.empty();
         lists = joined_globals(piece, from, i.shape.dims))
      piece = flattened(piece, lists.front(), value_name(i), state.arrays);
  }
  return shared_pieces(reshape_pieces(flat, from, i.shape.dims));
}

ShardValue bitcast(TraceState& state, const Instruction& i, size_t device) {
  const Shape& from = state.shape_of(i, 0);
  const bool reshapes = i.shape.type == from.type && i.shape.element_count() == from.element_count();
  return reshapes ? reshape(state, i, device) : local_result(state, i, device);
}

ShardValue slice(TraceState& state, const Instruction& i, size_t device) {
  IndexBox box;
  for (const SliceDim& dim : i.slice) {
    if (dim.stride != 1) return state.unknown;
    box.push_back({dim.start, dim.limit});
  }
  return window_of(*state.operand(i, 0, device), box);
}

// Where a dynamic slice of `size` starts, clamped; none when it depends on data.
std::optional<std::vector<int64_t>> starts(const TraceState& state, const Instruction& i, size_t first,
                                           const std::vector<int64_t>& size, size_t device) {
  std::vector<int64_t> out;
  for (size_t d = 0; d < size.size(); ++d) {
    const auto start = state.scalar(i.operands[first + d], device);
    if (!start) return std::nullopt;
    out.push_back(std::clamp<int64_t>(*start, 0, state.shape_of(i, 0).dims[d] - size[d]));
  }
  return out;
}

ShardValue dynamic_slice(TraceState& state, const Instruction& i, size_t device) {
  const auto start = starts(state, i, 1, i.dynamic_slice_sizes, device);
  return start ? window_of(*state.operand(i, 0, device), box_at(*start, i.dynamic_slice_sizes))
               : state.unknown;
}

ShardValue dynamic_update_slice(TraceState& state, const Instruction& i, size_t device) {
  const std::vector<int64_t>& size = state.shape_of(i, 1).dims;
  const auto start = starts(state, i, 2, size, device);
  if (!start) return state.unknown;
  const IndexBox box = box_at(*start, size);
  ShardPieces out;
  for (const ShardPiece& piece : *state.operand(i, 0, device)) append_outside(piece, box, out);
  for (ShardPiece piece : *state.operand(i, 1, device)) {
    for (size_t d = 0; d < box.size(); ++d) move_by(piece, d, box[d].start);
    out.push_back(std::move(piece));
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

ShardValue concatenate(TraceState& state, const Instruction& i, size_t device) {
  const auto along = static_cast<size_t>(i.dimensions[0]);
  ShardPieces out;
  int64_t start = 0;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    for (ShardPiece piece : *state.operand(i, k, device)) {
      move_by(piece, along, start);
      out.push_back(std::move(piece));
    }
    start += state.shape_of(i, k).dims[along];
  }
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

ShardValue transpose(TraceState& state, const Instruction& i, size_t device) {
  ShardPieces out = *state.operand(i, 0, device);
  for (ShardPiece& piece : out) {
    std::vector<PieceDim> dims;
    for (const int64_t d : i.dimensions) dims.push_back(piece.dims[static_cast<size_t>(d)]);
    piece.dims = std::move(dims);
  }
  return shared_pieces(std::move(out));
}

ShardValue pad(TraceState& state, const Instruction& i, size_t device) {
  const auto* padding = std::get_if<Padding>(&*i.attributes);
  const ShardPieces& value = *state.operand(i, 1, device);
  if (padding == nullptr || value.empty()) return state.unknown;
  IndexBox inside;
  std::vector<int64_t> moved;
  for (size_t d = 0; d < padding->dims.size(); ++d) {
    const PadDim& dim = padding->dims[d];
    if (dim.interior != 0) return local_result(state, i, device);
    inside.push_back(
        {std::max<int64_t>(0, -dim.low), state.shape_of(i, 0).dims[d] - std::max<int64_t>(0, -dim.high)});
    moved.push_back(dim.low);
  }
  ShardPieces out;
  for (const ShardPiece& piece : *state.operand(i, 0, device)) append_inside(piece, inside, out);
  for (ShardPiece& piece : out)
    for (size_t d = 0; d < moved.size(); ++d) move_by(piece, d, moved[d]);
  IndexBox kept;
  for (size_t d = 0; d < inside.size(); ++d)
    kept.push_back({inside[d].start + moved[d], inside[d].stop + moved[d]});
  ShardPiece around =
      value[0].kind == ShardPiece::Kind::zero ? zero_piece(i.shape.dims) : fill_piece(i.shape.dims);
  append_outside(around, kept, out);
  merge_neighbours(out);
  return shared_pieces(std::move(out));
}

}  // namespace

LocalTraceRule movement_trace_rule(Opcode opcode) {
  static const OpTable<LocalTraceRule> rules({{OpClass::movement, &local_result}},
                                             {{Opcode::broadcast, &broadcast},
                                              {Opcode::bitcast, &bitcast},
                                              {Opcode::reshape, &reshape},
                                              {Opcode::transpose, &transpose},
                                              {Opcode::slice, &slice},
                                              {Opcode::dynamic_slice, &dynamic_slice},
                                              {Opcode::dynamic_update_slice, &dynamic_update_slice},
                                              {Opcode::concatenate, &concatenate},
                                              {Opcode::pad, &pad}});
  return rules[opcode];
}

}  // namespace shardscope::inline story
