// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/reshard/local_index.h"

#include <string>

namespace shardscope::inline partitioner {
namespace {

constexpr const char* kAnyPlace = "2147483647";

bool is_scalar(const LocalIndex& at, const Shape& indices) {
  return at.vector_dim == static_cast<int64_t>(indices.rank());
}

// One s32 per entry of the index vector, over the whole shape of `indices`.
InstructionId entries(SpmdWriter& writer, const LocalIndex& at, const Shape& indices,
                      const std::vector<InstructionId>& scalars) {
  if (is_scalar(at, indices)) return writer.broadcast(scalars.front(), indices.dims, {});
  std::vector<InstructionId> parts;
  for (const InstructionId scalar : scalars) parts.push_back(writer.reshape(scalar, {1}));
  return writer.broadcast(writer.concatenate(parts, 0), indices.dims, {at.vector_dim});
}

}  // namespace

LocalIndex LocalIndex::of(const Sharded& from, const std::vector<int64_t>& map, int64_t vector_dim) {
  LocalIndex out;
  out.vector_dim = vector_dim;
  const std::vector<int64_t> tile = tile_dims(from.tiling, from.base.dims);
  const auto place = from.tiling.coordinates();
  for (const int64_t dim : map) {
    const auto d = static_cast<size_t>(dim);
    out.sizes.push_back(from.base.dims[d]);
    out.tiles.push_back(tile[d]);
    std::vector<int64_t>& offsets = out.offsets.emplace_back();
    if (from.tiling.counts[d] == 1) continue;
    for (const int64_t p : place.along(d)) offsets.push_back(p * tile[d]);
  }
  return out;
}

InstructionId places_in_tile(SpmdWriter& writer, const SpmdScope& scope, const LocalIndex& at,
                             InstructionId indices, bool clamp) {
  const Shape from = writer.shape(indices);
  const Shape index = Shape::array(ElementType::s32, from.dims);
  const bool narrow = byte_size(from.type, 1) < 4;
  const ElementType compared = narrow ? ElementType::s32 : from.type;
  InstructionId id = narrow ? writer.op(Opcode::convert, index, {indices}) : indices;
  std::vector<InstructionId> lowest, highest, offset;
  const bool is_unsigned = compared == ElementType::u32 || compared == ElementType::u64;
  for (size_t c = 0; c < at.sizes.size(); ++c) {
    lowest.push_back(writer.constant(compared, clamp || is_unsigned ? "0" : "-1"));
    highest.push_back(writer.constant(compared, std::to_string(clamp ? at.sizes[c] - 1 : at.sizes[c])));
    offset.push_back(at.offsets[c].empty() ? writer.zero(ElementType::s32)
                                           : writer.table(scope, ElementType::s32, at.offsets[c]));
  }
  const Shape wide = Shape::array(compared, from.dims);
  id = writer.op(Opcode::maximum, wide, {id, entries(writer, at, from, lowest)});
  id = writer.op(Opcode::minimum, wide, {id, entries(writer, at, from, highest)});
  if (compared != ElementType::s32) id = writer.op(Opcode::convert, index, {id});
  return writer.op(Opcode::subtract, index, {id, entries(writer, at, from, offset)});
}

InstructionId falls_inside(SpmdWriter& writer, const LocalIndex& at, InstructionId places) {
  const Shape index = writer.shape(places);
  std::vector<InstructionId> zeros, ends;
  for (size_t c = 0; c < at.sizes.size(); ++c) {
    zeros.push_back(writer.zero(ElementType::s32));
    ends.push_back(
        writer.constant(ElementType::s32, at.offsets[c].empty() ? kAnyPlace : std::to_string(at.tiles[c])));
  }
  const InstructionId above = writer.compare(places, entries(writer, at, index, zeros), CompareDirection::ge);
  const InstructionId below = writer.compare(places, entries(writer, at, index, ends), CompareDirection::lt);
  const InstructionId inside = writer.op(Opcode::and_, writer.shape(above), {above, below});
  if (is_scalar(at, index)) return inside;
  Shape by_vector = Shape::array(ElementType::pred, index.dims);
  by_vector.dims.erase(by_vector.dims.begin() + static_cast<std::ptrdiff_t>(at.vector_dim));
  Instruction all;
  all.opcode = Opcode::reduce;
  all.shape = with_default_layout(by_vector);
  all.operands = {inside, writer.constant(ElementType::pred, "true")};
  all.dimensions = {at.vector_dim};
  all.called = {{"to_apply", writer.reducer(Opcode::and_, ElementType::pred)}};
  return writer.add(std::move(all));
}

}  // namespace shardscope::inline partitioner
